/**
 * The definition of a tool, the context of a call, and the validation of a definition. The types check most of it; the
 * validation is for JavaScript, and for definitions built at run time.
 */

import { check, type Json } from '../../core/lib/index.js';
import {
  type AuditLevel,
  checkAuditLevel,
  type Effects,
  isDataClass,
  isDataClassList,
  type KnownToolKind,
  type StepVisibility,
  type StoredFile,
  type ToolView,
} from '../../core/model/index.js';
import { checkDuration, type Duration } from '../../options/index.js';
import { isSecretName } from '../../secrets/index.js';
import type { Approval } from './approval/approval.js';
import { checkApproval, checkToolRoles } from './approval/check-approval.js';
import type { AskPerson } from './ask-person.js';
import { type Concurrency, checkConcurrency } from './concurrency.js';
import { checkTaskQueue } from './temporal-names.js';
import { type SchemaInput, type SchemaOutput, type ToolSchema, validateSchema } from './tool-schema.js';

/** What `execute` receives in addition to the arguments. */
export interface ToolContext<Secret extends string = never> {
  /** Aborts when the chain is cancelled, the call times out or the worker shuts down. Pass it on. */
  readonly signal: AbortSignal;
  /** The same for all attempts of this call, also after a reset of its workflow. Pass it to services that accept one. */
  readonly idempotencyKey: string;
  /** From 1. */
  readonly attempt: number;
  readonly chainId: string;
  /** The tenant and the user for whom the chain runs, as its start states them; null if it names none. */
  readonly tenant: string | null;
  readonly user: string | null;
  /** Roles of the user. */
  readonly roles: readonly string[];
  /** The step that the call belongs to, from 1. */
  readonly step: number;
  readonly log: ToolLog;
  /** Reports progress to Temporal. Heartbeats are sent without it. */
  readonly heartbeat: (details?: unknown) => void;
  /**
   * Emits an interim result: a text or JSON that readers see while the call runs. Each replaces the one before, at most
   * five times a second, with 2 KB at most. The model does not see it, and it is gone when the call ends.
   *
   * @example
   * emit(`${done} of ${rows.length} rows`);
   */
  readonly emit: (value: unknown) => void;
  /**
   * Lowers what users see of this call, with a line that describes its result: at most 200 characters. It never shows
   * more than the rules allow, and does not apply to developers and auditors. The last call counts; a failed call has the
   * level of the rules.
   *
   * @example
   * visibility('summary', 'Checked the account');
   */
  readonly visibility: (level: StepVisibility['level'], summary?: string) => void;
  /** Returns a secret that the tool declares in `secrets`. It is masked in all that the tool returns, logs or throws. */
  readonly secret: (name: Secret) => string;
  /**
   * Asks a person. The first time, it ends the call: the chain waits for the answer without a worker, for days if need be, and
   * then calls `execute` again, where the same question returns its answer. So ask before the call has an effect, and ask
   * the same in each run. At most 10 questions per call. An expired or declined question ends the call as failed.
   *
   * @example
   * const { seat } = await ask({ question: 'Which seat?', schema: z.object({ seat: z.enum(['aisle', 'window']) }) });
   */
  readonly ask: AskPerson;
  /**
   * Stores a file for people: readers find it with the call, whether the result mentions it or not. The model does not see
   * it; return a `file` for that.
   *
   * @throws {ToolError} if the worker has no store, or the content is too large
   * @example
   * const file = await artifact('sales.csv', rows.join('\n'), { mediaType: 'text/csv' });
   * return { rows: rows.length, file };
   */
  readonly artifact: (
    name: string,
    content: string | Uint8Array | AsyncIterable<Uint8Array>,
    options?: { readonly mediaType?: string },
  ) => Promise<StoredFile>;
}

export interface ToolLog {
  readonly debug: (message: string, fields?: Record<string, unknown>) => void;
  readonly info: (message: string, fields?: Record<string, unknown>) => void;
  readonly warn: (message: string, fields?: Record<string, unknown>) => void;
  readonly error: (message: string, fields?: Record<string, unknown>) => void;
}

export interface ToolDefinition<S extends ToolSchema, Secret extends string = never, Result = unknown> {
  /** Letters, digits, `_` and `-`, at most 64. Also the activity's type in Temporal. */
  readonly name: string;
  /**
   * A word for what it works with: `external`, `database`, `file_system`, `shell` … Rules of visibility, progress lines and
   * switches of users name kinds, and some have defaults (`longhand tools show` prints them). Default `external`.
   */
  readonly kind?: KnownToolKind | (string & {});
  /** For the model: what the tool does and when to use it. */
  readonly description: string;
  /** A schema of an object. Arguments are validated by it before `execute` is entered. */
  readonly inputSchema: S;
  /** For the model: a description of the result. Default: the output schema. */
  readonly returns?: string;
  /**
   * The schema of the result. A read or an idempotent call whose result does not match fails, and the model sees why. The
   * result of an unsafe call is passed on with a warning in the log: its effect has happened.
   */
  readonly outputSchema?: ToolSchema;
  /**
   * What executing a call twice does. `pure`: nothing changes, and equal arguments always have equal results, so a chain
   * reuses them. `read`: nothing changes, but results may, so each call is executed. `idempotent`: the effect happens once,
   * thanks to the `idempotencyKey`. `unsafe`: the effect happens twice, so the call is never retried.
   */
  readonly effects: Effects;
  /**
   * How long a result is reused for equal calls of all chains of the tenant: milliseconds or `'1h'`. Only for
   * pure tools and reads. Failures, and results with artifacts, are not reused. Needs a store. Default: each call is
   * executed.
   */
  readonly cacheTtl?: Duration;
  /**
   * Only for reads: how long the chain answers equal calls with the result, without a run. Milliseconds or `'5m'`, or
   * `'until-effect'`: until a call that is no read ran in the chain. Wrong for what others change meanwhile, such as files and
   * tables. Default: each call is executed.
   */
  readonly reuse?: Duration | 'until-effect';
  /**
   * Results are reused only within a version. Default: a digest of the definition. Set it when only the code changes, and
   * for different tools with equal names and definitions.
   */
  readonly version?: string;
  /** The time limit of one attempt: milliseconds or `'90s'`. Default: of its kind (`shell` and `llm` 10 minutes), else one minute. */
  readonly timeout?: Duration;
  /** The longest time without a heartbeat of the worker: milliseconds or `'10s'`. Default 10 seconds. */
  readonly heartbeatTimeout?: Duration;
  /**
   * The task queue of its calls, for a tool near its data: workers that serve this queue with the same agents execute them.
   * Default: the chain's queue.
   */
  readonly taskQueue?: string;
  /** The longest time that a call waits in `taskQueue` for a worker: milliseconds or `'10m'`. Then it did not run. Default 5 minutes. */
  readonly queueTimeout?: Duration;
  /**
   * How many calls may run at the same time in each worker: a number, or `{ perWorker, group, wait }`. Further calls wait; the wait
   * does not count for `timeout`. Default: no limit. For a limit over all workers, see `taskQueue`.
   */
  readonly concurrency?: Concurrency;
  /**
   * What a call costs, in US dollars: the price of each call, or the most with a function that computes the price. It is reserved
   * before a call, so that no call exceeds a cost limit, and counted in the costs of the chain. A call that did not run costs
   * nothing, any other failure the most. Default: free.
   */
  readonly cost?: number | ToolPrice<SchemaOutput<S>>;
  /**
   * Whether calls may run within the workflow task that starts them, instead of as an activity: a step then takes about three quarters
   * of the time. Only for pure tools and reads that take milliseconds: a call that fails or takes 2 seconds runs again as an
   * activity. Not for tools with approval, `cost`, `taskQueue`, `concurrency`, `secrets` or `heartbeatTimeout`. Default false.
   */
  readonly local?: boolean;
  /**
   * A small model summarizes long results for the agent, and the call pays for it; false for never. Not for tools with `cost`. Default: the
   * option of the agent.
   */
  readonly summarizeObservations?: ObservationSummaryOptions | false;
  /** Attempts of a call that is not unsafe. Default 3, the second after one second. */
  readonly retry?: { readonly attempts?: number; readonly backoff?: Duration };
  /**
   * How calls are shown to people, unless the configuration overrides it. The model does not see it.
   * Arguments that the schema marks with `.meta({ sensitive: true })` are added to `sensitive`.
   */
  readonly view?: ToolView;
  /**
   * How much of a call the audit log records: `none`, `basic` (the call, how it ended, digests) or `full` (arguments and
   * result too). Default: the worker's setting, `full` unless changed. A tenant may raise it.
   */
  readonly audit?: AuditLevel;
  /**
   * Class of the data in its results, such as `confidential`, or several. From its first call on, only models whose catalogue
   * entry lists all classes see the chain's requests. Default: none.
   */
  readonly dataClass?: string | readonly string[];
  /**
   * Whether a call needs a person's approval: true, false, options of the request, or a policy that decides by the call.
   * Default: only unsafe tools need approval. Agent, tenant and worker may require more.
   */
  readonly approval?: Approval<SchemaInput<S>>;
  /**
   * Roles that may have the tool called: the chain's user needs one of them, as its start states. Other calls are rejected,
   * before any approval. Default: all chains.
   */
  readonly roles?: readonly string[];
  /**
   * Names of the secrets that it needs: keys, tokens, passwords. They are read again for each call; if one is missing,
   * `execute` is not entered.
   */
  readonly secrets?: readonly Secret[];
  /** Returns JSON. May throw `ToolError`, which the model sees, and `NotDone`. */
  readonly execute: (input: SchemaOutput<S>, context: ToolContext<Secret>) => Result;
}

/** Which results a model summarizes before the agent sees them. */
export interface ObservationSummaryOptions {
  /** The provider's name of the model, or an alias. */
  readonly model: string;
  /** Estimated tokens of a result above which it is summarized. Default: `maxObservationTokens` of the agent. */
  readonly above?: number;
}

export interface ToolPrice<Input = unknown> {
  /** The most that a call costs, in US dollars. */
  readonly most: number;
  /** Returns US dollars from the arguments and the result, as the chain records it. Contract: pure. */
  readonly compute: (input: Input, result: Json) => number;
}

const checkUsd = check.define(
  (value) => check.amount.is(value) && value > 0,
  'must be US dollars above 0, such as 0.02',
);

const checkPrice = check.refine(
  check.members<ToolPrice>({
    most: checkUsd,
    compute: check.define(check.callable.is, 'must be a function of arguments and result'),
  }),
  ({ most, compute }) => most !== undefined && compute !== undefined,
  'must be US dollars, or { most, compute }',
);

const checkCost: check.ValueCheck = (value, at) => (typeof value === 'number' ? checkUsd : checkPrice)(value, at);

const checkSecretName = check.define(
  isSecretName,
  "must be a name of letters, digits, _, - and dots, such as 'STRIPE_KEY'",
);

const checkDataClass = check.define(
  (value) => isDataClassList(value) || isDataClass(value),
  "must be a name of letters, digits, . _ and -, or a list of them, such as 'confidential'",
);

export const checkSummaryOptions = check.refine(
  check.members<ObservationSummaryOptions>({ model: check.nonEmptyText, above: check.integerFrom(1) }),
  ({ model }) => model !== undefined,
  'must name a model: { model, above? }',
);

const checks = {
  name: check.anything,
  kind: check.define(check.nonEmptyText.is, "must be a word, such as 'external' or 'database'"),
  description: check.define(check.nonEmptyText.is, 'must be a text: the model chooses tools by it'),
  inputSchema: validateSchema,
  returns: check.text,
  outputSchema: validateSchema,
  effects: check.define(
    check.oneOf(['pure', 'read', 'idempotent', 'unsafe']).is,
    "must be 'pure', 'read', 'idempotent' or 'unsafe', by what a second call would do",
  ),
  cacheTtl: checkDuration,
  reuse: check.define(
    (value) => value === 'until-effect' || checkDuration(value, '') === null,
    "must be a duration such as '5m', or 'until-effect'",
  ),
  version: check.text,
  timeout: checkDuration,
  heartbeatTimeout: checkDuration,
  taskQueue: checkTaskQueue,
  queueTimeout: checkDuration,
  concurrency: checkConcurrency,
  cost: checkCost,
  local: check.boolean,
  summarizeObservations: (value, at) => (value === false ? null : checkSummaryOptions(value, at)),
  retry: check.members<NonNullable<ToolDefinition<never>['retry']>>({
    attempts: check.integerFrom(1),
    backoff: checkDuration,
  }),
  view: check.anything,
  audit: checkAuditLevel,
  dataClass: checkDataClass,
  approval: checkApproval,
  roles: checkToolRoles,
  secrets: check.list(checkSecretName),
  execute: check.callable,
} satisfies { readonly [member in keyof Required<ToolDefinition<never>>]: check.ValueCheck };

const checkDefinition = check.members<ToolDefinition<never>>(checks, [
  'retry.attempts',
  'retry.backoff',
  'concurrency.perWorker',
  'cost.most',
  'view.sensitive',
]);

/** Returns what is wrong with a definition, as a sentence without its full stop, or null. */
export function validateTool(definition: object): string | null {
  const { description, effects, execute, inputSchema }: Partial<ToolDefinition<never>> = definition;
  return (
    checkDefinition(definition, '') ??
    checks.description(description, 'description') ??
    checks.effects(effects, 'effects') ??
    checks.execute(execute, 'execute') ??
    checks.inputSchema(inputSchema, 'inputSchema')
  );
}

/**
 * The definition of a tool, the context of a call, and the validation of a definition. The types check most of it; the
 * validation is for JavaScript, and for definitions built at run time.
 */

import {
  checkElsewhere,
  checkIntegerFrom,
  checkList,
  checkMembers,
  checkNonEmptyText,
  checkOneOf,
  checkText,
  type ValueCheck,
} from '../../core/lib/check-value.js';
import type { AuditLevel, Effects, ToolView } from '../../core/model/agent.js';
import { checkAuditLevel } from '../../core/model/agent.js';
import { isDataClass, isDataClassList } from '../../core/model/data-class.js';
import type { StepVisibility, StoredFile } from '../../core/model/stored-content.js';
import { checkDuration, type Duration } from '../../options/duration.js';
import { isSecretName } from '../../secrets/secret-provider.js';
import type { Approval } from '../approval/approval.js';
import { checkApproval, checkToolRoles } from '../approval/check-approval.js';
import type { AskPerson } from './ask-person.js';
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
  /** The tenant and the user for whom the chain runs, as its start states them; null where it names none. */
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
   * Results are reused only within a version. Default: a digest of the definition. Set it when only the code changes, and
   * for different tools with equal names and definitions.
   */
  readonly version?: string;
  /** The time limit of one attempt: milliseconds or `'90s'`. Default one minute. */
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

const checkSecretName: ValueCheck = (value, at) =>
  isSecretName(value) ? null : `${at} must be a name of letters, digits, _, - and dots, such as 'STRIPE_KEY'`;

const checkDataClass: ValueCheck = (value, at) => {
  const isValid = Array.isArray(value) ? isDataClassList(value) : isDataClass(value);
  return isValid
    ? null
    : `${at} must be a name of letters, digits, . _ and -, or a list of them, such as 'confidential'`;
};

const checks = {
  name: checkElsewhere,
  description: (value: unknown) =>
    checkNonEmptyText(value, '') === null ? null : 'description must be a text: the model chooses tools by it',
  inputSchema: validateSchema,
  returns: checkText,
  outputSchema: validateSchema,
  effects: (value: unknown) =>
    checkOneOf(['pure', 'read', 'idempotent', 'unsafe'], value, '') === null
      ? null
      : "effects must be 'pure', 'read', 'idempotent' or 'unsafe', by what a second call would do",
  cacheTtl: checkDuration,
  version: checkText,
  timeout: checkDuration,
  heartbeatTimeout: checkDuration,
  taskQueue: checkTaskQueue,
  queueTimeout: checkDuration,
  retry: checkMembers<NonNullable<ToolDefinition<never>['retry']>>({
    attempts: checkIntegerFrom(1),
    backoff: checkDuration,
  }),
  view: checkElsewhere,
  audit: checkAuditLevel,
  dataClass: checkDataClass,
  approval: checkApproval,
  roles: checkToolRoles,
  secrets: checkList(checkSecretName),
  execute: (value: unknown) => (typeof value === 'function' ? null : 'execute must be a function'),
} satisfies { readonly [member in keyof Required<ToolDefinition<never>>]: ValueCheck };

const checkDefinition = checkMembers<ToolDefinition<never>>(checks, [
  'retry.attempts',
  'retry.backoff',
  'view.sensitive',
]);

/** Returns what is wrong with a definition, as a sentence without its full stop, or null. */
export function validateTool(definition: object): string | null {
  const { description, effects, execute, inputSchema }: Partial<ToolDefinition<never>> = definition;
  return (
    checkDefinition(definition, '') ??
    checks.description(description) ??
    checks.effects(effects) ??
    checks.execute(execute) ??
    checks.inputSchema(inputSchema, 'inputSchema')
  );
}

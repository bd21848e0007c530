/** Options of a worker, and their validation before anything starts. */

import { existsSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import type { NativeConnection, WorkerInterceptors, WorkerOptions } from '@temporalio/worker';
import { checkDataDetectors, type DataDetector } from '../activities/index.js';
import {
  type Agent,
  checkModelRetry,
  checkOnProviderError,
  collectAgents,
  type ModelRetryOptions,
  type OnProviderError,
  type PlanCache,
} from '../agents/index.js';
import type { TemporalOptions } from '../connection/index.js';
import { type AuditPolicy, checkAuditPolicy } from '../core/audit/index.js';
import { LonghandError } from '../core/lib/index.js';
import type { RunLimits } from '../core/model/index.js';
import { type VisibilityConfig, validateVisibility } from '../core/view/index.js';
import type { EncryptionOption } from '../encryption/index.js';
import { checkModelRules, type ModelDefinitions, type ModelProvider, type ModelRule } from '../models/index.js';
import type { Duration } from '../options/index.js';
import type { TokenOption } from '../relay/index.js';
import { checkSecretProvider, type SecretProvider } from '../secrets/index.js';
import { parseRetention, type Retention, readRetention, type StoreOption } from '../store/index.js';
import { checkWorkerApprovals, type WorkerApprovals } from '../tools/define/index.js';
import type { SpendingOptions } from './budget-options.js';
import type { CircuitBreakerOptions } from './circuits.js';
import type { WorkerHooks } from './hooks.js';

/** Options of Temporal's worker that Longhand sets itself: other values would be ignored or break chains. */
const fixedOptions = {
  connection: 'pass the option `connection` of the worker instead',
  namespace: 'pass the option `namespace` of the worker instead',
  taskQueue: 'pass the option `taskQueue` of the worker instead',
  activities: 'pass the option `activities` of the worker instead',
  workflowBundle: 'pass the option `workflowsPath` of the worker instead',
  workflowsPath: 'pass the option `workflowsPath` of the worker instead',
  bundlerOptions: 'run workflows that need them in a worker of their own',
} as const;

export interface TemporalWorkerOptions
  extends Omit<Partial<WorkerOptions>, keyof typeof fixedOptions | 'interceptors'> {
  /** Interceptors of activities and of the client. Chains run without workflow interceptors. */
  readonly interceptors?: Omit<WorkerInterceptors, 'workflowModules'>;
}

export interface LonghandWorkerOptions extends TemporalOptions, SpendingOptions {
  readonly agents: readonly Agent[];
  /** Providers of models, each with its own name. Default: those that the environment configures. */
  readonly providers?: readonly ModelProvider[] | undefined;
  /**
   * Source of the tools' secrets and the model's key. Default: the folder of `LONGHAND_SECRETS`, and the environment.
   */
  readonly secrets?: SecretProvider | undefined;
  /** Which models and regions chains may use, by tenant, environment and the roles of the chain's user. Default: all. */
  readonly modelRules?: readonly ModelRule[] | undefined;
  /**
   * Detectors that mark chains with data classes by what the task, results and messages contain: the redactor's finders, or functions.
   * Models that may not see such data are not called. Default: none.
   */
  readonly detect?: readonly DataDetector[] | undefined;
  /** The worker's environment, such as `production`, for `modelRules`. Default: `LONGHAND_ENVIRONMENT`. */
  readonly environment?: string | undefined;
  /** The model of agents whose definition names none. Default: `LONGHAND_MODEL`. */
  readonly defaultModel?: string | undefined;
  /** For agents whose definition has no `modelRetry`, or has only some of its members. */
  readonly modelRetry?: ModelRetryOptions | undefined;
  /** For agents whose definition has no `onProviderError`. Default `hold`. */
  readonly onProviderError?: OnProviderError | undefined;
  /**
   * When an endpoint (a model of a provider) that fails again and again is left alone. `false`: never. The workers of a namespace
   * that have one Postgres store share what they know.
   */
  readonly circuitBreaker?: CircuitBreakerOptions | false | undefined;
  /**
   * Aliases of models, with their providers, prices and capabilities: an object, or the path of a JSON or YAML file. Default: the
   * file that `LONGHAND_MODELS` names.
   */
  readonly models?: ModelDefinitions | string | undefined;
  /** Path of a price map in LiteLLM's format, merged over the shipped map. */
  readonly prices?: string | undefined;
  /** Used instead of address, key, TLS and profile. It stays open when the worker ends. */
  readonly connection?: NativeConnection | undefined;
  readonly taskQueue?: string | undefined;
  /**
   * Module with your own workflows, which run in this worker as well: an absolute path. They are bundled with the workflow of
   * chains when the worker is created, in about 2 seconds.
   */
  readonly workflowsPath?: string | undefined;
  /** Activities of your own workflows, by name. */
  readonly activities?: object | undefined;
  /** Further options of Temporal's worker. Its `dataConverter` may only have codecs. */
  readonly temporal?: TemporalWorkerOptions | undefined;
  /**
   * Channel for tokens to followers in this process, in addition to the relay to other processes: pass the same channel
   * to `connect`. False for no tokens. Default: the relay, unless `LONGHAND_TOKENS` is `off`.
   */
  readonly tokens?: TokenOption | undefined;
  /** Visibility rules for content sent to a telemetry backend, as a developer sees it. */
  readonly visibility?: VisibilityConfig | undefined;
  /** Calls that require approval by rule of the platform or a tenant, in addition to the rules of agents and tools. */
  readonly approvals?: WorkerApprovals | undefined;
  /** Functions that the worker calls for steps, tool calls and ends of chains, for logs and metrics. */
  readonly hooks?: WorkerHooks | undefined;
  /** Plans that worked, for agents that reuse them. Default: in the store; without one, in this process. */
  readonly planCache?: PlanCache | undefined;
  /**
   * Encrypts all content that Temporal stores: the path of a key file, the keys, or false. Default: the keys of
   * `LONGHAND_ENCRYPTION_KEYS` and `LONGHAND_ENCRYPTION_KEY`. `connect` needs the same keys.
   */
  readonly encryption?: EncryptionOption | undefined;
  /**
   * Store for content that outlives Temporal's retention, its address, or false for none. Default: `LONGHAND_STORE`,
   * else none. A store passed as an object stays open when the worker ends.
   */
  readonly store?: StoreOption | undefined;
  /**
   * When a chain continues as new: after this many events or steps in a run, and always when the server suggests it.
   * Default: `LONGHAND_CONTINUE_AFTER_EVENTS`, `LONGHAND_CONTINUE_AFTER_STEPS`.
   */
  readonly continueAfter?: RunLimits | undefined;
  /** False: each call of a tool is an activity, also of tools with `local`, in chains that this worker prepares. Default true. */
  readonly localCalls?: boolean | undefined;
  /** Retention of archived chains, by tenant and outcome. Default: `LONGHAND_RETENTION`, else 90 days. */
  readonly retention?: Retention | undefined;
  /** Content of chains that the audit log contains, or false for no entries of the chains. Default: all except credentials. */
  readonly audit?: AuditPolicy | false | undefined;
  /** Time between sweeps for runs that were not archived: milliseconds or `'5m'`. Default: five minutes. */
  readonly sweepInterval?: Duration | undefined;
}

/** Returns the agents by name, including all agents that they delegate to. */
export function indexAgents(definitions: readonly Agent[]): ReadonlyMap<string, Agent> {
  const agents = collectAgents(definitions);
  const agentsByName = new Map(agents.map((agent) => [agent.name, agent]));
  const twice = agents.find((agent) => agentsByName.get(agent.name) !== agent);
  if (twice !== undefined)
    throw new LonghandError('invalid_options', `Two agents are named ${twice.name}. Give each agent its own name.`);
  if (agentsByName.size === 0)
    throw new LonghandError('invalid_options', 'The worker has no agent. Pass at least one: agents: [myAgent].');
  return agentsByName;
}

/** Validates visibility rules at the start: without this, the first span would fail unnoticed. */
export function checkVisibility(visibility: VisibilityConfig = {}): void {
  const problem = validateVisibility(visibility);
  if (problem !== null) throw new LonghandError('invalid_policy', `Invalid option \`visibility\`: ${problem}.`);
}

export function checkApprovals(approvals: WorkerApprovals = {}, agents: readonly string[]): void {
  const unknown = approvals.policy?.agents?.find?.((name) => !agents.includes(name));
  const problem =
    checkWorkerApprovals(approvals, '') ??
    (unknown === undefined
      ? null
      : `policy.agents names ${JSON.stringify(unknown)}, which no agent of this worker is; expected ${agents.join(', ')}`);
  if (problem !== null) throw new LonghandError('invalid_policy', `Invalid option \`approvals\`: ${problem}.`);
}

export function checkDetect(detect: readonly DataDetector[] | undefined): void {
  const problem = detect === undefined ? null : checkDataDetectors(detect, '`detect`');
  if (problem !== null) throw new LonghandError('invalid_options', `Invalid option: ${problem}.`);
}

export function checkSecrets(secrets: SecretProvider | undefined): void {
  const problem = secrets === undefined ? null : checkSecretProvider(secrets, '`secrets`');
  if (problem !== null) throw new LonghandError('invalid_options', `Invalid option \`secrets\`: ${problem}.`);
}

export function checkModelRuleOptions({ modelRules }: Partial<LonghandWorkerOptions>): void {
  const problem = modelRules === undefined ? null : checkModelRules(modelRules, '`modelRules`');
  if (problem !== null) throw new LonghandError('invalid_options', `Invalid option: ${problem}.`);
}

export function checkModelRetryOptions({ modelRetry, onProviderError }: Partial<LonghandWorkerOptions>): void {
  const problem =
    (modelRetry === undefined ? null : checkModelRetry(modelRetry, '`modelRetry`')) ??
    (onProviderError === undefined ? null : checkOnProviderError(onProviderError, '`onProviderError`'));
  if (problem !== null) throw new LonghandError('invalid_options', `Invalid option: ${problem}.`);
}

export function checkAudit(audit: AuditPolicy | false = {}): void {
  const problem = audit === false ? null : checkAuditPolicy(audit, '');
  if (problem !== null) throw new LonghandError('invalid_policy', `Invalid option \`audit\`: ${problem}.`);
}

/**
 * Finds the module of the user's workflows: the bundler's error would name a module of Longhand.
 *
 * @throws {LonghandError} `invalid_options`
 */
export function resolveWorkflowsPath(path: unknown): string | undefined {
  if (path === undefined) return undefined;
  const isPath = typeof path === 'string' && isAbsolute(path);
  const modulePath = isPath ? listModules(path).find((module) => existsSync(module)) : undefined;
  if (modulePath !== undefined) return modulePath;
  const problem = isPath ? 'the module does not exist' : 'expected an absolute path';
  throw new LonghandError(
    'invalid_options',
    `Invalid option \`workflowsPath\` ${JSON.stringify(path)}: ${problem}. Pass fileURLToPath(new URL('./workflows.js', import.meta.url)).`,
  );
}

/**
 * As the SDK's bundler resolves a path, which may have no ending. A program that is not compiled names `workflows.js`, as its
 * imports do, and has `workflows.ts`.
 */
function listModules(path: string): readonly string[] {
  return [path, `${path}.ts`, `${path}.js`, path.replace(/\.js$/, '.ts')];
}

/**
 * Returns the user's own activities. An activity named like a tool of this worker is a mistake, found at its start.
 *
 * @throws {LonghandError} `invalid_options`
 */
export function toOwnActivities(
  activities: object | undefined,
  agents: ReadonlyMap<string, Agent>,
): Readonly<Record<string, unknown>> {
  const own = { ...activities };
  const tools = new Map([...agents.values()].flatMap(({ name, tools }) => tools.map((tool) => [tool.name, name])));
  for (const name of Object.keys(own)) {
    const fix = 'Rename your activity.';
    const agent = tools.get(name);
    if (agent !== undefined)
      throw new LonghandError('invalid_options', `Activity ${name} has the name of a tool of agent ${agent}. ${fix}`);
    if (name === 'default' || name.startsWith('longhand.'))
      throw new LonghandError('invalid_options', `Activity ${name} has a name that Longhand uses. ${fix}`);
  }
  return own;
}

/** @throws {LonghandError} `invalid_options` for options that Longhand sets itself */
export function checkTemporal(temporal: TemporalWorkerOptions = {}): void {
  for (const [name, fix] of Object.entries(fixedOptions)) {
    if (Reflect.get(temporal, name) === undefined) continue;
    throw new LonghandError('invalid_options', `Invalid option \`temporal.${name}\`: Longhand sets it; ${fix}.`);
  }
  const { workflowModules = [] }: WorkerInterceptors = temporal.interceptors ?? {};
  if (workflowModules.length === 0) return;
  throw new LonghandError(
    'invalid_options',
    'Invalid option `temporal.interceptors.workflowModules`: chains run without workflow interceptors. Use `interceptors.activity`, or run other workflows in a worker of their own.',
  );
}

/** @throws {LonghandError} `invalid_policy` */
export function toRetention(retention: Retention | undefined, env: NodeJS.ProcessEnv): Retention {
  return retention === undefined ? readRetention(env) : parseRetention(retention, "The worker's `retention`");
}

const variables = { events: 'LONGHAND_CONTINUE_AFTER_EVENTS', steps: 'LONGHAND_CONTINUE_AFTER_STEPS' } as const;

/**
 * Returns when chains continue as new, by option or environment; null for the server's suggestion alone.
 *
 * @throws {LonghandError} `invalid_options` unless each count is a whole number above 0
 */
export function toContinueAfter(
  requested: RunLimits | undefined,
  env: Readonly<Record<string, string | undefined>>,
): RunLimits | null {
  const after: RunLimits = requested ?? {
    ...(env[variables.events] ? { events: Number(env[variables.events]) } : {}),
    ...(env[variables.steps] ? { steps: Number(env[variables.steps]) } : {}),
  };
  for (const [unit, count] of Object.entries(after)) {
    if (Number.isSafeInteger(count) && count > 0) continue;
    const variable = variables[unit as keyof typeof variables];
    const source = requested === undefined ? `${variable} "${env[variable]}"` : `\`continueAfter.${unit}\` ${count}`;
    throw new LonghandError('invalid_options', `Invalid ${source}: expected a whole number above 0.`);
  }
  return Object.keys(after).length === 0 ? null : after;
}

/** Options of a worker, and their checks: an option that cannot be used is rejected before anything starts. */

import type { NativeConnection, WorkerOptions } from '@temporalio/worker';
import type { Dependencies } from '../activities/context/dependencies.js';
import { collectAgents } from '../agents/agent-definition.js';
import type { Agent } from '../agents/define-agent.js';
import type { PlanCache } from '../agents/plan-cache.js';
import type { TokenChannel } from '../contract/tokens.js';
import { type AuditPolicy, auditPolicyCheck } from '../core/audit/policy.js';
import type { RunLimits } from '../core/model/limits.js';
import { validateVisibility } from '../core/view/validate-visibility.js';
import type { VisibilityConfig } from '../core/view/visibility.js';
import type { EncryptionOption } from '../encryption/encryption.js';
import type { ModelProvider } from '../models/provider.js';
import { checkSecretProvider, type SecretProvider } from '../secrets/secret-provider.js';
import { parseRetention, type Retention, readRetention } from '../store/archive/retention.js';
import type { Store } from '../store/db/store.js';
import type { WorkerApprovals } from '../tools/approval/approval.js';
import { workerApprovalsCheck } from '../tools/approval/check-approval.js';

export interface LonghandWorkerOptions {
  readonly agents: readonly Agent[];
  /** Who answers for the models. Default: what `ANTHROPIC_API_KEY` or `LONGHAND_MODEL_URL` name. */
  readonly provider?: ModelProvider | undefined;
  /** Where the secrets are that tools declare, and the model's key. Default: `LONGHAND_SECRETS`' folder, and the environment. */
  readonly secrets?: SecretProvider | undefined;
  /** A price map in LiteLLM's format, laid over the one that is shipped. */
  readonly prices?: string | undefined;
  /** Default: `TEMPORAL_ADDRESS`, else `127.0.0.1:7233`. */
  readonly address?: string | undefined;
  /** Instead of an address; it is left open when the worker ends. */
  readonly connection?: NativeConnection | undefined;
  /** Default: `TEMPORAL_NAMESPACE`, else `default`. */
  readonly namespace?: string | undefined;
  readonly taskQueue?: string | undefined;
  /** Anything else that Temporal's worker takes. */
  readonly temporal?: Partial<WorkerOptions> | undefined;
  /** Carries what a model is saying to followers in this process: give the same one to `connect`. */
  readonly tokens?: TokenChannel | undefined;
  /** By which rules content is shown where it is sent to a telemetry backend: as a developer sees it. */
  readonly visibility?: VisibilityConfig | undefined;
  /** Which calls the platform and its tenants want a person to approve, whatever agents and tools say. */
  readonly approvals?: WorkerApprovals | undefined;
  /** Where plans that worked are kept, for agents that use them again. Default: the last 100, in this process. */
  readonly planCache?: PlanCache | undefined;
  /**
   * Seals what Temporal is given: the path of a key file, the keys themselves, or false. Default: what
   * `LONGHAND_ENCRYPTION_KEYS` and `LONGHAND_ENCRYPTION_KEY` name. Give `connect` the same.
   */
  readonly encryption?: EncryptionOption | undefined;
  /**
   * What outlives Temporal's retention, or where it lies; null for none. Default: `LONGHAND_STORE`, else a file among the
   * user's data. One that was opened before is left open when the worker ends.
   */
  readonly store?: Store | string | null | undefined;
  /**
   * When a chain goes on in a new run (continue-as-new), besides when the server suggests it: events in a run, or steps
   * taken in it. Default: `LONGHAND_CONTINUE_AFTER_EVENTS`, `LONGHAND_CONTINUE_AFTER_STEPS`.
   */
  readonly continueAfter?: RunLimits | undefined;
  /** How long chains are archived, by tenant and outcome. Default: `LONGHAND_RETENTION`, else 90 days. */
  readonly retention?: Retention | undefined;
  /** How much of chains the audit log keeps. Default: all but credentials. */
  readonly audit?: AuditPolicy | undefined;
  /** Milliseconds between two looks for chains that nobody has archived. Default: five minutes. */
  readonly sweepEveryMs?: number | undefined;
  /** Told of each page of history that a model call reads. */
  readonly onPage?: Dependencies['onPage'] | undefined;
}

/** Returns the agents by name, with those that they delegate to, however deep. */
export function indexAgents(given: readonly Agent[]): ReadonlyMap<string, Agent> {
  const agents = collectAgents(given);
  const named = new Map(agents.map((agent) => [agent.name, agent]));
  const twice = agents.find((agent) => named.get(agent.name) !== agent);
  if (twice !== undefined)
    throw new Error(`Two agents are named ${twice.name}. A worker can tell agents apart by name only.`);
  if (named.size === 0) throw new Error('Give the worker at least one agent: agents: [myAgent].');
  return named;
}

/** The first span would find it out, where nobody looks. */
export function checkVisibility(visibility: VisibilityConfig = {}): void {
  const problem = validateVisibility(visibility);
  if (problem !== null) throw new TypeError(`The worker's \`visibility\` cannot be used: ${problem}.`);
}

export function checkApprovals(approvals: WorkerApprovals = {}): void {
  const problem = workerApprovalsCheck(approvals, '');
  if (problem !== null) throw new TypeError(`The worker's \`approvals\` cannot be used: ${problem}.`);
}

export function checkSecrets(secrets: SecretProvider | undefined): void {
  const problem = secrets === undefined ? null : checkSecretProvider(secrets, '`secrets`');
  if (problem !== null) throw new TypeError(`The worker cannot use its secrets: ${problem}.`);
}

export function checkAudit(audit: AuditPolicy = {}): void {
  const problem = auditPolicyCheck(audit, '');
  if (problem !== null) throw new TypeError(`The worker's \`audit\` cannot be used: ${problem}.`);
}

/** @throws {RangeError} */
export function toRetention(given: Retention | undefined, env: NodeJS.ProcessEnv): Retention {
  return given === undefined ? readRetention(env) : parseRetention(given, "The worker's `retention`");
}

const variables = { events: 'LONGHAND_CONTINUE_AFTER_EVENTS', steps: 'LONGHAND_CONTINUE_AFTER_STEPS' } as const;

/**
 * Returns when chains continue in a new run, as given or by the environment; null for the server's suggestion alone.
 *
 * @throws RangeError for a count that is not a whole number above 0
 */
export function toContinueAfter(
  asked: RunLimits | undefined,
  env: Readonly<Record<string, string | undefined>>,
): RunLimits | null {
  const after: RunLimits = asked ?? {
    ...(env[variables.events] ? { events: Number(env[variables.events]) } : {}),
    ...(env[variables.steps] ? { steps: Number(env[variables.steps]) } : {}),
  };
  for (const [what, count] of Object.entries(after)) {
    if (Number.isSafeInteger(count) && count > 0) continue;
    throw new RangeError(
      `A chain cannot go on in a new run after ${count} ${what}: give a whole number above 0 (\`continueAfter\`, or ${variables[what as keyof typeof variables]}).`,
    );
  }
  return Object.keys(after).length === 0 ? null : after;
}

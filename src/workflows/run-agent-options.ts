/** The options of `runAgent`, and the input of the chain that they start. */

import { ApplicationFailure, type Duration } from '@temporalio/common';
import { failureTypes } from '../contract/names.js';
import { toTimeout } from '../contract/temporal-limits.js';
import { type ChainInput, currentRules } from '../core/model/fact.js';
import type { PlanTemplate } from '../core/model/plan.js';
import type { ThreadMessage } from '../core/model/thread.js';
import { validatePlanTemplate } from '../core/plan/validate-plan.js';
import { checkDuration, toMilliseconds } from '../options/duration.js';
import { type LimitOptions, parseLimitOptions } from '../options/limits.js';
import {
  checkInputSize,
  checkStartOptions,
  checkTaskText,
  parseDataClasses,
  toEarlierMessages,
} from '../options/start.js';
import { addContext } from '../options/task-context.js';

export interface RunAgentOptions {
  /** Id of the chain, at most 200 bytes. Default: the agent's name and a random part. */
  readonly chainId?: string | undefined;
  /** Task queue of the agent's workers. Default: the task queue of this workflow. */
  readonly taskQueue?: string | undefined;
  /** What the agent knows beside the task: a text, or texts by name. They become part of the task, in frames. */
  readonly context?: string | { readonly [name: string]: string } | undefined;
  /** Messages of a conversation before the task, oldest first. The newest are kept, up to 32,000 bytes. */
  readonly messages?: readonly ThreadMessage[] | undefined;
  /**
   * Class of the data in the task, such as `confidential`, or several. Only models whose catalogue entry lists all classes
   * see the chain's requests.
   */
  readonly dataClass?: string | readonly string[] | undefined;
  /** Replaces the agent's model. */
  readonly model?: string | undefined;
  /** Replaces single limits of the agent. `costUsd` and `tokens` are the budget of the chain and all its sub-chains. */
  readonly limits?: LimitOptions | undefined;
  /** Tenant and user for whom the chain runs, and the user's roles: at most 32, each of at most 100 characters. */
  readonly tenant?: string | undefined;
  readonly user?: string | undefined;
  readonly roles?: readonly string[] | undefined;
  /** First plan, for an agent with the strategy `plan`. */
  readonly plan?: PlanTemplate | undefined;
  /** Lets the chain wait up to 7 days for a worker that has the agent, because it is about to be deployed. Default false. */
  readonly awaitAgent?: boolean | undefined;
  /**
   * Time after which Temporal ends the chain, even without a worker: milliseconds or `'2h'`. Default: never. The time
   * limit of the agent needs a running worker.
   */
  readonly endAfter?: Duration | undefined;
  /**
   * What happens to the chain when this workflow closes before it: `REQUEST_CANCEL` cancels it, `ABANDON` lets it continue.
   * Default `REQUEST_CANCEL`. Under both, a cancel of this workflow cancels the chain.
   */
  readonly parentClosePolicy?: 'REQUEST_CANCEL' | 'ABANDON' | undefined;
}

/** @throws {ApplicationFailure} `longhand.InvalidStart` */
export function toChildInput(agent: string, task: string, options: RunAgentOptions): ChainInput {
  if (typeof agent !== 'string' || agent.trim() === '') throw createInvalidStart('The name of the agent is empty.');
  checkTaskText(task, createInvalidStart);
  checkStartOptions(options, createInvalidStart);
  checkOwnOptions(options);
  const { model = null, limits = {}, tenant = null, user = null, roles = [], plan } = options;
  const problem = plan === undefined ? null : validatePlanTemplate(plan);
  if (problem !== null) throw createInvalidStart(`Invalid plan: ${problem}.`);
  const known = addContext(task, options.context, createInvalidStart);
  if (known.files.length > 0)
    throw createInvalidStart('Invalid context: a workflow passes texts. Start a chain with files by the client.');
  const earlier = toEarlierMessages(options.messages);
  const input: ChainInput = {
    ...{ rules: currentRules, agent, task: known.task, model, tenant, user, roles },
    ...parseDataClasses(options.dataClass, createInvalidStart),
    ...(options.awaitAgent === true ? { awaitAgent: true } : {}),
    limits: parseLimitOptions(limits, createInvalidStart),
    ...(earlier === null ? {} : { earlier }),
    ...(plan === undefined ? {} : { plan }),
  };
  checkInputSize(input, createInvalidStart);
  return input;
}

function checkOwnOptions({ endAfter, parentClosePolicy = 'REQUEST_CANCEL' }: RunAgentOptions): void {
  const problem = endAfter === undefined ? null : checkDuration(endAfter, 'endAfter');
  if (problem !== null) throw createInvalidStart(`${problem}.`);
  if (parentClosePolicy === 'REQUEST_CANCEL' || parentClosePolicy === 'ABANDON') return;
  throw createInvalidStart(
    `Invalid \`parentClosePolicy\` ${JSON.stringify(parentClosePolicy)}: expected 'REQUEST_CANCEL' or 'ABANDON'.`,
  );
}

export function toExecutionTimeout({ endAfter }: RunAgentOptions): { readonly workflowExecutionTimeout?: number } {
  return endAfter === undefined ? {} : { workflowExecutionTimeout: toTimeout(toMilliseconds(endAfter)) };
}

/** An error of another class would repeat the workflow task instead of ending the workflow. */
function createInvalidStart(message: string): ApplicationFailure {
  return ApplicationFailure.nonRetryable(message, failureTypes.invalidStart);
}

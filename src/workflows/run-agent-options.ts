/** The options of `runAgent`, and the input of the chain that they start. */

import { ApplicationFailure } from '@temporalio/common';
import { failureTypes, toTimeout } from '../contract/index.js';
import { validatePlanTemplate } from '../core/engine/index.js';
import { type ChainInput, currentRules } from '../core/model/index.js';
import {
  type ChainOptions,
  checkDuration,
  checkInputSize,
  checkStartOptions,
  parseDataClasses,
  parseLimitOptions,
  parseMetadata,
  parseTask,
  type TaskInput,
  toEarlierMessages,
  toMilliseconds,
} from '../options/index.js';

export interface RunAgentOptions extends ChainOptions {
  /** Task queue of the agent's workers. Default: the task queue of this workflow. */
  readonly taskQueue?: string | undefined;
  /** What the agent knows beside the task: a text, or texts by name. They become part of the task, in frames. */
  readonly context?: string | { readonly [name: string]: string } | undefined;
  /**
   * What happens to the chain when this workflow closes before it: `REQUEST_CANCEL` cancels it, `ABANDON` lets it continue.
   * Default `REQUEST_CANCEL`. Under both, a cancel of this workflow cancels the chain.
   */
  readonly parentClosePolicy?: 'REQUEST_CANCEL' | 'ABANDON' | undefined;
}

/** @throws {ApplicationFailure} `longhand.InvalidStart` */
export function toChildInput(agent: string, task: TaskInput, options: RunAgentOptions): ChainInput {
  if (typeof agent !== 'string' || agent.trim() === '') throw createInvalidStart('The name of the agent is empty.');
  checkStartOptions(options, createInvalidStart);
  checkOwnOptions(options);
  const { model = null, limits = {}, tenant = null, user = null, roles = [], plan } = options;
  const problem = plan === undefined ? null : validatePlanTemplate(plan);
  if (problem !== null) throw createInvalidStart(`Invalid plan: ${problem}.`);
  const known = parseTask(task, options, createInvalidStart);
  if (known.files.length > 0)
    throw createInvalidStart('Invalid context: a workflow passes texts. Start a chain with files by the client.');
  const earlier = toEarlierMessages(known.messages);
  const input: ChainInput = {
    ...{ rules: currentRules, agent, task: known.task, model, tenant, user, roles },
    ...parseMetadata(options.metadata, createInvalidStart),
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

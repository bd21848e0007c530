/** Starts the workflow of a chain, with the summary and details that Temporal's Web UI shows. */

import type { Client } from '@temporalio/client';
import type { SearchAttributePair } from '@temporalio/common';
import { createKeywordKey, setTenant, workflowType } from '../../contract/index.js';
import { validatePlanTemplate } from '../../core/engine/index.js';
import { findNearest, omitUndefined } from '../../core/lib/index.js';
import { type ChainInput, currentRules, defaults, type PlanTemplate } from '../../core/model/index.js';
import {
  checkInputSize,
  parseDataClasses,
  parseDuration,
  parseLimitOptions,
  parseMetadata,
  parseTask,
  toEarlierMessages,
} from '../../options/index.js';
import { createInvalidInput, ForkError, InvalidInputError, isSearchAttributeMissing } from '../errors/errors.js';
import { toPriority } from './priority.js';
import type { StartableAgent, StartInput, StartOptions } from './start-options.js';
import type { ContentWriter } from './task-files.js';

/** The start of a chain as Temporal takes it, for a start now or by a schedule. */
export interface WorkflowStart {
  readonly input: ChainInput;
  readonly action: {
    readonly args: readonly [ChainInput, ...(readonly Uint8Array[])];
    readonly staticSummary: string;
    readonly staticDetails: string;
    readonly workflowExecutionTimeout?: number;
  };
}

/**
 * Checks a start and converts it.
 *
 * @param write stores a file that is too large for a start; null without a store
 */
export async function createWorkflowStart(
  startInput: Omit<StartInput, 'chainId' | 'taskQueue'>,
  options: StartOptions,
  write: ContentWriter | null,
): Promise<WorkflowStart> {
  if (startInput.origin?.message?.trim() === '')
    throw new ForkError("The fork's message is empty. Write a message, or omit it.");
  const { task, files: contents, messages } = parseTask(startInput.task, options, createInvalidInput);
  // Loaded with the first start, before anything is written. The texts find secrets, the files read PDFs: most of a client's code.
  const [{ formatStart }, sent] = await Promise.all([
    import('./start-texts.js'),
    contents.length === 0 ? null : import('./task-files.js'),
  ]);
  const files = startInput.files ?? sent?.toStoredFiles(contents) ?? [];
  const start = { ...startInput, task, files };
  const earlier = startInput.earlier ?? toEarlierMessages(messages);
  checkPlan(start.agent, options.plan);
  const input: ChainInput = {
    rules: currentRules,
    agent: start.agent.name,
    task,
    ...parseMetadata(options.metadata, createInvalidInput),
    ...parseDataClasses(options.dataClass, createInvalidInput),
    ...(options.awaitAgent === true ? { awaitAgent: true } : {}),
    model: options.model ?? null,
    limits: parseLimitOptions(options.limits ?? {}, createInvalidInput),
    tenant: options.tenant ?? null,
    user: options.user ?? null,
    roles: options.roles ?? [],
    ...(files.length === 0 ? {} : { files }),
    ...(earlier === null ? {} : { earlier }),
    ...omitUndefined({ thread: start.thread, origin: start.origin, plan: options.plan, shownAs: start.shownAs }),
  };
  const inputBytes = checkSize(input);
  const beside = (await sent?.sendContents(contents, inputBytes, write)) ?? [];
  const endAfterMs = options.endAfter === undefined ? undefined : parseDuration(options.endAfter, 'endAfter');
  return {
    input,
    action: {
      args: [input, ...beside],
      ...formatStart(input, start, options),
      ...omitUndefined({ workflowExecutionTimeout: endAfterMs }),
    },
  };
}

/** @param write as for `createWorkflowStart` */
export async function startWorkflow(
  client: Client,
  start: StartInput,
  options: StartOptions,
  write: ContentWriter | null = null,
): Promise<void> {
  const { input, action } = await createWorkflowStart(start, options, write);
  setTenant(client.options.loadedDataConverter, start.chainId, input.tenant);
  const begin = (typedSearchAttributes: SearchAttributePair[]) =>
    client.workflow.start(workflowType, {
      ...action,
      args: [...action.args],
      workflowId: start.chainId,
      taskQueue: start.taskQueue,
      ...toPriority(input.tenant, options.priority ?? start.agent.definition?.priority),
      workflowIdConflictPolicy: options.ifExists === 'join' ? 'USE_EXISTING' : 'FAIL',
      workflowIdReusePolicy: options.ifExists === 'again' ? 'ALLOW_DUPLICATE' : 'REJECT_DUPLICATE',
      ...(typedSearchAttributes.length > 0 ? { typedSearchAttributes } : {}),
    });
  try {
    await begin(createAttributes(start, options));
  } catch (error) {
    if (!isSearchAttributeMissing(error)) throw error;
    await begin([]);
  }
}

/** Returns the bytes of the input. @throws {InvalidInputError} {ForkError} when it is too large */
function checkSize(input: ChainInput): number {
  const { origin } = input;
  if (origin === undefined) return checkInputSize(input, createInvalidInput);
  return checkInputSize(
    input,
    (_, bytes) =>
      new ForkError(
        `The first ${origin.steps} steps of chain ${origin.chainId} have ${bytes} bytes; Temporal's limit is ${defaults.payloadBytes}. Fork it at an earlier step.`,
      ),
  );
}

function createAttributes(
  { agent, chainId, origin, thread }: StartInput,
  { tenant }: StartOptions,
): SearchAttributePair[] {
  return [
    ...createSharedAttributes(agent, tenant),
    { key: createKeywordKey('LonghandRoot'), value: chainId },
    { key: createKeywordKey('LonghandThread'), value: thread?.id ?? chainId },
    ...(origin === undefined ? [] : [{ key: createKeywordKey('LonghandOrigin'), value: origin.chainId }]),
  ];
}

/** Attributes that all chains of a schedule have at their start. The others contain the id of the chain, which adds them. */
export function createSharedAttributes({ name }: StartableAgent, tenant: string | undefined): SearchAttributePair[] {
  return [
    { key: createKeywordKey('LonghandAgent'), value: name },
    { key: createKeywordKey('LonghandStatus'), value: 'running' },
    ...(tenant === undefined ? [] : [{ key: createKeywordKey('LonghandTenant'), value: tenant }]),
  ];
}

interface PlanningAgent {
  readonly name: string;
  /** Absent when the definition is elsewhere: its worker checks the plan then. */
  readonly strategy?: { readonly name: string };
  readonly tools?: readonly { readonly name: string }[];
}

/**
 * Checks the first plan of a chain.
 *
 * @throws {InvalidInputError} when the plan is invalid, or the agent's strategy uses no plan
 */
function checkPlan({ name, strategy, tools }: PlanningAgent, plan: PlanTemplate | undefined): void {
  if (plan === undefined) return;
  const problem = validatePlanTemplate(plan);
  if (problem !== null) throw new InvalidInputError(`Invalid plan: ${problem}.`);
  checkConfirmTools(plan, tools?.map((tool) => tool.name) ?? []);
  if (strategy === undefined || strategy.name === 'plan') return;
  throw new InvalidInputError(
    `Agent ${name} does not use plans: its strategy is '${strategy.name}'. Set \`strategy: 'plan'\`, or omit the plan.`,
  );
}

/**
 * Rejects a misspelt name in `confirm`: no call would be confirmed. A name unlike the agent's tools may be another
 * agent's tool.
 */
function checkConfirmTools({ tasks }: PlanTemplate, tools: readonly string[]): void {
  for (const { id, confirm } of tasks) {
    const unknown = confirm.find((tool) => !tools.includes(tool) && findNearest(tool, tools) !== null);
    if (unknown === undefined) continue;
    throw new InvalidInputError(
      `Invalid plan: task ${id} confirms calls of ${unknown}, which is not a tool of the agent. Did you mean ${findNearest(unknown, tools)}?`,
    );
  }
}

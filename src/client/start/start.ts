/** Starts the workflow of a chain, with the summary and details that Temporal's Web UI shows. */

import type { Client } from '@temporalio/client';
import type { SearchAttributePair } from '@temporalio/common';
import { createKeywordKey, setTenant, workflowType } from '../../contract/index.js';
import { type AgentType, validatePlanTemplate } from '../../core/engine/index.js';
import { findNearest, omitUndefined, toOneLine, toPlainText } from '../../core/lib/index.js';
import {
  type ChainInput,
  currentRules,
  defaults,
  describeLimits,
  type EarlierMessages,
  formatFile,
  getDefaultSteps,
  type Origin,
  type PartialLimits,
  type PlanTemplate,
  type StoredFile,
  type ThreadRef,
  type VisibilitySource,
} from '../../core/model/index.js';
import {
  createSnippetMasker,
  listInheritedSensitiveTexts,
  type SnippetMasker,
  webUiSummaryLength,
} from '../../core/view/index.js';
import {
  addContext,
  type ChainOptions,
  checkInputSize,
  checkTaskText,
  parseDataClasses,
  parseDuration,
  parseLimitOptions,
  type TaskContext,
  toEarlierMessages,
  toStoredLimits,
} from '../../options/index.js';
import { createInvalidInput, ForkError, InvalidInputError, isSearchAttributeMissing } from '../errors/errors.js';
import { type ContentWriter, sendContents, toStoredFiles } from './task-files.js';

export interface StartOptions extends ChainOptions {
  /**
   * What `start` does when a chain with this id exists: `error` throws, `join` returns that chain, running or ended,
   * and `again` runs it again once it has ended. Default `error`: a message that arrives twice does not repeat the
   * work.
   */
  readonly ifExists?: 'error' | 'join' | 'again' | undefined;
  /**
   * What the agent knows beside the task: a text, or texts and files by name, such as their paths. A text becomes part of
   * the chain's task, in a frame of its own. Bytes are a file: the model gets images and PDFs if it can read them, and a
   * description of any other.
   *
   * @example
   * await longhand.start(clerk, 'Read this receipt', { context: { 'receipt.png': await readFile('receipt.png') } });
   */
  readonly context?: TaskContext | undefined;
}

/**
 * An agent as `defineAgent` returns it, or only its name when the definition is elsewhere. Either way, a chain is started with
 * the name: the worker that takes it runs its own definition of this name.
 */
export interface StartableAgent extends AgentType {
  readonly definition?: { readonly model?: string };
  readonly strategy?: { readonly name: string };
  readonly tools?: readonly { readonly name: string }[];
  readonly limits?: PartialLimits;
}

export function toStartable(agent: string | StartableAgent): StartableAgent {
  return typeof agent === 'string' ? { name: agent } : agent;
}

export interface StartInput {
  readonly agent: StartableAgent;
  readonly task: string;
  readonly chainId: string;
  readonly taskQueue: string;
  /** First steps of a fork. */
  readonly origin?: Origin;
  /** Earlier messages of a fork or a follow-up. */
  readonly earlier?: EarlierMessages;
  /** Place of a follow-up in its thread. */
  readonly thread?: ThreadRef;
  /** Files of a fork: those of its origin. */
  readonly files?: readonly StoredFile[];
  /** Set for the fork of a sub-chain. */
  readonly shownAs?: VisibilitySource;
}

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
  checkTaskText(startInput.task, createInvalidInput);
  if (startInput.origin?.message?.trim() === '')
    throw new ForkError("The fork's message is empty. Write a message, or omit it.");
  const { task, files: contents } = addContext(startInput.task, options.context, createInvalidInput);
  const files = startInput.files ?? toStoredFiles(contents);
  const start = { ...startInput, task, files };
  const earlier = startInput.earlier ?? toEarlierMessages(options.messages);
  checkPlan(start.agent, options.plan);
  const input: ChainInput = {
    rules: currentRules,
    agent: start.agent.name,
    task: start.task,
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
  const beside = await sendContents(contents, checkSize(input), write);
  const endAfterMs = options.endAfter === undefined ? undefined : parseDuration(options.endAfter, 'endAfter');
  const masker = createSnippetMasker(listInheritedSensitiveTexts(input));
  return {
    input,
    action: {
      args: [input, ...beside],
      // Temporal's own tools print both unescaped.
      staticSummary: toOneLine(masker.line(start.task, webUiSummaryLength)),
      staticDetails: toPlainText(formatDetails(start, options, masker)),
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

/** Details for the Web UI. The summary shows the task; a task too long for it is repeated here in full. */
function formatDetails(
  { agent, task, files = [], origin, thread }: Omit<StartInput, 'chainId' | 'taskQueue'>,
  options: StartOptions,
  masker: SnippetMasker,
): string {
  const model = options.model ?? agent.definition?.model;
  const who = [
    `**Agent** ${agent.name}`,
    ...(model ? [`**model** ${model}`] : []),
    ...formatRequester(options, masker),
  ].join(' · ');
  const whole = task.length <= webUiSummaryLength ? [] : [`> ${masker.block(task, 4_000).replace(/\n/g, '\n> ')}`];
  const from = origin === undefined ? [] : [`**Forked from** ${origin.chainId} at step ${origin.steps}`];
  const after =
    thread === undefined ? [] : [`**Follows** ${thread.follows} · **thread** ${thread.id}, chain ${thread.number}`];
  const attached =
    files.length === 0 ? [] : [`**Files** ${files.map((file) => masker.line(formatFile(file), 200)).join(' · ')}`];
  return [who, ...from, ...after, ...attached, `**Limits** ${formatStartLimits(agent, options)}`, ...whole].join(
    '\n\n',
  );
}

/**
 * Formats the limits of the start. Without the definition, only the options' own limits are known: those in force are in
 * the current details, as soon as a worker has prepared the agent. The default cost limit is set by the worker, which knows
 * the prices.
 */
function formatStartLimits({ definition, strategy, limits }: StartableAgent, options: StartOptions): string {
  const own = { ...limits, ...toStoredLimits(options.limits ?? {}) };
  if (definition === undefined)
    return [describeLimits(own), "the agent's own, in the current details"]
      .filter((part) => part !== '')
      .join('; else ');
  const steps = getDefaultSteps(strategy);
  return describeLimits({ steps, tokens: defaults.tokens, timeMs: defaults.timeMs, ...own });
}

function formatRequester({ tenant, user, roles = [] }: StartOptions, masker: SnippetMasker): readonly string[] {
  return [
    ...(tenant ? [`**tenant** ${tenant}`] : []),
    ...(user ? [`**user** ${masker.line(user, 100)}`] : []),
    ...(roles.length === 0 ? [] : [`**roles** ${masker.line(roles.join(', '), 200)}`]),
  ];
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

/** Starts the workflow of a chain, with what the Web UI shows of it from the first moment. */

import type { Client, WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import type { SearchAttributePair } from '@temporalio/common';
import { workflowType } from '../../contract/names.js';
import { setTenant } from '../../contract/payloads.js';
import { createKeywordKey } from '../../contract/search-attributes.js';
import { findNearest } from '../../core/lib/nearest.js';
import { toOneLine, toPlainText } from '../../core/lib/plain-text.js';
import { defaults } from '../../core/model/defaults.js';
import { type ChainInput, currentRules } from '../../core/model/fact.js';
import { describeLimits, getDefaultSteps, type PartialLimits, validateLimits } from '../../core/model/limits.js';
import type { VisibilitySource } from '../../core/model/lineage.js';
import type { Origin } from '../../core/model/origin.js';
import type { PlanTemplate } from '../../core/model/plan.js';
import { validatePlanTemplate } from '../../core/plan/validate-plan.js';
import { listInheritedSensitiveTexts } from '../../core/view/ancestry.js';
import { createSnippetMasker, type SnippetMasker, webUiSummaryLength } from '../../core/view/snippet-masker.js';
import { ForkError, InvalidInputError, isSearchAttributeMissing } from '../errors/errors.js';

export interface StartOptions {
  /** Also the workflow's id, at most 200 bytes. Default: the agent's name and a random part. */
  readonly chainId?: string | undefined;
  /**
   * What to do when there is a chain of this id: throw, give that one back, running or ended, or, once it has ended, run
   * again. Default `'error'`: what was done once for an order is not done again because a message came twice.
   */
  readonly ifExists?: 'error' | 'join' | 'again' | undefined;
  /** Instead of the agent's model. */
  readonly model?: string | undefined;
  /** Instead of the agent's limits, one by one. */
  readonly limits?: PartialLimits | undefined;
  /** For whom. Who holds the server's credentials is trusted to say. */
  readonly tenant?: string | undefined;
  readonly user?: string | undefined;
  readonly roles?: readonly string[] | undefined;
  /** The plan to begin with, for an agent with the strategy `plan`: a workflow's `plan()` makes one. Default: it makes its own. */
  readonly plan?: PlanTemplate | undefined;
  /**
   * Milliseconds after which Temporal ends the chain, whatever it is doing: for one that only workers serve which may be
   * gone for good. Default: never; the time limit needs a worker to keep it.
   */
  readonly endAfterMs?: number | undefined;
}

/** As `defineAgent` makes it, or its name alone, where the definition is elsewhere. */
export interface StartableAgent {
  readonly name: string;
  readonly definition?: { readonly model: string };
  readonly strategy?: { readonly name: string };
  readonly tools?: readonly { readonly name: string }[];
  readonly limits?: PartialLimits;
}

export interface StartInput {
  readonly agent: StartableAgent;
  readonly task: string;
  readonly chainId: string;
  readonly taskQueue: string;
  /** Of a chain that goes on with another's steps. */
  readonly origin?: Origin;
  /** Of a fork of a sub-chain. */
  readonly shownAs?: VisibilitySource;
}

export async function startWorkflow(
  client: Client,
  start: StartInput,
  options: StartOptions,
): Promise<WorkflowHandleWithFirstExecutionRunId> {
  const input: ChainInput = {
    rules: currentRules,
    agent: start.agent.name,
    task: start.task,
    model: options.model ?? null,
    limits: options.limits ?? {},
    tenant: options.tenant ?? null,
    user: options.user ?? null,
    roles: options.roles ?? [],
    ...(start.origin === undefined ? {} : { origin: start.origin }),
    ...(options.plan === undefined ? {} : { plan: options.plan }),
    ...(start.shownAs === undefined ? {} : { shownAs: start.shownAs }),
  };
  checkTaskText(start);
  checkPlan(start.agent, options.plan);
  const wrong = validateLimits(input.limits);
  if (wrong !== null) throw new InvalidInputError(wrong);
  checkSize(input);
  const shown = createSnippetMasker(listInheritedSensitiveTexts(input));
  setTenant(client.options.loadedDataConverter, start.chainId, input.tenant);
  const begin = (typedSearchAttributes: SearchAttributePair[]) =>
    client.workflow.start(workflowType, {
      workflowId: start.chainId,
      taskQueue: start.taskQueue,
      args: [input],
      workflowIdConflictPolicy: options.ifExists === 'join' ? 'USE_EXISTING' : 'FAIL',
      workflowIdReusePolicy: options.ifExists === 'again' ? 'ALLOW_DUPLICATE' : 'REJECT_DUPLICATE',
      // Temporal's own tools print both as they are.
      staticSummary: toOneLine(shown.line(start.task, webUiSummaryLength)),
      staticDetails: toPlainText(formatDetails(start, options, shown)),
      ...(options.endAfterMs === undefined ? {} : { workflowExecutionTimeout: options.endAfterMs }),
      ...(typedSearchAttributes.length > 0 ? { typedSearchAttributes } : {}),
    });
  try {
    return await begin(createAttributes(start, options));
  } catch (error) {
    if (!isSearchAttributeMissing(error)) throw error;
    return begin([]);
  }
}

/** Providers refuse a conversation in which nothing is said. */
function checkTaskText({ task, origin }: StartInput): void {
  if (typeof task !== 'string') {
    const given = task === undefined ? 'missing' : `a value of type ${typeof task}`;
    throw new TypeError(`The task is ${given}: say in a text what the agent is to do.`);
  }
  if (task.trim() === '') throw new InvalidInputError('The task is empty: say what the agent is to do.');
  if (origin?.message?.trim() === '') {
    throw new ForkError('The message of the fork is empty: say what to go on with, or leave it out.');
  }
}

/** Temporal would terminate the chain, or retry its start for ever. */
function checkSize(input: ChainInput): void {
  const bytes = Buffer.byteLength(JSON.stringify(input));
  if (bytes <= defaults.payloadBytes) return;
  if (input.origin !== undefined) {
    const { steps, chainId } = input.origin;
    throw new ForkError(
      `The first ${steps} steps of chain ${chainId} take ${bytes} bytes; Temporal stores ${defaults.payloadBytes} at most. Fork it at an earlier step.`,
    );
  }
  throw new InvalidInputError(
    `The task has ${bytes} bytes; Temporal stores ${defaults.payloadBytes} at most. Put what is long where a tool can read it.`,
  );
}

/** The task is the summary; what does not fit there is given whole. */
function formatDetails({ agent, task, origin }: StartInput, options: StartOptions, shown: SnippetMasker): string {
  const model = options.model ?? agent.definition?.model;
  const who = [
    `**Agent** ${agent.name}`,
    ...(model ? [`**model** ${model}`] : []),
    ...formatRequester(options, shown),
  ].join(' · ');
  const whole = task.length <= webUiSummaryLength ? [] : [`> ${shown.block(task, 4_000).replace(/\n/g, '\n> ')}`];
  const from = origin === undefined ? [] : [`**Forked from** ${origin.chainId} at step ${origin.steps}`];
  return [who, ...from, `**Limits** ${formatStartLimits(agent, options)}`, ...whole].join('\n\n');
}

/**
 * What holds when the definition is at hand; of an agent known by name alone, what this chain has differently. Which models
 * have a price, and so a cost limit that nobody set, the worker knows.
 */
function formatStartLimits({ definition, strategy, limits }: StartableAgent, options: StartOptions): string {
  const own = { ...limits, ...options.limits };
  if (definition === undefined)
    return [describeLimits(own), "else the agent's own"].filter((part) => part !== '').join('; ');
  const steps = getDefaultSteps(strategy);
  return describeLimits({ steps, tokens: defaults.tokens, timeMs: defaults.timeMs, ...own });
}

function formatRequester({ tenant, user }: StartOptions, shown: SnippetMasker): readonly string[] {
  return [...(tenant ? [`**tenant** ${tenant}`] : []), ...(user ? [`**user** ${shown.line(user, 100)}`] : [])];
}

function createAttributes({ agent, chainId, origin }: StartInput, { tenant }: StartOptions): SearchAttributePair[] {
  return [
    { key: createKeywordKey('LonghandAgent'), value: agent.name },
    { key: createKeywordKey('LonghandStatus'), value: 'running' },
    { key: createKeywordKey('LonghandRoot'), value: chainId },
    ...(tenant === undefined ? [] : [{ key: createKeywordKey('LonghandTenant'), value: tenant }]),
    ...(origin === undefined ? [] : [{ key: createKeywordKey('LonghandOrigin'), value: origin.chainId }]),
  ];
}

interface PlanningAgent {
  readonly name: string;
  /** Absent where the definition is elsewhere: its worker sees then. */
  readonly strategy?: { readonly name: string };
  readonly tools?: readonly { readonly name: string }[];
}

/**
 * Checks the plan that a chain is to begin with.
 *
 * @throws {RangeError} for a plan that cannot be worked by, or that the agent would not look at
 */
function checkPlan({ name, strategy, tools }: PlanningAgent, plan: PlanTemplate | undefined): void {
  if (plan === undefined) return;
  const wrong = validatePlanTemplate(plan);
  if (wrong !== null) throw new InvalidInputError(`The plan cannot be worked by: ${wrong}.`);
  checkConfirmTools(plan, tools?.map((tool) => tool.name) ?? []);
  if (strategy === undefined || strategy.name === 'plan') return;
  throw new InvalidInputError(
    `${name} does not work by a plan: its strategy is '${strategy.name}'. Give it \`strategy: 'plan'\`, or start it without one.`,
  );
}

/** A name that is misspelt would have nothing confirmed. One of another agent's tools is no fault: there is nothing to confirm. */
function checkConfirmTools({ tasks }: PlanTemplate, tools: readonly string[]): void {
  for (const { id, confirm } of tasks) {
    const unknown = confirm.find((tool) => !tools.includes(tool) && findNearest(tool, tools) !== null);
    if (unknown === undefined) continue;
    throw new InvalidInputError(
      `The plan cannot be worked by: ${id} wants calls of ${unknown} confirmed, which is no tool of the agent's; you may mean ${findNearest(unknown, tools)}.`,
    );
  }
}

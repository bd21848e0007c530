/** Starts the workflow of a chain, with what the Web UI shows of it from the first moment. */

import type { Client, WorkflowHandleWithFirstExecutionRunId } from '@temporalio/client';
import type { SearchAttributePair } from '@temporalio/common';
import { workflowType } from '../../contract/names.js';
import { tellTenant } from '../../contract/payloads.js';
import { keyword } from '../../contract/search-attributes.js';
import { nearest } from '../../core/lib/nearest.js';
import { oneLine, plain } from '../../core/lib/plain.js';
import { defaults } from '../../core/model/defaults.js';
import { type ChainInput, currentRules } from '../../core/model/fact.js';
import { limitsText, problemWithLimits, type SomeLimits, stepsBy } from '../../core/model/limits.js';
import type { ShownAs } from '../../core/model/lineage.js';
import type { Origin } from '../../core/model/origin.js';
import type { PlanTemplate } from '../../core/model/plan.js';
import { problemWithPlan } from '../../core/plan/check-plan.js';
import { sensitiveGiven } from '../../core/view/descent.js';
import { createShown, type Shown, summaryLength } from '../../core/view/snippet-masker.js';
import { ForkError, isUnregistered, RequestError } from '../errors/errors.js';

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
  readonly limits?: SomeLimits | undefined;
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
  readonly limits?: SomeLimits;
}

export interface Start {
  readonly agent: StartableAgent;
  readonly task: string;
  readonly chainId: string;
  readonly taskQueue: string;
  /** Of a chain that goes on with another's steps. */
  readonly origin?: Origin;
  /** Of a fork of a sub-chain. */
  readonly shownAs?: ShownAs;
}

export async function startWorkflow(
  client: Client,
  start: Start,
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
  checkSaid(start);
  checkPlan(start.agent, options.plan);
  const wrong = problemWithLimits(input.limits);
  if (wrong !== null) throw new RequestError(wrong);
  checkSize(input);
  const shown = createShown(sensitiveGiven(input));
  tellTenant(client.options.loadedDataConverter, start.chainId, input.tenant);
  const begin = (typedSearchAttributes: SearchAttributePair[]) =>
    client.workflow.start(workflowType, {
      workflowId: start.chainId,
      taskQueue: start.taskQueue,
      args: [input],
      workflowIdConflictPolicy: options.ifExists === 'join' ? 'USE_EXISTING' : 'FAIL',
      workflowIdReusePolicy: options.ifExists === 'again' ? 'ALLOW_DUPLICATE' : 'REJECT_DUPLICATE',
      // Temporal's own tools print both as they are.
      staticSummary: oneLine(shown.line(start.task, summaryLength)),
      staticDetails: plain(details(start, options, shown)),
      ...(options.endAfterMs === undefined ? {} : { workflowExecutionTimeout: options.endAfterMs }),
      ...(typedSearchAttributes.length > 0 ? { typedSearchAttributes } : {}),
    });
  try {
    return await begin(attributes(start, options));
  } catch (error) {
    if (!isUnregistered(error)) throw error;
    return begin([]);
  }
}

/** Providers refuse a conversation in which nothing is said. */
function checkSaid({ task, origin }: Start): void {
  if (typeof task !== 'string') {
    const given = task === undefined ? 'missing' : `a value of type ${typeof task}`;
    throw new TypeError(`The task is ${given}: say in a text what the agent is to do.`);
  }
  if (task.trim() === '') throw new RequestError('The task is empty: say what the agent is to do.');
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
  throw new RequestError(
    `The task has ${bytes} bytes; Temporal stores ${defaults.payloadBytes} at most. Put what is long where a tool can read it.`,
  );
}

/** The task is the summary; what does not fit there is given whole. */
function details({ agent, task, origin }: Start, options: StartOptions, shown: Shown): string {
  const model = options.model ?? agent.definition?.model;
  const who = [`**Agent** ${agent.name}`, ...(model ? [`**model** ${model}`] : []), ...forWhom(options, shown)].join(
    ' · ',
  );
  const whole = task.length <= summaryLength ? [] : [`> ${shown.block(task, 4_000).replace(/\n/g, '\n> ')}`];
  const from = origin === undefined ? [] : [`**Forked from** ${origin.chainId} at step ${origin.steps}`];
  return [who, ...from, `**Limits** ${limitsOf(agent, options)}`, ...whole].join('\n\n');
}

/**
 * What holds when the definition is at hand; of an agent known by name alone, what this chain has differently. Which models
 * have a price, and so a cost limit that nobody set, the worker knows.
 */
function limitsOf({ definition, strategy, limits }: StartableAgent, options: StartOptions): string {
  const own = { ...limits, ...options.limits };
  if (definition === undefined)
    return [limitsText(own), "else the agent's own"].filter((part) => part !== '').join('; ');
  const steps = stepsBy(strategy);
  return limitsText({ steps, tokens: defaults.tokens, timeMs: defaults.timeMs, ...own });
}

function forWhom({ tenant, user }: StartOptions, shown: Shown): readonly string[] {
  return [...(tenant ? [`**tenant** ${tenant}`] : []), ...(user ? [`**user** ${shown.line(user, 100)}`] : [])];
}

function attributes({ agent, chainId, origin }: Start, { tenant }: StartOptions): SearchAttributePair[] {
  return [
    { key: keyword('LonghandAgent'), value: agent.name },
    { key: keyword('LonghandStatus'), value: 'running' },
    { key: keyword('LonghandRoot'), value: chainId },
    ...(tenant === undefined ? [] : [{ key: keyword('LonghandTenant'), value: tenant }]),
    ...(origin === undefined ? [] : [{ key: keyword('LonghandOrigin'), value: origin.chainId }]),
  ];
}

interface Planning {
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
function checkPlan({ name, strategy, tools }: Planning, plan: PlanTemplate | undefined): void {
  if (plan === undefined) return;
  const wrong = problemWithPlan(plan);
  if (wrong !== null) throw new RequestError(`The plan cannot be worked by: ${wrong}.`);
  checkConfirmed(plan, tools?.map((tool) => tool.name) ?? []);
  if (strategy === undefined || strategy.name === 'plan') return;
  throw new RequestError(
    `${name} does not work by a plan: its strategy is '${strategy.name}'. Give it \`strategy: 'plan'\`, or start it without one.`,
  );
}

/** A name that is misspelt would have nothing confirmed. One of another agent's tools is no fault: there is nothing to confirm. */
function checkConfirmed({ tasks }: PlanTemplate, tools: readonly string[]): void {
  for (const { id, confirm } of tasks) {
    const unknown = confirm.find((tool) => !tools.includes(tool) && nearest(tool, tools) !== null);
    if (unknown === undefined) continue;
    throw new RequestError(
      `The plan cannot be worked by: ${id} wants calls of ${unknown} confirmed, which is no tool of the agent's; you may mean ${nearest(unknown, tools)}.`,
    );
  }
}

/**
 * Chains that are reset at random: any of their runs, at any workflow task, repeatedly, open or closed. An unsafe tool records
 * each effect with the request in which the model called the tool: the request shows what the chain knew then.
 */

import { randomUUID } from 'node:crypto';
import { Context } from '@temporalio/activity';
import { vi } from 'vitest';
import { z } from 'zod';
import { defineAgent } from '../../../src/agents/define-agent.js';
import { CommandRejectedError, type Longhand } from '../../../src/entries/client.js';
import { defineTool } from '../../../src/tools/define/define-tool.js';
import type { RecordedRequest } from '../../support/messages-server.js';
import { type Random, randomFrom } from '../../support/random.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { look } from '../../support/tools.js';

interface Effect {
  readonly mark: string;
  /** The argument of its call, which no two requests share. */
  readonly whom: string;
  readonly request: number;
}

interface Scenario {
  readonly random: Random;
  /** The request of the model in which each call was made, by the call's argument. */
  readonly callRequests: Map<string, { readonly request: number; readonly seen: string }>;
  readonly effects: Effect[];
  /** Calls that a person resolved as not happened since the last reset. */
  denied: Set<string>;
  requests: number;
  /** The reasons of the requests to people, for the report of a problem. */
  readonly reasons: string[];
  readonly problems: string[];
}

export interface Counted {
  scenarios: number;
  resets: number;
  effects: number;
  /** Requests to people, and those of them that were needless because the chain knew every effect. */
  decisions: number;
  needlessDecisions: number;
  runs: number;
  /** Effects that were repeated without a decision by a person, although the chain did not know an earlier one. */
  readonly repeated: string[];
}

/** Creates the agent, the replies of its model, and a function that runs a scenario with both. */
export function createScenarios() {
  const scenarios = new Map<string, Scenario>();
  const getScenario = (name: string): Scenario => {
    const found = scenarios.get(name);
    if (found === undefined) throw new Error(`Scenario ${name} is unknown.`);
    return found;
  };

  const pay = defineTool({
    name: 'pay',
    description: 'Pays',
    inputSchema: z.object({ scenario: z.string(), whom: z.string() }),
    effects: 'unsafe',
    approval: false,
    execute: ({ scenario: name, whom }) => {
      const scenario = getScenario(name);
      const { activityId } = Context.current().info;
      const { request, seen } = scenario.callRequests.get(whom) ?? { request: -1, seen: '' };
      const unknown = listUnknownEffects(scenario, { whom, request, seen });
      if (unknown.length > 0 && !scenario.denied.has(activityId)) {
        const reasons = scenario.reasons.join(' | ');
        scenario.problems.push(
          `${name}: call ${activityId} paid without knowledge of ${unknown.join(', ')}. Requests: ${reasons}`,
        );
      }
      const mark = `paid-${scenario.effects.length}.`;
      scenario.effects.push({ mark, whom, request });
      return mark;
    },
  });
  const agent = defineAgent({ name: 'resetting', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [pay, look] });

  const replies = ({ body }: RecordedRequest): ScriptedReply => {
    const seen = JSON.stringify(body.messages);
    const name = /Scenario (\S+?)\./.exec(seen)?.[1] ?? '';
    const scenario = getScenario(name);
    const request = scenario.requests++;
    const steps = body.messages.filter(({ role }) => role === 'assistant').length;
    const draw = scenario.random();
    if (steps > 7 || draw < 0.1) return { text: 'Done.' };
    const payment = () => {
      const whom = `w${scenario.callRequests.size}`;
      scenario.callRequests.set(whom, { request, seen });
      return { name: 'pay', input: { scenario: name, whom } };
    };
    const looking = { name: 'look', input: { place: request } };
    if (draw < 0.45) return { text: 'I look.', calls: [looking] };
    if (draw < 0.9) return { text: 'I pay.', calls: [payment()] };
    return { text: 'I pay twice.', calls: [payment(), looking, payment()] };
  };

  async function run(longhand: Longhand, name: string, seed: number, counted: Counted): Promise<void> {
    const random = randomFrom(seed);
    const scenario: Scenario = {
      random,
      callRequests: new Map(),
      effects: [],
      denied: new Set(),
      requests: 0,
      reasons: [],
      problems: counted.repeated,
    };
    scenarios.set(name, scenario);
    const chain = await longhand.start(agent, `Scenario ${name}.`);
    const resets = 1 + Math.floor(random() * 4);
    for (let reset = 0; reset <= resets; reset++) {
      const until = reset === resets ? 'end' : chooseFrom(random, ['end', 'end', 'request', 'soon'] as const);
      await letRun(longhand, chain.chainId, { scenario, counted }, until);
      if (reset < resets && (await resetSomewhere(longhand, chain.chainId, random))) {
        scenario.denied = new Set();
        counted.resets += 1;
      }
    }
    counted.scenarios += 1;
    counted.effects += scenario.effects.length;
    counted.runs += (await listRuns(longhand, chain.chainId)).length;
  }

  return { agent, replies, run };
}

/**
 * Returns the marks of effects that the request of a call does not show. Calls of the same request do not count, because they
 * run at the same time. Of a call that the reset interrupted, a request shows the decision of a person.
 */
function listUnknownEffects(
  { effects }: Scenario,
  call: { readonly whom: string; readonly request: number; readonly seen: string },
): readonly string[] {
  const isUnknown = ({ whom, request }: Effect) =>
    whom === call.whom || (request !== call.request && !call.seen.includes(`"${whom}"`));
  return effects.filter(isUnknown).map(({ mark }) => mark);
}

/** Runs the chain until it ends, waits for a person, or has called the model a few times more. */
async function letRun(
  longhand: Longhand,
  chainId: string,
  { scenario, counted }: { readonly scenario: Scenario; readonly counted: Counted },
  until: 'end' | 'request' | 'soon',
): Promise<void> {
  const enough =
    until === 'soon' ? scenario.requests + 1 + Math.floor(scenario.random() * 4) : Number.POSITIVE_INFINITY;
  for (;;) {
    const chain = longhand.getHandle(chainId);
    const { status, requests } = await vi.waitUntil(
      async () => {
        const { status } = await chain.describe();
        const requests = await chain.listRequests();
        const stops = status === 'ended' || requests.length > 0 || scenario.requests >= enough;
        return stops ? { status, requests } : null;
      },
      { timeout: 60_000, interval: 30 },
    );
    const [request] = requests;
    if (request === undefined || status === 'ended') return;
    counted.decisions += 1;
    const { steps } = await chain.read();
    const call = steps.flatMap(({ calls }) => calls).findLast(({ id }) => id === request.call);
    const { whom = '' } = (call?.input ?? {}) as { readonly whom?: string };
    const callRequest = scenario.callRequests.get(whom);
    if (callRequest !== undefined && listUnknownEffects(scenario, { whom, ...callRequest }).length === 0)
      counted.needlessDecisions += 1;
    scenario.reasons.push(`${request.call}: ${request.reason}`);
    if (until !== 'end') return;
    const outcome = chooseFrom(scenario.random, ['not_happened', 'not_happened', 'happened'] as const);
    if (outcome === 'not_happened') scenario.denied.add(request.call);
    // The server sends the decisions after the cut to the new run again, which may decide first.
    await chain.resolveOutcome(request.call, outcome, { by: 'ana' }).catch((error: unknown) => {
      if (!(error instanceof CommandRejectedError && error.rejection === 'call_not_waiting')) throw error;
    });
  }
}

/** Resets a random run of the chain at a random workflow task. Returns false if the server rejects the reset. */
async function resetSomewhere(longhand: Longhand, workflowId: string, random: Random): Promise<boolean> {
  const { client } = longhand;
  const runId = chooseFrom(random, await listRuns(longhand, workflowId));
  const events = (await client.workflow.getHandle(workflowId, runId).fetchHistory()).events ?? [];
  const tasks = events.filter(
    (event) => event.workflowTaskCompletedEventAttributes ?? event.workflowTaskStartedEventAttributes,
  );
  if (tasks.length === 0) return false;
  try {
    await client.connection.workflowService.resetWorkflowExecution({
      namespace: client.options.namespace,
      workflowExecution: { workflowId, runId },
      reason: 'an attack',
      workflowTaskFinishEventId: chooseFrom(random, tasks).eventId ?? null,
      requestId: randomUUID(),
    });
    return true;
  } catch (error) {
    if (error instanceof Error && /INVALID_ARGUMENT|FAILED_PRECONDITION/.test(error.message)) return false;
    throw error;
  }
}

export async function listRuns({ client }: Longhand, workflowId: string): Promise<readonly string[]> {
  const runs: string[] = [];
  for await (const { runId } of client.workflow.list({ query: `WorkflowId = '${workflowId}'` })) runs.push(runId);
  return runs.sort();
}

function chooseFrom<T>(random: Random, values: readonly T[]): T {
  return values[Math.floor(random() * values.length)] as T;
}

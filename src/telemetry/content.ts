/**
 * What was said, in the form that the conventions give it. It is the view that a developer has of the chain, by the
 * function that every other outlet shows (L8): thoughts, calls and results, redacted, and not the bytes of a prompt.
 *
 * Marks are numbered over the chain from its start, whichever worker writes the span.
 */

import type { Json } from '../core/lib/json.js';
import type { Chain } from '../core/model/chain.js';
import type { Observation } from '../core/model/fact.js';
import type { Reply } from '../core/model/model.js';
import { updatePlan } from '../core/plan/update-plan.js';
import { settleCurrentReply } from '../core/state/budget.js';
import { recordEntries } from '../core/state/entry.js';
import { createCall, createStep } from '../core/state/step.js';
import { getStrategy } from '../core/strategies/index.js';
import { buildReasoning } from '../core/view/build-reasoning.js';
import type { StepView } from '../core/view/reasoning-view.js';
import { view } from '../core/view/view.js';
import { createViewer, type VisibilityConfig } from '../core/view/visibility.js';
import { contentAttributes as names } from './conventions.js';

type RecordedContent = Readonly<Record<string, string>>;

/** Of a call of the model: what it was shown, and what it said, if it did. */
export function toChatContent(
  chain: Chain,
  system: string,
  reply: Reply | null,
  config: VisibilityConfig,
): RecordedContent {
  const after = buildReasoning(reply === null ? chain : addReply(chain, reply));
  // Instructions are no part of a view. As a partial answer, which this chain has not, they pass the same mask.
  const { task, steps, partial } = view({ ...after, partial: system }, createViewer('developer'), config);
  const before = chain.steps.length;
  const asked = { role: 'user', parts: [toTextPart(task)] };
  const shown = [asked, ...toMessages(steps.filter(({ number }) => number <= before))];
  const parts = steps.filter(({ number, kind }) => number > before && kind !== 'notice').flatMap(toParts);
  return {
    [names.input]: JSON.stringify(shown),
    ...(reply === null
      ? {}
      : { [names.output]: JSON.stringify([{ role: 'assistant', parts, finish_reason: reply.stopReason }]) }),
    ...(partial === null ? {} : { [names.system]: JSON.stringify([toTextPart(partial)]) }),
  };
}

/** Of a call of a tool; without what it came to, if it failed. */
export function toToolContent(
  chain: Chain,
  call: string,
  observation: Observation | null,
  config: VisibilityConfig,
): RecordedContent {
  const after = buildReasoning(observation === null ? chain : addObservation(chain, call, observation));
  const found: Record<string, string> = {};
  for (const step of view(after, createViewer('developer'), config).steps) {
    if (step.level !== 'full') continue;
    if (step.kind === 'tool_call' && step.id === call) found[names.toolArguments] = JSON.stringify(step.input);
    if (step.kind === 'tool_result' && step.correlationId === call && observation !== null)
      found[names.toolResult] = JSON.stringify(step.observation);
  }
  return found;
}

/** The chain as it will be once the reply is a fact. */
function addReply(chain: Chain, reply: Reply): Chain {
  const { state, steps } = chain;
  const { agent, now } = state;
  if (agent === null) return chain;
  const said = getStrategy(agent.strategy).parse(reply, agent, () => null);
  const { reading } = updatePlan(state, agent, { reading: said });
  const number = steps.length + 1;
  const calls = reading.calls.map((each, index) => createCall(number, index, each, now));
  const times = { modelCall: state.modelCalls, startedAt: now, endedAt: now };
  const { usage, charged } = settleCurrentReply(state, reply, reading.content);
  const step = createStep(number, agent, { model: reply.model, usage, charged, reading }, calls, times);
  return recordEntries(chain, state, [{ type: 'step-added', at: now, step }]);
}

function addObservation(chain: Chain, call: string, { content, clippedFrom }: Observation): Chain {
  const { state } = chain;
  const settled = { call, status: 'ok', observation: content, clippedFrom } as const;
  return recordEntries(chain, state, [{ type: 'call-completed', at: state.now, tool: '', result: settled }]);
}

/** Steps that one side said after another are one message of it. What people say to a chain, the model hears. */
function toMessages(steps: readonly StepView[]): readonly Json[] {
  const messages: { readonly role: string; readonly parts: Json[] }[] = [];
  for (const step of steps) {
    const parts = toParts(step);
    if (parts.length === 0) continue;
    const role = step.kind === 'tool_result' ? 'tool' : step.kind === 'notice' ? 'user' : 'assistant';
    const last = messages.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else messages.push({ role, parts: [...parts] });
  }
  return messages;
}

/** Notices and requests are for people: the model is told nothing of them. What came of a request, the result says. */
function toParts(step: StepView): readonly Json[] {
  if (step.level === 'hidden' || step.kind === 'approval') return [];
  if (step.kind === 'notice') return step.level === 'full' && step.notice === 'message' ? [toTextPart(step.text)] : [];
  if (step.level === 'summary') return [toTextPart(step.summary)];
  switch (step.kind) {
    case 'thinking':
      return step.thought === null ? [] : [toTextPart(step.thought)];
    case 'synthesis':
      return [toTextPart(step.conclusion)];
    case 'tool_call':
      return [{ type: 'tool_call', id: step.id, name: step.tool, arguments: step.input }];
    case 'tool_result':
      return [{ type: 'tool_call_response', id: step.correlationId, response: step.observation }];
  }
}

function toTextPart(content: Json): Json {
  return { type: 'text', content };
}

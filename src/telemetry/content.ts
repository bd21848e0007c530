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
import { takePlan } from '../core/plan/take-plan.js';
import { settleUnderWay } from '../core/state/budget.js';
import { record } from '../core/state/entry.js';
import { newCall, newStep } from '../core/state/step.js';
import { strategyOf } from '../core/strategies/index.js';
import { reason } from '../core/view/reason.js';
import type { StepView } from '../core/view/reasoning-view.js';
import { view } from '../core/view/view.js';
import { type VisibilityConfig, viewerOf } from '../core/view/visibility.js';
import { contentAttributes as names } from './conventions.js';

type Recorded = Readonly<Record<string, string>>;

/** Of a call of the model: what it was shown, and what it said, if it did. */
export function ofChat(chain: Chain, system: string, reply: Reply | null, config: VisibilityConfig): Recorded {
  const after = reason(reply === null ? chain : withReply(chain, reply));
  // Instructions are no part of a view. As a partial answer, which this chain has not, they pass the same mask.
  const { task, steps, partial } = view({ ...after, partial: system }, viewerOf('developer'), config);
  const before = chain.steps.length;
  const asked = { role: 'user', parts: [text(task)] };
  const shown = [asked, ...messagesOf(steps.filter(({ number }) => number <= before))];
  const parts = steps.filter(({ number, kind }) => number > before && kind !== 'notice').flatMap(partsOf);
  return {
    [names.input]: JSON.stringify(shown),
    ...(reply === null
      ? {}
      : { [names.output]: JSON.stringify([{ role: 'assistant', parts, finish_reason: reply.stopReason }]) }),
    ...(partial === null ? {} : { [names.system]: JSON.stringify([text(partial)]) }),
  };
}

/** Of a call of a tool; without what it came to, if it failed. */
export function ofTool(
  chain: Chain,
  call: string,
  observation: Observation | null,
  config: VisibilityConfig,
): Recorded {
  const after = reason(observation === null ? chain : withObservation(chain, call, observation));
  const found: Record<string, string> = {};
  for (const step of view(after, viewerOf('developer'), config).steps) {
    if (step.level !== 'full') continue;
    if (step.kind === 'tool_call' && step.id === call) found[names.toolArguments] = JSON.stringify(step.input);
    if (step.kind === 'tool_result' && step.correlationId === call && observation !== null)
      found[names.toolResult] = JSON.stringify(step.observation);
  }
  return found;
}

/** The chain as it will be once the reply is a fact. */
function withReply(chain: Chain, reply: Reply): Chain {
  const { state, steps } = chain;
  const { agent, now } = state;
  if (agent === null) return chain;
  const said = strategyOf(agent.strategy).interpret(reply, agent, () => null);
  const { reading } = takePlan(state, agent, { reading: said });
  const number = steps.length + 1;
  const calls = reading.calls.map((each, index) => newCall(number, index, each, now));
  const times = { modelCall: state.modelCalls, startedAt: now, endedAt: now };
  const { usage, charged } = settleUnderWay(state, reply, reading.content);
  const step = newStep(number, agent, { model: reply.model, usage, charged, reading }, calls, times);
  return record(chain, state, [{ type: 'step', at: now, step }]);
}

function withObservation(chain: Chain, call: string, { content, clippedFrom }: Observation): Chain {
  const { state } = chain;
  const settled = { call, status: 'ok', observation: content, clippedFrom } as const;
  return record(chain, state, [{ type: 'observation', at: state.now, tool: '', settled }]);
}

/** Steps that one side said after another are one message of it. What people say to a chain, the model hears. */
function messagesOf(steps: readonly StepView[]): readonly Json[] {
  const messages: { readonly role: string; readonly parts: Json[] }[] = [];
  for (const step of steps) {
    const parts = partsOf(step);
    if (parts.length === 0) continue;
    const role = step.kind === 'tool_result' ? 'tool' : step.kind === 'notice' ? 'user' : 'assistant';
    const last = messages.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else messages.push({ role, parts: [...parts] });
  }
  return messages;
}

/** Notices and requests are for people: the model is told nothing of them. What came of a request, the result says. */
function partsOf(step: StepView): readonly Json[] {
  if (step.level === 'hidden' || step.kind === 'approval') return [];
  if (step.kind === 'notice') return step.level === 'full' && step.notice === 'message' ? [text(step.text)] : [];
  if (step.level === 'summary') return [text(step.summary)];
  switch (step.kind) {
    case 'thinking':
      return step.thought === null ? [] : [text(step.thought)];
    case 'synthesis':
      return [text(step.conclusion)];
    case 'tool_call':
      return [{ type: 'tool_call', id: step.id, name: step.tool, arguments: step.input }];
    case 'tool_result':
      return [{ type: 'tool_call_response', id: step.correlationId, response: step.observation }];
  }
}

function text(content: Json): Json {
  return { type: 'text', content };
}

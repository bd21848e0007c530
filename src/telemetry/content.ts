/**
 * Content of calls in the form of the conventions. It is a developer's view of the chain, from the same function as
 * every other outlet (L8): thoughts, calls and results, masked, not the bytes of a prompt.
 *
 * Marks are numbered from the chain's start, on every worker.
 */

import { createCall, createStep, recordEntries, settleCurrentReply, updatePlan } from '../core/engine/index.js';
import type { Json } from '../core/lib/index.js';
import type { Chain, Observation, Reply } from '../core/model/index.js';
import { getStrategy } from '../core/strategies/index.js';
import {
  buildReasoning,
  createViewer,
  type EarlierView,
  type StepView,
  type VisibilityConfig,
  view,
} from '../core/view/index.js';
import { contentAttributes as names } from './conventions.js';

type RecordedContent = Readonly<Record<string, string>>;

/** Returns the content of a model call: its input and its output, if any. */
export function toChatContent(
  chain: Chain,
  system: string,
  reply: Reply | null,
  config: VisibilityConfig,
): RecordedContent {
  const after = buildReasoning(reply === null ? chain : addReply(chain, reply));
  // Instructions are not part of a view. As a partial answer, which this chain does not have, they are masked equally.
  const { task, earlier, steps, partial } = view({ ...after, partial: system }, createViewer('developer'), config);
  const before = chain.steps.length;
  const input = { role: 'user', parts: [toTextPart(task)] };
  const inputMessages = [
    ...toEarlierMessages(earlier),
    input,
    ...toMessages(steps.filter(({ number }) => number <= before)),
  ];
  const parts = steps.filter(({ number, kind }) => number > before && kind !== 'notice').flatMap(toParts);
  return {
    [names.input]: JSON.stringify(inputMessages),
    ...(reply === null
      ? {}
      : { [names.output]: JSON.stringify([{ role: 'assistant', parts, finish_reason: reply.stopReason }]) }),
    ...(partial === null ? {} : { [names.system]: JSON.stringify([toTextPart(partial)]) }),
  };
}

/** Returns the content of a tool call; without a result if it failed. */
export function toToolContent(
  chain: Chain,
  call: string,
  observation: Observation | null,
  config: VisibilityConfig,
): RecordedContent {
  const after = buildReasoning(observation === null ? chain : addObservation(chain, call, observation));
  const attributes: Record<string, string> = {};
  for (const step of view(after, createViewer('developer'), config).steps) {
    if (step.level !== 'full') continue;
    if (step.kind === 'tool_call' && step.id === call) attributes[names.toolArguments] = JSON.stringify(step.input);
    if (step.kind === 'tool_result' && step.correlationId === call && observation !== null)
      attributes[names.toolResult] = JSON.stringify(step.observation);
  }
  return attributes;
}

/** Returns the chain as it will be after the reply. */
function addReply(chain: Chain, reply: Reply): Chain {
  const { state, steps } = chain;
  const { agent, now } = state;
  if (agent === null) return chain;
  const parsed = getStrategy(agent.strategy).parse(reply, agent, () => null);
  const { reading } = updatePlan(state, agent, { reading: parsed });
  const number = steps.length + 1;
  const calls = reading.calls.map((call, index) => createCall(number, index, call, now));
  const times = { modelCall: state.modelCalls, startedAt: now, endedAt: now };
  const { usage, price, charged } = settleCurrentReply(state, reply, reading.content);
  const step = createStep(number, { provider: null, model: reply.model, usage, price, charged, reading }, calls, times);
  return recordEntries(chain, state, [{ type: 'step-added', at: now, step }]);
}

function addObservation(chain: Chain, call: string, { content, clippedFrom }: Observation): Chain {
  const { state } = chain;
  const settled = { call, status: 'ok', observation: content, clippedFrom } as const;
  return recordEntries(chain, state, [{ type: 'call-completed', at: state.now, tool: '', result: settled }]);
}

function toEarlierMessages(earlier: EarlierView | undefined): readonly Json[] {
  return (earlier?.messages ?? []).flatMap(({ role, text }) =>
    text === null ? [] : [{ role, parts: [toTextPart(text)] }],
  );
}

/** Converts steps to messages; consecutive steps of one role are one message. The model sees people's messages. */
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

/**
 * Converts a step to parts. Omits notices and requests, which the model does not see; a request's effect is in the
 * result.
 */
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

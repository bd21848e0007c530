/**
 * A chain as a conversation with native tool use, the way the Messages wire wants it: every `tool_use`
 * has its `tool_result` in the message after it, nothing said is empty, thinking goes back unchanged.
 */

import { renderLabelledText } from '../lib/frame-text.js';
import { toOneLine } from '../lib/plain-text.js';
import type { CallStatus, Chain, Step } from '../model/chain.js';
import {
  type ModelMessage,
  type ReplyBlock,
  removeThinking,
  type TextBlock,
  type ToolResultBlock,
  type ToolUseBlock,
} from '../model/model.js';
import { isFromOtherModel } from '../state/fork.js';
import { renderObservation } from '../state/observation.js';

export function renderConversation(chain: Chain): readonly ModelMessage[] {
  const task = chain.state.input?.task ?? '';
  const messages: ModelMessage[] = [
    {
      role: 'user',
      content: [toTextBlock(task), ...renderPlanGuidance(chain, 0), ...renderPeopleMessageBlocks(chain, 0)],
    },
  ];
  for (const step of chain.steps) {
    const spoken = [...step.pausedContent, ...step.content];
    const said = removeUnsendable(isFromOtherModel(chain.state, step.number) ? removeThinking(spoken) : spoken);
    if (said.length > 0) messages.push({ role: 'assistant', content: said });
    const heard = [
      ...renderToolResults(chain, step, said),
      ...renderCorrection(step),
      ...renderPlanGuidance(chain, step.number),
      ...renderPeopleMessageBlocks(chain, step.number),
    ];
    if (heard.length > 0) messages.push({ role: 'user', content: heard });
  }
  const paused = removeUnsendable(chain.pausedContent);
  if (paused.length > 0) messages.push({ role: 'assistant', content: paused });
  return messages;
}

/** A message may neither hold empty text nor consist of thinking alone. */
function removeUnsendable(content: readonly ReplyBlock[]): readonly ReplyBlock[] {
  const blocks = content.filter((block) => block.type !== 'text' || block.text.trim() !== '');
  const last = blocks.findLastIndex((block) => block.type === 'text' || block.type === 'tool_use');
  return blocks.slice(0, last + 1);
}

function renderToolResults(chain: Chain, step: Step, said: readonly ReplyBlock[]): readonly ToolResultBlock[] {
  const uses = said.filter((block): block is ToolUseBlock => block.type === 'tool_use');
  return uses.map((use): ToolResultBlock => {
    const call = step.calls.find(({ useId }) => useId === use.id);
    // Besides calls of tools there is the one that ends a chain: a chain that goes on after it was given the answer.
    const ended = call === undefined && step.answer !== null;
    const text = call === undefined ? (ended ? 'Received.' : 'Not run.') : renderObservation(chain, call);
    const failed = call === undefined ? !ended : !usableStatuses.has(call.status);
    return { type: 'tool_result', tool_use_id: use.id, content: text, ...(failed ? { is_error: true } : {}) };
  });
}

/** What the model may go on with. A denial is to be heeded like a failure. */
const usableStatuses: ReadonlySet<CallStatus> = new Set(['ok', 'reused', 'answered']);

function renderCorrection(step: Step): readonly TextBlock[] {
  return step.problem === null ? [] : [toTextBlock(step.problem)];
}

function renderPlanGuidance({ guidance }: Chain, step: number): readonly TextBlock[] {
  return guidance.filter(({ afterStep }) => afterStep === step).map(({ text }) => toTextBlock(text));
}

function renderPeopleMessageBlocks(chain: Chain, step: number): readonly TextBlock[] {
  return renderPeopleMessages(chain, step).map(toTextBlock);
}

function toTextBlock(text: string): TextBlock {
  return { type: 'text', text };
}

/** What a reply says of its reasons: its text where there is one, else what the model thought. */
export function findThought(content: readonly ReplyBlock[]): string | null {
  const text = joinText(content);
  if (text !== '') return text;
  const thinking = content.flatMap((block) => (block.type === 'thinking' ? [block.thinking] : [])).join('\n');
  return thinking.trim() === '' ? null : thinking.trim();
}

export function joinText(content: readonly ReplyBlock[]): string {
  return content
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
    .join('\n')
    .trim();
}

/**
 * Behind the last step stands also what was said while an attempt at the next one was in the air: the next attempt hears it.
 *
 * @param step the one behind which it was said; 0 for what was said before the first
 */
export function renderPeopleMessages({ messages, steps }: Chain, step: number): readonly string[] {
  const last = step === (steps.at(-1)?.number ?? 0);
  return messages
    .filter(({ afterStep }) => afterStep === step || (last && afterStep > step))
    .map(({ by, text }) => renderLabelledText(`Message from ${toOneLine(by ?? 'the user')}`, text));
}

/**
 * A chain as a conversation with native tool use, the way the Messages wire wants it: every `tool_use`
 * has its `tool_result` in the message after it, nothing said is empty, thinking goes back unchanged.
 */

import { labelled } from '../lib/framed.js';
import { oneLine } from '../lib/plain.js';
import type { CallStatus, Chain, Step } from '../model/chain.js';
import {
  type Message,
  type ReplyBlock,
  type TextBlock,
  type ToolResultBlock,
  type ToolUseBlock,
  withoutThinking,
} from '../model/model.js';
import { saidByAnother } from '../state/forked.js';
import { observationText } from '../state/observation.js';

export function conversation(chain: Chain): readonly Message[] {
  const task = chain.state.input?.task ?? '';
  const messages: Message[] = [
    { role: 'user', content: [textBlock(task), ...heardOfPlan(chain, 0), ...heardFromPeople(chain, 0)] },
  ];
  for (const step of chain.steps) {
    const spoken = [...step.pausedContent, ...step.content];
    const said = speakable(saidByAnother(chain.state, step.number) ? withoutThinking(spoken) : spoken);
    if (said.length > 0) messages.push({ role: 'assistant', content: said });
    const heard = [
      ...results(chain, step, said),
      ...correction(step),
      ...heardOfPlan(chain, step.number),
      ...heardFromPeople(chain, step.number),
    ];
    if (heard.length > 0) messages.push({ role: 'user', content: heard });
  }
  const paused = speakable(chain.paused);
  if (paused.length > 0) messages.push({ role: 'assistant', content: paused });
  return messages;
}

/** A message may neither hold empty text nor consist of thinking alone. */
function speakable(content: readonly ReplyBlock[]): readonly ReplyBlock[] {
  const blocks = content.filter((block) => block.type !== 'text' || block.text.trim() !== '');
  const last = blocks.findLastIndex((block) => block.type === 'text' || block.type === 'tool_use');
  return blocks.slice(0, last + 1);
}

function results(chain: Chain, step: Step, said: readonly ReplyBlock[]): readonly ToolResultBlock[] {
  const uses = said.filter((block): block is ToolUseBlock => block.type === 'tool_use');
  return uses.map((use): ToolResultBlock => {
    const call = step.calls.find(({ useId }) => useId === use.id);
    // Besides calls of tools there is the one that ends a chain: a chain that goes on after it was given the answer.
    const ended = call === undefined && step.answer !== null;
    const text = call === undefined ? (ended ? 'Received.' : 'Not run.') : observationText(chain, call);
    const failed = call === undefined ? !ended : !good.has(call.status);
    return { type: 'tool_result', tool_use_id: use.id, content: text, ...(failed ? { is_error: true } : {}) };
  });
}

/** What the model may go on with. A denial is to be heeded like a failure. */
const good: ReadonlySet<CallStatus> = new Set(['ok', 'reused', 'answered']);

function correction(step: Step): readonly TextBlock[] {
  return step.problem === null ? [] : [textBlock(step.problem)];
}

function heardOfPlan({ guides }: Chain, step: number): readonly TextBlock[] {
  return guides.filter(({ afterStep }) => afterStep === step).map(({ text }) => textBlock(text));
}

function heardFromPeople(chain: Chain, step: number): readonly TextBlock[] {
  return saidByPeople(chain, step).map(textBlock);
}

function textBlock(text: string): TextBlock {
  return { type: 'text', text };
}

/** What a reply says of its reasons: its text where there is one, else what the model thought. */
export function thoughtOf(content: readonly ReplyBlock[]): string | null {
  const text = textOf(content);
  if (text !== '') return text;
  const thinking = content.flatMap((block) => (block.type === 'thinking' ? [block.thinking] : [])).join('\n');
  return thinking.trim() === '' ? null : thinking.trim();
}

export function textOf(content: readonly ReplyBlock[]): string {
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
export function saidByPeople({ messages, steps }: Chain, step: number): readonly string[] {
  const last = step === (steps.at(-1)?.number ?? 0);
  return messages
    .filter(({ afterStep }) => afterStep === step || (last && afterStep > step))
    .map(({ by, text }) => labelled(`Message from ${oneLine(by ?? 'the user')}`, text));
}

/**
 * A chain as a conversation with native tool use, the way the Messages wire wants it: every `tool_use`
 * has its `tool_result` in the message after it, nothing said is empty, thinking goes back unchanged.
 */

import type { Chain, Step } from '../chain.js';
import type { Message, ReplyBlock, TextBlock, ToolResultBlock, ToolUseBlock } from '../model.js';
import { observationText } from './observation-text.js';

export function conversation(chain: Chain): readonly Message[] {
  const task = chain.state.input?.task ?? '';
  const messages: Message[] = [{ role: 'user', content: [{ type: 'text', text: task }] }];
  for (const step of chain.steps) {
    const said = speakable([...step.pausedContent, ...step.content]);
    if (said.length > 0) messages.push({ role: 'assistant', content: said });
    const heard = [...results(chain, step, said), ...correction(step)];
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
    const text = call === undefined ? 'Not run.' : observationText(chain, call);
    const failed = call === undefined || (call.status !== 'ok' && call.status !== 'reused');
    return { type: 'tool_result', tool_use_id: use.id, content: text, ...(failed ? { is_error: true } : {}) };
  });
}

function correction(step: Step): readonly TextBlock[] {
  return step.problem === null ? [] : [{ type: 'text', text: step.problem }];
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

/**
 * Earlier messages of a conversation, before the task: as messages of user and assistant, oldest first. A follow-up renders
 * them as the follow-up before it did, so the provider's prompt cache stays valid from chain to chain.
 */

import { selectEarlier } from '../engine/index.js';
import { formatCount } from '../lib/index.js';
import type { Chain, ModelMessage, TextBlock } from '../model/index.js';

/** @param answerLabel what the strategy writes before an answer */
export function prependEarlier(
  chain: Chain,
  messages: readonly ModelMessage[],
  answerLabel = '',
): readonly ModelMessage[] {
  const { agent } = chain.state;
  const earlier = agent === null ? null : selectEarlier(chain.state, agent.model);
  if (earlier === null) return messages;
  const before = earlier.messages
    .filter(({ text }) => text.trim() !== '')
    .map(({ role, text }) => toMessage(role, role === 'user' ? text : `${answerLabel}${text}`));
  const [task, ...rest] = messages;
  const beginning = [...renderBeginning(earlier.omitted, before[0]), ...before, ...(task === undefined ? [] : [task])];
  return [...mergeNeighbours(beginning), ...rest];
}

/** A conversation begins with a message of the user: providers reject any other. */
function renderBeginning(omitted: number, first: ModelMessage | undefined): readonly ModelMessage[] {
  if (omitted > 0) {
    const count = omitted === 1 ? '1 earlier message is' : `${formatCount(omitted)} earlier messages are`;
    return [toMessage('user', `(${count} left out.)`)];
  }
  return first?.role === 'assistant' ? [toMessage('user', '(The conversation begins with your message.)')] : [];
}

function toMessage(role: ModelMessage['role'], text: string): ModelMessage {
  const content: readonly TextBlock[] = [{ type: 'text', text }];
  return role === 'user' ? { role, content } : { role, content };
}

/** Roles must alternate. */
function mergeNeighbours(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const merged: ModelMessage[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (last === undefined || last.role !== message.role) merged.push(message);
    else merged[merged.length - 1] = { ...last, content: [...last.content, ...message.content] } as ModelMessage;
  }
  return merged;
}

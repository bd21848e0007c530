/** The last call of a chain that has reached a limit: no tools, a short summing-up. */

import type { Message, ModelRequest, TextBlock } from '../model/model.js';

export function closingRequest(request: ModelRequest, reason: string): ModelRequest {
  const ask: TextBlock = {
    type: 'text',
    text: `${reason} You cannot go on. Sum up in a few sentences, as plain text, what you have found out so far and what is still missing. Do not call a tool.`,
  };
  return { ...request, messages: withText(request.messages, ask), toolChoice: 'none', stopSequences: [] };
}

/** Roles take turns: what the person says last joins the message that is already theirs. */
function withText(messages: readonly Message[], block: TextBlock): readonly Message[] {
  const last = messages.at(-1);
  if (last?.role !== 'user') return [...messages, { role: 'user', content: [block] }];
  return [...messages.slice(0, -1), { role: 'user', content: [...last.content, block] }];
}

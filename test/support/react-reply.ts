/** Replies in the text protocol of `react`. */

import type { Json } from '../../src/index.js';
import type { CompleteReply } from './scripted-reply.js';

/** Returns a reply that requests one call. */
export function acts(thought: string, tool: string, input: Json): CompleteReply {
  return { text: `Thought: ${thought}\nAction: ${tool}\nAction Input: ${JSON.stringify(input)}` };
}

export function answers(thought: string, answer: string): CompleteReply {
  return { text: `Thought: ${thought}\nFinal Answer: ${answer}` };
}

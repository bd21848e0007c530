/** Replies in the text protocol of `react`. */

import type { Json } from '../../src/index.js';
import type { SpokenReply } from './scripted-reply.js';

/** Asks for one call. */
export function acts(thought: string, tool: string, input: Json): SpokenReply {
  return { text: `Thought: ${thought}\nAction: ${tool}\nAction Input: ${JSON.stringify(input)}` };
}

export function answers(thought: string, answer: string): SpokenReply {
  return { text: `Thought: ${thought}\nFinal Answer: ${answer}` };
}

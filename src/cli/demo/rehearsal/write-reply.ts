/** A move as the model says it: in the labelled text of `react`, or with native tool use. */

import { asText } from '../../../core/lib/json.js';
import type { ReplyBlock } from '../../../core/model/model.js';
import type { Move } from './play.js';
import type { RehearsedRequest } from './read-request.js';

/** What `autonomous` agents are given to end with, unless they rename it. */
const finishTool = 'finish';

export function writeReply(move: Move, request: RehearsedRequest): readonly ReplyBlock[] {
  if ('stuck' in move) return [text(move.stuck)];
  return request.protocol === 'react' ? [text(inLabels(move))] : natively(move, request);
}

type Going = Exclude<Move, { readonly stuck: string }>;

function inLabels(move: Going): string {
  const thought = `Thought: ${move.thought}\n`;
  if ('answer' in move) return `${thought}Final Answer: ${asText(move.answer)}`;
  return `${thought}Action: ${move.call.tool}\nAction Input: ${JSON.stringify(move.call.input)}`;
}

function natively(move: Going, { seen, tools }: RehearsedRequest): readonly ReplyBlock[] {
  // One call a reply: the number of results so far makes its id unique.
  const id = `toolu_rehearsed_${seen.length + 1}`;
  if (!('answer' in move)) {
    return [text(move.thought), { type: 'tool_use', id, name: move.call.tool, input: move.call.input }];
  }
  const { answer } = move;
  if (typeof answer === 'string' || !tools.includes(finishTool)) return [text(asText(answer))];
  return [text(move.thought), { type: 'tool_use', id, name: finishTool, input: answer }];
}

function text(words: string): ReplyBlock {
  return { type: 'text', text: words };
}

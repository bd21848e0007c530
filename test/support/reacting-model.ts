/**
 * A model that knows nothing but its request. It makes its moves in order, each until its result is in the request. Where the
 * request lacks what a move needs, such as a rule of the prompt or the description of a tool, it answers without it, wrongly.
 */

import type { Json } from '../../src/index.js';
import type { RecordedRequest, Script } from './messages-server.js';
import type { CompleteReply } from './scripted-reply.js';

export interface Move {
  /** Texts that must be in the request. */
  readonly needs?: readonly string[];
  /** A text of the result: the move is made until the request has it. Absent for the last move. */
  readonly until?: string;
  readonly reply: CompleteReply | ((request: string) => CompleteReply);
}

/** What a model without its prompt would write, in any strategy. */
export const lostAnswer = 'I do not know what to do.';

export function reacts(...moves: readonly Move[]): Script {
  return (request) => reactTo(request, moves);
}

export function reactTo({ body }: Pick<RecordedRequest, 'body'>, moves: readonly Move[]): CompleteReply {
  const request = listTexts([body.system ?? '', [...(body.tools ?? [])], body.messages as unknown as Json]).join('\n');
  const move = moves.find(({ until }) => until === undefined || !request.includes(until));
  if (move === undefined || move.needs?.some((text) => !request.includes(text)))
    return { text: `Thought: I am lost.\nFinal Answer: ${lostAnswer}` };
  return typeof move.reply === 'function' ? move.reply(request) : move.reply;
}

/** All texts of the request, so that quotes in them are plain. */
export function listTexts(value: Json): readonly string[] {
  if (typeof value === 'string') return [value];
  if (value === null || typeof value !== 'object') return [String(value)];
  return Object.entries(value).flatMap(([name, member]) => [name, ...listTexts(member as Json)]);
}

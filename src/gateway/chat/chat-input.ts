/** What a client of either protocol sends: a message of the user, or answers to the requests of a chain. */

import type { ChatAnswer } from './chat-answer.js';
import { parseRequestId } from './chat-ids.js';
import type { ChatTurn } from './open-turn.js';

export type ChatInput =
  | ({ readonly kind: 'turn' } & Pick<ChatTurn, 'after' | 'messages' | 'earlier' | 'intent'>)
  /** The client answers requests of a chain, whose message it continues. */
  | {
      readonly kind: 'continue';
      readonly chainId: string;
      readonly answers: readonly ChatAnswer[];
      /** Calls of the chain that the client's messages have. */
      readonly clientCalls: ReadonlySet<string>;
    };

/** Returns the calls of a chain among ids that the client has. */
export function findCalls(chainId: string, ids: readonly unknown[]): ReadonlySet<string> {
  const parsed = ids.map((id) => (typeof id === 'string' ? parseRequestId(id) : null));
  return new Set(parsed.flatMap((request) => (request?.chainId === chainId ? [request.call] : [])));
}

/** Removes what a stream repeats after it connected again: tokens have no id, so the gateway sends a reply from its start. */

import type { StreamedChainEvent } from '../schemas/event.js';
import type { ParsedEvent } from './read-events.js';

type TokenEvent = Extract<StreamedChainEvent, { type: 'token' }>;

/** Returns a function that returns null for a repeated event. */
export function createRepeatFilter(): (event: ParsedEvent) => ParsedEvent | null {
  let newest = { reply: '', characters: 0 };
  return (event) => {
    if (event.event !== 'token') return event;
    const token = event.data as TokenEvent;
    const reply = `${token.step} ${token.call}`;
    const known = newest.reply === reply ? newest.characters : 0;
    const end = token.offset + token.text.length;
    if (end <= known) return null;
    newest = { reply, characters: end };
    if (token.offset >= known) return event;
    return { ...event, data: { ...token, text: token.text.slice(known - token.offset), offset: known, missing: 0 } };
  };
}

/** What is said to a running chain. Anyone with the server's credentials can say anything: it is read here, once. */

import { shorten } from '../core/display.js';
import { isObject, type Json } from '../core/json.js';

export interface CancelRequest {
  /** The same however often the request is sent. The first reason to stop stays, so a repeat changes nothing. */
  readonly id: string;
  readonly by: string | null;
  readonly reason: string | null;
}

/** Whatever came, as a request: who and why where they were said in so many words. Never throws. */
export function readCancel(said: unknown): CancelRequest {
  const { id, by, reason } = isObject(said) ? said : {};
  return { id: words(id, 200) ?? 'unnamed', by: words(by, 200), reason: words(reason, 1_000) };
}

function words(said: Json | undefined, characters: number): string | null {
  return typeof said === 'string' ? shorten(said, characters) : null;
}

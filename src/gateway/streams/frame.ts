/** An event of a chain as the bytes that its followers get. A format encodes each event once, for all of them. */

import type { WatchEvent } from '../../client/index.js';
import type { RunPosition } from './position-id.js';

export interface Frame {
  readonly bytes: Uint8Array;
  /** Of a recorded event: its id. Null for an event that is not recorded, which has no id. */
  readonly position: RunPosition | null;
  /** What an event that is not recorded is about. Null for a recorded event, which stays. */
  readonly topic: Topic | null;
  /** Whether a follower that has not got an event about this topic needs it no more; null for none. */
  readonly replaces: ((topic: Topic) => boolean) | null;
}

export type Topic =
  | { readonly kind: 'tokens'; readonly step: number; readonly call: string }
  /** A new event about it replaces the one before. */
  | { readonly kind: 'newest'; readonly about: string };

/** Formats the events of one watch, from its first. Returns null if the format has nothing for an event. */
export type FormatEvent = (event: WatchEvent) => Frame | null;

export interface Format {
  /** One for each watch: it remembers what it has formatted. */
  readonly create: () => FormatEvent;
  /** Whether an event is formatted by those before it: a watch that continues after a position reads them as well. */
  readonly needsEarlier: boolean;
  /** Whether it formats the ends of turns. */
  readonly needsTurns: boolean;
}

/** Whether the event is in the history, so that a client can continue after it. */
export function isRecorded(event: WatchEvent): boolean {
  if (event.type === 'token' || event.type === 'interim-result') return false;
  return event.type !== 'sub-chain-changed' || event.provisional === undefined;
}

/** Encodes once. */
export function encodeFrame(text: string): Uint8Array {
  return Buffer.from(text);
}

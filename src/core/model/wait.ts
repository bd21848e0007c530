/** Waits of calls for a time or for a signal, and the signals that programs and people send to a chain. */

import { isObject, type Json } from '../lib/index.js';

/** What an open call waits for. */
export interface CallWait {
  /** Milliseconds since 1970. A wait for a signal ends then without it. */
  readonly until: number;
  /** Name of the signal; null where only the time ends the wait. */
  readonly signal: string | null;
}

/** A signal that no call has received yet. */
export interface BufferedSignal {
  readonly name: string;
  readonly data: Json;
  /** Null for an unnamed sender. */
  readonly by: string | null;
  /** When it arrived, in milliseconds since 1970. */
  readonly at: number;
}

/** The arguments of a call that waits. */
export interface WaitInput {
  /** Null: as long as the limit allows. */
  readonly ms: number | null;
  readonly signal: string | null;
}

/** Returns null for arguments that no wait has: a person may have changed them. */
export function parseWaitInput(input: Json): WaitInput | null {
  const { seconds = null, signal = null } = isObject(input) ? input : {};
  const isTime = typeof seconds === 'number' && Number.isFinite(seconds) && seconds > 0;
  if ((seconds !== null && !isTime) || (signal !== null && !isSignalName(signal))) return null;
  if (seconds === null && signal === null) return null;
  return { ms: isTime ? Math.max(1, Math.round(seconds * 1_000)) : null, signal };
}

/** The names of signals, so that a name is one word in every outlet. */
export const signalNamePattern = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,99}$/;

export function isSignalName(name: unknown): name is string {
  return typeof name === 'string' && signalNamePattern.test(name);
}

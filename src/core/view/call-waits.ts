/** The open waits of a chain, for readers: until when, and for which signal. */

import { formatMinute, listOpenWaits } from '../engine/index.js';
import type { ChainState } from '../model/index.js';

export interface CallWaitView {
  /** Id of the waiting call. */
  readonly call: string;
  readonly kind: 'time' | 'signal';
  /** Name of the signal; null without one, or if the viewer may not see it. */
  readonly signal: string | null;
  /** When the wait ends, at the latest, in milliseconds since 1970. */
  readonly until: number;
}

export function listCallWaits(state: Pick<ChainState, 'flight' | 'stop'>): readonly CallWaitView[] {
  if (state.stop !== null) return [];
  return listOpenWaits(state).map(({ id, wait: { until, signal } }) => {
    return { call: id, kind: signal === null ? 'time' : 'signal', signal, until };
  });
}

/** `waiting until 2026-11-28 14:05 UTC`, `waiting for build-done, until 2026-11-28 14:05 UTC at most` */
export function formatCallWait({ kind, signal, until }: CallWaitView): string {
  if (kind === 'time') return `waiting until ${formatMinute(until)}`;
  return `waiting for ${signal ?? 'a signal'}, until ${formatMinute(until)} at most`;
}

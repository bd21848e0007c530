/** Interim results as events for a viewer. A piece may arrive before the history's event with its call: it waits for it. */

import type { InterimPiece } from '../../contract/index.js';
import type { LiveViewUpdate } from '../../core/view/index.js';
import type { WatchEvent } from './event.js';

type InterimEvent = Omit<Extract<WatchEvent, { type: 'interim-result' }>, 'chainId' | 'runId' | 'eventId' | 'item'>;

export interface InterimFilter {
  /** Returns the visible event of a piece, if its call is known. */
  readonly add: (piece: InterimPiece) => readonly InterimEvent[];
  /** Sets how the viewer sees interim results from now on, and returns the events of the pieces that waited. */
  readonly look: (view: LiveViewUpdate['viewInterim']) => readonly InterimEvent[];
}

/** Calls whose pieces wait: more than a step has. */
const maxWaiting = 256;

export function createInterimFilter(): InterimFilter {
  const waiting = new Map<string, InterimPiece>();
  /** Calls with a visible interim result, which the end of their attempt removes. */
  const visible = new Set<string>();
  let view: LiveViewUpdate['viewInterim'] | null = null;

  const toEvents = (piece: InterimPiece): readonly InterimEvent[] => {
    const { step, call, tool, attempt } = piece;
    const interimView = view?.(call, piece.interim) ?? { kind: 'unknown' };
    if (interimView.kind === 'unknown') waiting.set(call, piece);
    const [oldest] = waiting.keys();
    if (waiting.size > maxWaiting && oldest !== undefined) waiting.delete(oldest);
    if (interimView.kind !== 'visible' || (interimView.interim === null && !visible.has(call))) return [];
    if (interimView.interim === null) visible.delete(call);
    else visible.add(call);
    return [{ type: 'interim-result', step, call, tool, attempt, interim: interimView.interim }];
  };
  return {
    add: toEvents,
    look: (next) => {
      view = next;
      const pieces = [...waiting.values()];
      waiting.clear();
      return pieces.flatMap(toEvents);
    },
  };
}

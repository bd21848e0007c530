/**
 * Signals to calls that wait. A signal ends one wait. One that arrives before its wait is kept; of too many, the oldest are
 * dropped with a notice.
 */

import { countUtf8Bytes, toCanonicalJson } from '../../lib/index.js';
import { type BufferedSignal, type ChainState, changeState, defaults } from '../../model/index.js';
import { type Advance, andThen, applyEach, emit, unchanged } from './advance.js';
import { createNoticeEntry } from './entry.js';
import { endWait, listOpenWaits } from './waits.js';

/**
 * Ends each wait whose signal has arrived. The oldest signal of a name comes first.
 *
 * @param arriving the signal of the fact; the others were kept before
 */
export function deliverSignals(before: ChainState, arriving: BufferedSignal | null = null): Advance {
  if (before.waits.signals.length === 0) return unchanged(before);
  return applyEach(before, listOpenWaits(before), (state, call) => {
    const signal = state.waits.signals.find(({ name }) => name === call.wait.signal);
    if (signal === undefined) return unchanged(state);
    const signals = state.waits.signals.filter((other) => other !== signal);
    const { name, data, by, at } = signal;
    const sender = by === null ? {} : { by };
    const origin = signal === arriving ? {} : { kept: true };
    const content = { ended: 'signal', signal: name, data, ...sender, arrived: new Date(at).toISOString(), ...origin };
    return endWait(changeState(state, { waits: { ...state.waits, signals } }), call, content);
  });
}

/** Delivers a signal, or keeps it until a call waits for it. */
export function receiveSignal(before: ChainState, signal: Omit<BufferedSignal, 'at'>): Advance {
  const received: BufferedSignal = { ...signal, at: before.now };
  const chainState: ChainState = changeState(before, {
    waits: { ...before.waits, signals: [...before.waits.signals, received] },
  });
  const delivered = deliverSignals(chainState, received);
  if (!delivered.state.waits.signals.includes(received)) return delivered;
  const text = `Signal ${signal.name} is kept until a call waits for it.`;
  return andThen(emit(chainState, createNoticeEntry(chainState, 'signal_buffered', text)), dropOldSignals);
}

function dropOldSignals(state: ChainState): Advance {
  const [oldest, ...rest] = state.waits.signals;
  if (oldest === undefined || fitsState(state.waits.signals)) return unchanged(state);
  const text = `Signal ${oldest.name} was dropped: no call waited for it, and newer signals need its place.`;
  const next: ChainState = changeState(state, { waits: { ...state.waits, signals: rest } });
  return andThen(emit(next, createNoticeEntry(state, 'signal_dropped', text)), dropOldSignals);
}

function fitsState(signals: readonly BufferedSignal[]): boolean {
  const bytes = signals.reduce((sum, { data }) => sum + countUtf8Bytes(toCanonicalJson(data)), 0);
  return signals.length <= defaults.keptSignals && bytes <= defaults.keptSignalBytes;
}

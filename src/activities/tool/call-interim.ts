/**
 * Interim results of one attempt, on their way from its tool to the heartbeat and to followers.
 *
 * I1 A tool may emit as often as it wants: `emit` only keeps the newest value. Values are converted at most five times a
 *    second, and less often where that takes long: at most a twentieth of the time.
 * I2 Secrets are masked before a value leaves the activity, and it is clipped as the result would be.
 * I3 When the attempt ends, in any way, its interim result is shown no more: the result or the failure replaces it.
 */

import { clipObservation } from '../../core/engine/index.js';
import { type Json, measureJson } from '../../core/lib/index.js';
import { bytesPerToken, defaults, type InterimResult, type StoredParts } from '../../core/model/index.js';
import type { SecretMasker } from '../../core/redact/index.js';
import type { ToolContext } from '../../tools/define/index.js';

/** Milliseconds between two values. */
const intervalMs = 200;
/** Milliseconds after which the newest value is sent again, for followers that have begun since. */
const repeatMs = 5_000;
/** I1: the pause after a conversion, as a multiple of its time. */
const pauseFactor = 20;

export interface InterimEmitter {
  readonly emit: ToolContext['emit'];
  /** Shows nothing until the next value. */
  readonly clear: () => void;
  /** I3. Later values are ignored. */
  readonly stop: () => void;
}

export interface InterimOptions {
  /** @param sequence from 1; null in place of an interim result when the attempt has ended */
  readonly send: (interim: InterimResult | null, sequence: number) => void;
  readonly masker: SecretMasker;
  /** The visibility that the tool has set so far. */
  readonly getVisibility: () => Pick<StoredParts, 'visibility'>;
}

export function createInterimEmitter({ send, masker, getVisibility }: InterimOptions): InterimEmitter {
  let waiting: { value: unknown } | null = null;
  let last: InterimResult | null = null;
  let sequence = 0;
  let timer: NodeJS.Timeout | undefined;
  let earliest = 0;
  let isStopped = false;

  const trySend = (interim: InterimResult | null) => {
    try {
      send(interim, sequence);
    } catch {
      // A channel is the user's code, and an error here would end the worker.
    }
  };
  const schedule = (ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(flush, ms).unref();
  };
  const flush = () => {
    const begin = performance.now();
    if (waiting !== null) {
      last = toInterimResult(waiting.value, masker, getVisibility());
      waiting = null;
      sequence += 1;
    }
    if (last !== null) trySend(last);
    const end = performance.now();
    earliest = end + Math.max(intervalMs, (end - begin) * pauseFactor);
    schedule(repeatMs);
  };
  const clear = () => {
    clearTimeout(timer);
    waiting = null;
    if (last === null) return;
    last = null;
    sequence += 1;
    trySend(null);
  };
  return {
    emit: (value) => {
      if (isStopped) return;
      if (waiting !== null) {
        waiting.value = value;
        return;
      }
      waiting = { value };
      schedule(Math.max(0, earliest - performance.now()));
    },
    clear,
    stop: () => {
      isStopped = true;
      clear();
    },
  };
}

function toInterimResult(
  value: unknown,
  masker: SecretMasker,
  { visibility }: Pick<StoredParts, 'visibility'>,
): InterimResult {
  const clipped = clipInterim(masker.value(toJsonOrMark(value)));
  return visibility === undefined ? { value: clipped } : { value: clipped, visibility: { level: visibility.level } };
}

/** A byte may take six as JSON. */
function clipInterim(value: Json): Json {
  const { content } = clipObservation(value, defaults.interimBytes / bytesPerToken);
  if (measureJson(content, defaults.interimBytes).bytes <= defaults.interimBytes) return content;
  return clipObservation(content, defaults.interimBytes / (bytesPerToken * 6)).content;
}

function toJsonOrMark(value: unknown): Json {
  try {
    return JSON.parse(JSON.stringify(value) ?? 'null') as Json;
  } catch {
    return '[cannot be shown]';
  }
}

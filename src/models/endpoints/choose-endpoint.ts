/**
 * Which of several equal endpoints gets a call. Each has a share by its weight and its latency, and each conversation keeps its
 * endpoint while the shares stay, because the prompt cache is there. Pure: the caller has the clock and the measurements.
 */

import { computeDigest } from '../../core/lib/index.js';

/** An endpoint as far as the choice needs it. */
export interface EndpointLoad {
  readonly name: string;
  readonly weight: number;
  /** Milliseconds until it begins to answer; null before its first answer. */
  readonly latencyMs: number | null;
}

/** A faster answer than this is no advantage: the difference is the network's. */
const shortestLatencyMs = 100;

/** Part of a new measurement in the average: the last five calls count two thirds. */
const newShare = 0.2;

export function averageLatency(before: number | null, measuredMs: number): number {
  return before === null ? measuredMs : before + newShare * (measuredMs - before);
}

/**
 * Returns the endpoints in the order in which the conversation uses them: the others are for calls that the first one fails. An
 * endpoint that leaves, or whose share changes, moves only its part of the conversations (weighted rendezvous hashing).
 */
export function rankEndpoints<Load extends EndpointLoad>(
  loads: readonly Load[],
  conversation: string,
): readonly Load[] {
  const measured = loads.flatMap(({ latencyMs }) => (latencyMs === null ? [] : [latencyMs]));
  const fastest = measured.length === 0 ? shortestLatencyMs : Math.min(...measured);
  return loads
    .map((load) => ({ load, score: score(load, conversation, fastest) }))
    .sort((a, b) => b.score - a.score)
    .map(({ load }) => load);
}

/** An endpoint without a measurement counts as the fastest, so that it gets one. */
function score({ name, weight, latencyMs }: EndpointLoad, conversation: string, fastest: number): number {
  const share = weight / roundLatency(latencyMs ?? fastest);
  return share / -Math.log(toFraction(`${conversation}/${name}`));
}

/** To a power of two: with exact values the shares would change, and conversations move, with each call. */
function roundLatency(latencyMs: number): number {
  return 2 ** Math.round(Math.log2(Math.max(shortestLatencyMs, latencyMs)));
}

/** Returns a number between 0 and 1, neither included, that is the same for the same text. */
function toFraction(text: string): number {
  return (Number.parseInt(computeDigest(text).slice(0, 12), 16) + 0.5) / 2 ** 48;
}

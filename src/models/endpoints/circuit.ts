/**
 * The circuit of an endpoint: after failures in a row, no call is made for a while; then one call probes it, and the others
 * wait for its result. Pure: the caller has the clock.
 */

import { doubleWait, type ModelFailureKind } from '../../core/model/index.js';

export interface CircuitRules {
  /** Failures in a row that open the circuit. */
  readonly failures: number;
  /** Milliseconds without calls; doubles with each probe that fails. */
  readonly pauseMs: number;
  readonly longestPauseMs: number;
}

export type Circuit = { readonly kind: 'closed'; readonly failures: number } | OpenCircuit;

interface OpenCircuit {
  readonly kind: 'open';
  /** Milliseconds since 1970: the next probe. */
  readonly until: number;
  /** Pauses in a row, this one included. */
  readonly pauses: number;
}

export type Admission =
  /** `probe`: the circuit while this call is under way; null for a closed circuit. */
  | { readonly admitted: true; readonly probe: OpenCircuit | null }
  | { readonly admitted: false; readonly retryInMs: number };

export const closedCircuit: Circuit = { kind: 'closed', failures: 0 };

/**
 * A probe opens the circuit for the next pause before it is made, so that the other calls wait. A circuit without a probe for
 * longer than a pause is forgotten. A clock may be set back: no wait is longer than a pause.
 */
export function admitCall(circuit: Circuit, now: number, rules: CircuitRules): Admission {
  if (circuit.kind === 'closed' || now > circuit.until + rules.longestPauseMs) return { admitted: true, probe: null };
  if (now < circuit.until) return { admitted: false, retryInMs: Math.min(circuit.until - now, rules.longestPauseMs) };
  return { admitted: true, probe: openCircuit(now, circuit.pauses + 1, rules) };
}

/** An open circuit stays as it is: its calls began before it opened, or were a probe, which has set the next pause. */
export function recordOutage(circuit: Circuit, now: number, rules: CircuitRules): Circuit {
  if (circuit.kind === 'open') return circuit;
  const failures = circuit.failures + 1;
  return failures < rules.failures ? { kind: 'closed', failures } : openCircuit(now, 1, rules);
}

function openCircuit(now: number, pauses: number, { pauseMs, longestPauseMs }: CircuitRules): OpenCircuit {
  return { kind: 'open', until: now + doubleWait(pauseMs, pauses, longestPauseMs), pauses };
}

const outages: ReadonlySet<ModelFailureKind> = new Set(['connection', 'server_error', 'overloaded'] as const);

/**
 * Returns whether a failure means that the endpoint is out of order. Others concern the request, the key or the caller. A
 * timeout depends on the agent's `modelTimeout`, and an endpoint whose reply was cut has begun to answer.
 */
export function isOutage(kind: ModelFailureKind): boolean {
  return outages.has(kind);
}

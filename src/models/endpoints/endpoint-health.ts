/** What a worker knows of its endpoints: circuits, shared with other workers where they have a store for them. */

import type { ModelFailureKind } from '../../core/model/failure-kind.js';
import { withTimeout } from '../../timing/with-timeout.js';
import type { ModelCallResult } from '../wire/provider.js';
import {
  admitCall,
  type Circuit,
  type CircuitRules,
  closedCircuit,
  isOutage,
  type OpenCircuit,
  recordOutage,
} from './circuit.js';

/** Open circuits that several workers share. A failure to reach it must reject, and leaves each worker to itself. */
export interface SharedCircuits {
  readonly read: (endpoint: string) => Promise<OpenCircuit | null>;
  /** Replaces the circuit if it is still `seen`; returns whether it was: of several workers, one makes the probe. */
  readonly claim: (endpoint: string, seen: OpenCircuit, probe: OpenCircuit) => Promise<boolean>;
  /** An open circuit stays as it is. */
  readonly open: (endpoint: string, circuit: OpenCircuit) => Promise<void>;
  readonly close: (endpoint: string) => Promise<void>;
}

export interface EndpointHealth {
  /** Returns the milliseconds until a call may be made; 0 admits one now. An admitted call must be reported. */
  readonly admit: (endpoint: string) => Promise<number>;
  readonly report: (endpoint: string, result: ModelCallResult) => void;
  /** The message of the last outage that this worker saw; null for none. */
  readonly getLastOutage: (endpoint: string) => string | null;
}

/** Milliseconds for which the shared circuit of an endpoint is not read again. */
const freshMs = 1_000;

/** Milliseconds for an answer of the store, and without a question to one that did not answer: model calls must not wait for it. */
const storeTimeoutMs = 1_000;
const storePauseMs = 60_000;

/** Outages that the endpoint itself reports. A refused connection may be a worker's own, or its own server's. */
const sharedKinds: ReadonlySet<ModelFailureKind> = new Set(['overloaded', 'server_error'] as const);

export function createEndpointHealth(
  rules: CircuitRules,
  shared: SharedCircuits | null,
  now: () => number = Date.now,
): EndpointHealth {
  /** Of this worker; and as others have shared them. */
  const own = new Map<string, Circuit>();
  const others = new Map<string, OpenCircuit>();
  const lastOutages = new Map<string, string>();
  const readAt = new Map<string, number>();
  let pausedUntil = Number.NEGATIVE_INFINITY;

  async function refresh(endpoint: string): Promise<void> {
    if (shared === null || now() < pausedUntil) return;
    if (now() - (readAt.get(endpoint) ?? Number.NEGATIVE_INFINITY) < freshMs) return;
    readAt.set(endpoint, now());
    const open = await tryInTime(shared.read(endpoint), undefined);
    if (open === undefined) pausedUntil = now() + storePauseMs;
    else if (open === null) others.delete(endpoint);
    else others.set(endpoint, open);
  }

  return {
    admit: async (endpoint) => {
      await refresh(endpoint);
      for (const circuits of [own, others]) {
        const circuit = circuits.get(endpoint) ?? closedCircuit;
        const admission = admitCall(circuit, now(), rules);
        if (!admission.admitted) return admission.waitMs;
        const { probe } = admission;
        if (probe === null || circuit.kind === 'closed') continue;
        circuits.set(endpoint, probe);
        const isClaimed = circuits === own || (await tryInTime(shared?.claim(endpoint, circuit, probe), true));
        if (!isClaimed) return probe.until - now();
      }
      return 0;
    },
    report: (endpoint, result) => {
      if (!result.ok && isOutage(result.failure.kind)) {
        const before = own.get(endpoint) ?? closedCircuit;
        const after = recordOutage(before, now(), rules);
        own.set(endpoint, after);
        lastOutages.set(endpoint, result.failure.message);
        const isNews = after.kind === 'open' && before.kind === 'closed' && sharedKinds.has(result.failure.kind);
        if (isNews) void tryInTime(shared?.open(endpoint, after), undefined);
        return;
      }
      // Without a response, nothing is known of the endpoint.
      if (!result.ok && result.failure.status === null && result.failure.kind !== 'cut') return;
      own.delete(endpoint);
      if (others.delete(endpoint)) void tryInTime(shared?.close(endpoint), undefined);
    },
    getLastOutage: (endpoint) => lastOutages.get(endpoint) ?? null,
  };
}

/** Returns `otherwise` where the store fails or takes too long: the worker continues with what it knows itself. */
async function tryInTime<T>(work: Promise<T> | undefined, otherwise: T): Promise<T> {
  try {
    const done = work === undefined ? null : await withTimeout(work, storeTimeoutMs);
    return done === null ? otherwise : done.value;
  } catch {
    return otherwise;
  }
}

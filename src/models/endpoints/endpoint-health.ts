/** What a worker knows of its endpoints: circuits, shared with other workers where they have a store for them. */

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
  readonly open: (endpoint: string, circuit: OpenCircuit) => Promise<void>;
  readonly close: (endpoint: string) => Promise<void>;
}

export interface EndpointHealth {
  /** Returns the milliseconds until a call may be made; 0 admits one now. An admitted call must be reported. */
  readonly admit: (endpoint: string) => Promise<number>;
  readonly report: (endpoint: string, result: ModelCallResult) => Promise<void>;
  /** The message of the last outage that this worker saw; null for none. */
  readonly getLastOutage: (endpoint: string) => string | null;
}

/** Milliseconds for which the shared circuit of an endpoint is not read again. */
const freshMs = 1_000;

export function createEndpointHealth(
  rules: CircuitRules,
  shared: SharedCircuits | null,
  now: () => number = Date.now,
): EndpointHealth {
  const circuits = new Map<string, Circuit>();
  const lastOutages = new Map<string, string>();
  const readAt = new Map<string, number>();

  const getCircuit = (endpoint: string) => circuits.get(endpoint) ?? closedCircuit;

  async function refresh(endpoint: string): Promise<void> {
    if (shared === null || now() - (readAt.get(endpoint) ?? Number.NEGATIVE_INFINITY) < freshMs) return;
    readAt.set(endpoint, now());
    try {
      const open = await shared.read(endpoint);
      if (open !== null) circuits.set(endpoint, open);
      else if (getCircuit(endpoint).kind === 'open') circuits.delete(endpoint);
    } catch {
      // The worker continues with what it knows itself.
    }
  }

  async function claimProbe(endpoint: string, seen: OpenCircuit, probe: OpenCircuit): Promise<boolean> {
    circuits.set(endpoint, probe);
    return shared === null ? true : shared.claim(endpoint, seen, probe).catch(() => true);
  }

  return {
    admit: async (endpoint) => {
      await refresh(endpoint);
      const circuit = getCircuit(endpoint);
      const admission = admitCall(circuit, now(), rules);
      if (!admission.admitted) return admission.waitMs;
      if (admission.probe === null || circuit.kind === 'closed') return 0;
      return (await claimProbe(endpoint, circuit, admission.probe)) ? 0 : admission.probe.until - now();
    },
    report: async (endpoint, result) => {
      const before = getCircuit(endpoint);
      if (!result.ok && isOutage(result.failure.kind)) {
        const after = recordOutage(before, now(), rules);
        circuits.set(endpoint, after);
        lastOutages.set(endpoint, result.failure.message);
        if (after.kind === 'open' && before.kind === 'closed') await shared?.open(endpoint, after).catch(() => {});
        return;
      }
      // Any other failure is an answer, too: the endpoint works.
      if (!result.ok && result.failure.kind === 'cancelled') return;
      circuits.delete(endpoint);
      if (before.kind === 'open') await shared?.close(endpoint).catch(() => {});
    },
    getLastOutage: (endpoint) => lastOutages.get(endpoint) ?? null,
  };
}

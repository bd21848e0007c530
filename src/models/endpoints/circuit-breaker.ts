/** A provider with a circuit for each of its models: while one is out of order, its calls fail immediately, unsent and unpaid. */

import { formatDuration, shorten } from '../../core/lib/index.js';
import type { ModelCallResult, ModelProvider } from '../wire/provider.js';
import { admitCall, type Circuit, type CircuitRules, closedCircuit, isOutage, recordOutage } from './circuit.js';

/** Names what a circuit is for: an outage of one model need not concern the others of its provider. */
function toEndpointName(provider: string, model: string): string {
  return `${provider}/${model}`;
}

/** The circuits of a worker's endpoints. */
export class Circuits {
  private readonly circuits = new Map<string, Circuit>();
  private readonly lastOutages = new Map<string, string>();

  constructor(
    private readonly rules: CircuitRules,
    private readonly now: () => number = Date.now,
  ) {}

  /** Returns the milliseconds until a call may be made; 0 admits one now. An admitted call must be recorded. */
  admit(endpoint: string): number {
    const admission = admitCall(this.get(endpoint), this.now(), this.rules);
    if (!admission.admitted) return admission.retryInMs;
    if (admission.probe !== null) this.circuits.set(endpoint, admission.probe);
    return 0;
  }

  record(endpoint: string, result: ModelCallResult): void {
    if (!result.ok && isOutage(result.failure.kind)) {
      this.circuits.set(endpoint, recordOutage(this.get(endpoint), this.now(), this.rules));
      this.lastOutages.set(endpoint, result.failure.message);
      return;
    }
    // Without a response, nothing is known of the endpoint.
    if (!result.ok && result.failure.status === null && result.failure.kind !== 'cut') return;
    this.circuits.delete(endpoint);
  }

  /** Returns the message of the endpoint's last outage; null for none. */
  getLastOutage(endpoint: string): string | null {
    return this.lastOutages.get(endpoint) ?? null;
  }

  private get(endpoint: string): Circuit {
    return this.circuits.get(endpoint) ?? closedCircuit;
  }
}

/** Wraps a provider so that an endpoint that fails again and again is left alone for a while. */
export function breakCircuits(provider: ModelProvider, circuits: Circuits): ModelProvider {
  return {
    ...provider,
    call: async (call, options) => {
      const endpoint = toEndpointName(provider.name, call.model.id);
      const retryInMs = circuits.admit(endpoint);
      if (retryInMs > 0) {
        const outage = circuits.getLastOutage(endpoint);
        const cause = outage === null ? '' : ` (${shorten(outage, 200)})`;
        const message = `${endpoint} failed several times in a row${cause}: no call is made for ${formatDuration(retryInMs)}`;
        const base = { status: null, settle: 'nothing', usage: null } as const;
        return { ok: false, failure: { ...base, kind: 'circuit_open', message, retryAfterMs: retryInMs } };
      }
      const result = await provider.call(call, options);
      circuits.record(endpoint, result);
      return result;
    },
  };
}

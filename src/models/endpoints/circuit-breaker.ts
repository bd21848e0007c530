/** A provider with a circuit for each of its models: while one is out of order, its calls fail at once, unsent and unpaid. */

import { formatDuration, shorten } from '../../core/lib/display.js';
import type { ModelProvider } from '../wire/provider.js';
import type { EndpointHealth } from './endpoint-health.js';

/** Names what a circuit is for: an outage of one model need not concern the others of its provider. */
export function toEndpointName(provider: string, model: string): string {
  return `${provider}/${model}`;
}

/** Wraps a provider so that an endpoint that fails again and again is left alone for a while. */
export function breakCircuits(provider: ModelProvider, health: EndpointHealth): ModelProvider {
  return {
    ...provider,
    call: async (call, options) => {
      const endpoint = toEndpointName(provider.name, call.model.id);
      const waitMs = await health.admit(endpoint);
      if (waitMs > 0) {
        const last = health.getLastOutage(endpoint);
        const cause = last === null ? '' : ` (${shorten(last, 200)})`;
        const message = `${endpoint} failed several times in a row${cause}: no call is made for ${formatDuration(waitMs)}`;
        const base = { status: null, settle: 'nothing', usage: null } as const;
        return { ok: false, failure: { ...base, kind: 'circuit_open', message, retryAfterMs: waitMs } };
      }
      const result = await provider.call(call, options);
      health.report(endpoint, result);
      return result;
    },
  };
}

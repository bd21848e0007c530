/** What a process knows of the endpoints of a balanced provider, for each model: how fast they answer, and which of them rest. */

import { defaults, type ModelFailure } from '../../core/model/index.js';
import { averageLatency, type EndpointLoad, rankEndpoints } from './choose-endpoint.js';

/** After a failure that passes by itself, unless the endpoint requests another time. */
const restMs = 10_000;
const longestRestMs = 60_000;

/** A latency that was measured longer ago is no longer known. */
const freshMs = 5 * 60_000;

export interface EndpointLoads<Endpoint> {
  /** All endpoints, in the order in which a call tries them: those that rest are last. */
  readonly order: (model: string, conversation: string) => readonly Endpoint[];
  /** @param latencyMs milliseconds to the first text; null for a reply without text, whose duration is that of its calls */
  readonly recordAnswer: (endpoint: Endpoint, model: string, latencyMs: number | null) => void;
  /** @param needsRepair whether a person has to repair the cause */
  readonly recordFailure: (
    endpoint: Endpoint,
    model: string,
    failure: Pick<ModelFailure, 'retryAfterMs'>,
    needsRepair: boolean,
  ) => void;
}

/** Times are milliseconds since 1970. */
interface Load {
  readonly latencyMs: number | null;
  readonly measuredAt: number;
  readonly restsUntil: number;
}

const unknownLoad: Load = { latencyMs: null, measuredAt: 0, restsUntil: 0 };

export function createEndpointLoads<Endpoint extends Pick<EndpointLoad, 'name' | 'weight'>>(
  endpoints: readonly Endpoint[],
  now: () => number = Date.now,
): EndpointLoads<Endpoint> {
  const loads = new Map<string, Load>();
  const toKey = ({ name }: Endpoint, model: string) => `${name}/${model}`;
  const get = (endpoint: Endpoint, model: string) => loads.get(toKey(endpoint, model)) ?? unknownLoad;
  const getLatency = ({ latencyMs, measuredAt }: Load) => (now() - measuredAt < freshMs ? latencyMs : null);

  return {
    order: (model, conversation) => {
      const ranked = rankEndpoints(
        endpoints.map((endpoint) => {
          const { name, weight } = endpoint;
          return { endpoint, name, weight, latencyMs: getLatency(get(endpoint, model)) };
        }),
        conversation,
      ).map(({ endpoint }) => endpoint);
      const rests = (endpoint: Endpoint) => get(endpoint, model).restsUntil > now();
      return [...ranked.filter((endpoint) => !rests(endpoint)), ...ranked.filter(rests)];
    },
    recordAnswer: (endpoint, model, latencyMs) => {
      const before = get(endpoint, model);
      const measured =
        latencyMs === null ? before : { latencyMs: averageLatency(getLatency(before), latencyMs), measuredAt: now() };
      loads.set(toKey(endpoint, model), { ...before, ...measured, restsUntil: 0 });
    },
    recordFailure: (endpoint, model, { retryAfterMs }, needsRepair) => {
      const ms = needsRepair ? defaults.heldRetryMs : Math.min(retryAfterMs ?? restMs, longestRestMs);
      loads.set(toKey(endpoint, model), { ...get(endpoint, model), restsUntil: now() + ms });
    },
  };
}

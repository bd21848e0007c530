/** A provider that distributes its calls over equal endpoints: the same models, at the same prices, in several places. */

import { isRejectedCall, providerFailures } from '../../core/engine/index.js';
import { LonghandError, omitUndefined } from '../../core/lib/index.js';
import type { ModelFailure } from '../../core/model/index.js';
import type { ModelCall, ModelCallOptions, ModelProvider } from '../wire/provider.js';
import { redactingConsole } from '../wire/redacting-provider.js';
import { createEndpointLoads } from './endpoint-loads.js';

export interface BalancedOptions {
  /** The name of the whole, for chains, prices and rules. */
  readonly name: string;
  /** At least one. */
  readonly endpoints: readonly BalancedEndpoint[];
}

export interface BalancedEndpoint {
  /** With a name of its own, which readers see. */
  readonly provider: ModelProvider;
  /** Its part of the calls, compared with the weights of the others. Default 1. */
  readonly weight?: number;
}

/** Part of a call's time, and milliseconds, that the next endpoint needs at least. */
const leastTimeShare = 0.1;
const leastTimeMs = 5_000;

/**
 * Creates a provider that distributes its calls over equal endpoints, by weight and by observed latency. A chain stays at one
 * endpoint while that answers, because its prompt cache is there. A call that an endpoint fails without a charge goes to the next
 * one immediately, in the same attempt. After any other failure, the next attempt goes to another one.
 *
 * Readers see which endpoint answered. Each endpoint has a circuit of its own.
 *
 * @throws {LonghandError} `invalid_options`
 * @example
 * balancedProvider({
 *   name: 'azure',
 *   endpoints: [
 *     { provider: openaiProvider({ name: 'azure-east', baseURL: east, apiKey: eastKey }), weight: 2 },
 *     { provider: openaiProvider({ name: 'azure-west', baseURL: west, apiKey: westKey }) },
 *   ],
 * })
 */
export function balancedProvider({ name, endpoints }: BalancedOptions): ModelProvider {
  return createBalanced(name, endpoints, checkEndpoints(name, endpoints));
}

function createBalanced(
  name: string,
  balancedEndpoints: readonly BalancedEndpoint[],
  capabilities: Capabilities,
): ModelProvider {
  const endpoints = balancedEndpoints.map(({ provider, weight = 1 }) => ({ name: provider.name, weight, provider }));
  const loads = createEndpointLoads(endpoints);
  let calls = 0;

  /** Makes the call, and records how it went. */
  const callEndpoint = async (endpoint: (typeof endpoints)[number], call: ModelCall, options: ModelCallOptions) => {
    const { id } = call.model;
    const startedAt = performance.now();
    let latencyMs: number | null = null;
    const onText = (delta: string) => {
      latencyMs ??= performance.now() - startedAt;
      options.onText?.(delta);
    };
    const result = await endpoint.provider.call(call, { ...options, onText });
    if (result.ok) loads.recordAnswer(endpoint, id, latencyMs);
    else if (isOfEndpoint(result.failure) && !isRejectedCall(result.failure.kind)) {
      loads.recordFailure(endpoint, id, result.failure, needsRepair(result.failure));
    }
    return result;
  };

  return {
    ...capabilities,
    name,
    ...(balancedEndpoints.some(({ provider }) => provider.countTokens === undefined)
      ? {}
      : {
          countTokens: async (call, options) => {
            const [endpoint] = loads.order(call.model.id, '');
            return (await endpoint?.provider.countTokens?.(call, options)) ?? null;
          },
        }),
    mapEndpoints: (replace) => {
      const replaced = balancedEndpoints.map(({ provider, ...each }) => {
        return { ...each, provider: provider.mapEndpoints?.(replace) ?? replace(provider) };
      });
      return createBalanced(name, replaced, capabilities);
    },
    call: async (call, options) => {
      calls += 1;
      const failures: EndpointFailure[] = [];
      const endsAt = performance.now() + call.model.timeoutMs;
      const order = loads.order(call.model.id, options.conversation ?? `${calls}`);
      for (const [place, endpoint] of order.entries()) {
        // All of them together have the time of one call.
        const timeoutMs = Math.max(1, Math.floor(endsAt - performance.now()));
        const least = Math.min(leastTimeMs, call.model.timeoutMs * leastTimeShare);
        if (failures.length > 0 && timeoutMs < least) break;
        const timed = { ...call, model: { ...call.model, timeoutMs } };
        const result = await callEndpoint(endpoint, timed, place < order.length - 1 ? leaveQueue(options) : options);
        if (result.ok) {
          // The chain does not notice what a person has to repair.
          for (const broken of failures.filter(needsRepair)) redactingConsole.warn(formatBrokenEndpoint(name, broken));
          return { ok: true, reply: { ...result.reply, endpoint: result.reply.endpoint ?? endpoint.name } };
        }
        failures.push({ ...result.failure, endpoint: endpoint.name });
        if (!isFree(result.failure) || options.signal.aborted) break;
      }
      return { ok: false, failure: combineFailures(failures) };
    },
  };
}

function formatBrokenEndpoint(name: string, { endpoint, kind, message }: EndpointFailure): string {
  const problem = `longhand: endpoint ${endpoint} of ${name} failed (${kind}): ${message.replace(/\.$/, '')}`;
  return `${problem}. Other endpoints get its calls. ${providerFailures[kind].remedy}`;
}

function needsRepair({ kind }: Pick<ModelFailure, 'kind'>): boolean {
  return providerFailures[kind].next === 'hold';
}

/** Whether another endpoint may succeed, unlike with a request that is too long or that the model refuses. */
function isOfEndpoint({ kind }: ModelFailure): boolean {
  const { next, fallsBack } = providerFailures[kind];
  return fallsBack === true && next !== 'end';
}

/** L6: the reservation of an attempt is for one request that may cost. A budget rejects the call at any endpoint. */
function isFree(failure: ModelFailure): boolean {
  return (
    failure.kind === 'throttled' || (failure.settle === 'nothing' && isOfEndpoint(failure) && failure.kind !== 'budget')
  );
}

/** Another endpoint may take the call at once: only at the last one it waits for its turn. */
function leaveQueue(options: ModelCallOptions): ModelCallOptions {
  return options.spent === undefined ? options : { ...options, spent: { ...options.spent, patience: 'none' } };
}

interface EndpointFailure extends ModelFailure {
  readonly endpoint: string;
}

/** Of several, all but the last are free. One that passes by itself decides before one that a person repairs. */
function combineFailures(failures: readonly EndpointFailure[]): ModelFailure {
  const last = failures.at(-1);
  if (last === undefined) throw new Error('A balanced provider has at least one endpoint.');
  const passing = failures.find(({ kind }) => providerFailures[kind].next === 'retry');
  const { endpoint: _, ...decisive } = isFree(last) ? (passing ?? last) : last;
  const waits = failures.flatMap(({ retryAfterMs }) => retryAfterMs ?? []);
  return {
    ...decisive,
    message: failures.map(({ endpoint, message }) => `${endpoint}: ${message.replace(/\.$/, '')}`).join('; '),
    // Until the first of them is ready.
    retryAfterMs: decisive.retryAfterMs === null ? null : Math.min(...waits),
  };
}

type Capabilities = Pick<ModelProvider, 'models' | 'files' | 'structuredOutput'>;

function getCapabilities({ models, files, structuredOutput }: ModelProvider): Capabilities {
  return omitUndefined({ models, files, structuredOutput });
}

/** Returns what all endpoints have in common. @throws {LonghandError} `invalid_options` */
function checkEndpoints(name: string, endpoints: readonly BalancedEndpoint[]): Capabilities {
  const createError = (problem: string) =>
    new LonghandError('invalid_options', `balancedProvider ${name}: ${problem}.`);
  const [first, ...others] = endpoints.map(({ provider }) => provider);
  if (first === undefined) throw createError('`endpoints` is empty. Add at least one: { provider }');
  const names = new Set<string>();
  for (const { provider, weight = 1 } of endpoints) {
    if (names.has(provider.name))
      throw createError(`two endpoints are named ${provider.name}. Name them: openaiProvider({ name: 'east', … })`);
    names.add(provider.name);
    if (!(weight > 0 && Number.isFinite(weight)))
      throw createError(`invalid weight ${weight} of ${provider.name}: expected a number above 0`);
  }
  // A chain's requests are made for the whole: each endpoint has to take them.
  const capabilities = getCapabilities(first);
  const other = others.find((candidate) => JSON.stringify(getCapabilities(candidate)) !== JSON.stringify(capabilities));
  if (other === undefined) return capabilities;
  throw createError(`${first.name} and ${other.name} take different requests. Use one API, with the same models`);
}

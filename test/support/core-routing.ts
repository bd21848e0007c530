/** Agents of the core with several models: `fast` is their own, `strong` costs ten times as much, `local` nothing. */

import type { AgentSnapshot, ModelSnapshot, Routing } from '../../src/core/model/agent.js';
import type { ModelReply } from '../../src/core/model/fact.js';
import type { CallRoute } from '../../src/core/model/routing.js';
import { agentOf, somePrice } from './core-builders.js';

export const strongPrice = { input: 2e-5, output: 1e-4, cacheRead: 2e-6, cacheWrite: 2.5e-5 };

export function modelOf(name: string, options: Partial<ModelSnapshot> = {}): ModelSnapshot {
  return { ...agentOf().model, name, id: `${name}-1`, ...options };
}

export const fast = modelOf('fast', { price: somePrice });
export const strong = modelOf('strong', { price: strongPrice });
export const local = modelOf('local', { price: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } });

type RoutedOptions = Partial<Omit<Routing, 'others'>> & {
  readonly others?: readonly ModelSnapshot[];
  readonly agent?: Parameters<typeof agentOf>[0];
};

/** An agent whose models are `fast`, and by default `strong` and `local` as its fallbacks. */
export function routedAgent({ agent, others = [strong, local], ...routing }: RoutedOptions = {}): AgentSnapshot {
  const fallbacks = routing.fallbacks ?? others.map(({ name }) => name);
  return agentOf({
    ...agent,
    model: { ...fast, ...agent?.model },
    routing: { roles: {}, ...routing, others, fallbacks },
  });
}

export function by(model: string, reply: ModelReply, more: Partial<CallRoute> = {}): ModelReply {
  return { ...reply, route: routeTo(model, more) };
}

export function routeTo(model: string, more: Partial<CallRoute> = {}): CallRoute {
  return { model, provider: 'some-provider', id: `${model}-1`, role: 'reasoner', ...more };
}

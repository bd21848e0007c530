/**
 * Which models the next model call may use. The order follows from facts, so the workflow and its readers agree: the model
 * of the role, then the fallbacks, without those that this call has tried.
 *
 * 1. Without a `route` policy exactly one model is next, and the call reserves its price.
 *    An aside has a model of its own role, without a policy.
 * 2. A policy runs in the activity and may choose any model that was not tried, so the call reserves the highest prices.
 * 3. When all models of the order were tried, the call waits or is held, and starts with the first one again.
 */

import {
  type AgentSnapshot,
  type CallRoute,
  type Chain,
  type ChainState,
  changeState,
  combinePrices,
  estimateTokens,
  fitsWindow,
  isAside,
  type ModelCallPurpose,
  type ModelSnapshot,
  type Price,
} from '../../model/index.js';

/** Returns all models that calls of the agent may use, its own first. */
export function listModels({ model, routing }: AgentSnapshot): readonly ModelSnapshot[] {
  return routing === undefined ? [model] : [model, ...routing.others];
}

/** The model of the policy is the worker's: only calls of the policy use it. */
function listPaidModels(agent: AgentSnapshot): readonly ModelSnapshot[] {
  return agent.policy === undefined ? listModels(agent) : [...listModels(agent), agent.policy.model];
}

export function findModel(agent: AgentSnapshot, name: string): ModelSnapshot | null {
  return listPaidModels(agent).find((model) => model.name === name) ?? null;
}

function getCallRole(
  { plan, planning }: ChainState,
  agent: AgentSnapshot,
  purpose: ModelCallPurpose,
): CallRoute['role'] {
  if (purpose !== 'step') return purpose === 'closing' ? 'summarizer' : purpose;
  const { strategy } = agent;
  const plans = strategy.name === 'plan' && ((plan === null && strategy.planning) || planning?.isReflecting === true);
  return plans ? 'planner' : 'reasoner';
}

/** Returns the model of a role: the plain default of its calls. */
function getRoleModel(agent: AgentSnapshot, role: CallRoute['role']): ModelSnapshot {
  if (role === 'policy') return agent.policy?.model ?? agent.model;
  const name = agent.routing?.roles[role];
  return (name === undefined ? null : findModel(agent, name)) ?? agent.model;
}

/** Returns the model of the next call, unless a failure or a policy chooses another. */
export function getPlainModel(state: ChainState, agent: AgentSnapshot): ModelSnapshot {
  return getRoleModel(agent, getCallRole(state, agent, state.stop === null ? 'step' : 'closing'));
}

/** Returns the models of a call that were not tried, in order; empty when all have failed. */
export function listUntriedModels(
  state: ChainState,
  agent: AgentSnapshot,
  purpose: ModelCallPurpose,
): readonly ModelSnapshot[] {
  const first = getRoleModel(agent, getCallRole(state, agent, purpose));
  const { routing } = agent;
  // No model that the agent's author chose decides instead of the worker's.
  if (routing === undefined || purpose === 'policy') return wasTried(state, first.name) ? [] : [first];
  const fallbacks = routing.fallbacks.flatMap((name) => findModel(agent, name) ?? []);
  // A fallback whose window is known to be too small is not asked.
  const estimated = state.context.tokens + estimateTokens(state.context.newBytes);
  const order = [...new Set([first, ...fallbacks.filter((model) => fitsWindow(model, estimated))])];
  return order.filter(({ name }) => !wasTried(state, name));
}

function wasTried({ tried }: ChainState, name: string): boolean {
  return tried.some(({ model }) => model === name);
}

/** Returns the models that the next attempt may use: at least one, the preferred one first. */
export function listCandidates(
  state: ChainState,
  agent: AgentSnapshot,
  purpose: ModelCallPurpose,
): readonly ModelSnapshot[] {
  const order = listUntriedModels(state, agent, purpose);
  const [first = getRoleModel(agent, getCallRole(state, agent, purpose))] = order;
  if (!agent.routing?.policy || isAside(purpose)) return [first];
  return [...new Set([first, ...order, ...listModels(agent).filter(({ name }) => !wasTried(state, name))])];
}

export function listCandidateNames(...call: Parameters<typeof listCandidates>): readonly string[] {
  return listCandidates(...call).map(({ name }) => name);
}

/** Returns the models that the call under way may use. */
export function listFlightModels({ flight, agent }: ChainState): readonly Pick<ModelSnapshot, 'name'>[] {
  if (flight.kind !== 'model' || agent === null) return [];
  return flight.models?.map((name) => ({ name })) ?? [agent.model];
}

/** Returns the role of the call under way or of the next one, with the last failure before it. */
export function describeRoute(
  state: ChainState,
  agent: AgentSnapshot,
  purpose: ModelCallPurpose,
): Pick<CallRoute, 'role' | 'after'> {
  const last = state.tried.at(-1);
  return {
    role: getCallRole(state, agent, purpose),
    ...(last === undefined ? {} : { after: { model: last.model, failure: last.failure } }),
  };
}

/** Returns the chain as one of its agent's models gets it. */
export function selectModel(chain: Chain, name: string | undefined): Chain {
  const { agent } = chain.state;
  if (agent === null || name === undefined || agent.model.name === name) return chain;
  const model = findModel(agent, name);
  return model === null ? chain : { ...chain, state: changeState(chain.state, { agent: { ...agent, model } }) };
}

/** Returns whether every call of the agent has a price. If one has none, no cost is counted: a sum would be too low. */
export function hasPrices(agent: AgentSnapshot): boolean {
  return findUnpricedModel(agent) === null;
}

export function findUnpricedModel(agent: AgentSnapshot): ModelSnapshot | null {
  return listPaidModels(agent).find(({ price }) => price === null) ?? null;
}

/** Returns the highest rates of several models; null if one of them has no price. */
export function getHighestPrice(models: readonly Pick<ModelSnapshot, 'price'>[]): Price | null {
  const prices = models.flatMap(({ price }) => price ?? []);
  return prices.length < models.length ? null : combinePrices(prices);
}

/**
 * Returns the price of the call under way. A fact may name any model, and an attempt that was lost names none: the highest
 * price that the call has reserved bounds both. Null if no cost is counted.
 */
export function getCallPrice(state: ChainState, route: CallRoute | undefined): Price | null {
  const { agent } = state;
  if (agent === null) return null;
  if (agent.routing === undefined && agent.policy === undefined) return agent.model.price;
  if (!hasPrices(agent)) return null;
  const models = listFlightModels(state).flatMap(({ name }) => findModel(agent, name) ?? []);
  const model = models.find(({ name }) => name === route?.model);
  return model?.price ?? getHighestPrice(models.length === 0 ? [agent.model] : models);
}

/** Chooses the model of a call among those that the workflow reserved for, and records why (core/engine/state/route.ts). */

import { type Agent, applyRoutePolicy, type RouteContext } from '../../agents/index.js';
import { computeCommittedUse, describeRoute, selectModel } from '../../core/engine/index.js';
import {
  type AgentSnapshot,
  type CallRoute,
  type Chain,
  type ChainState,
  estimateTokens,
  isAside,
  type ModelCallPurpose,
  type ModelSnapshot,
  roundUsd,
} from '../../core/model/index.js';

export interface RoutedCall {
  /** The chain as the chosen model gets it: its agent's model is that one. */
  readonly chain: Chain;
  readonly model: ModelSnapshot;
  /** For the call's fact: empty for an agent with one model. */
  readonly route: { readonly route?: CallRoute };
}

/** @param chain with the call under way */
export function chooseModel(
  agent: Pick<Agent, 'definition'>,
  chain: Chain,
  snapshot: AgentSnapshot,
  purpose: ModelCallPurpose,
): RoutedCall {
  const { flight } = chain.state;
  const models = flight.kind === 'model' ? flight.models : undefined;
  if (models === undefined) return { chain, model: snapshot.model, route: {} };
  const described = describeRoute(chain.state, snapshot, purpose);
  const { route: policy } = agent.definition;
  const [first = snapshot.model.name] = models;
  // The worker may have a version of the agent without the policy.
  const choice =
    snapshot.routing?.policy && policy !== undefined && !isAside(purpose)
      ? applyRoutePolicy(policy, createContext(chain.state, snapshot, described.role, models))
      : { model: first };
  const selected = selectModel(chain, choice.model);
  const { model } = selected.state.agent ?? snapshot;
  const { provider, id } = model;
  return { chain: selected, model, route: { route: { ...described, ...choice, provider, id } } };
}

function createContext(
  state: ChainState,
  { limits }: AgentSnapshot,
  role: RouteContext['role'],
  models: readonly string[],
): RouteContext {
  const { input, steps, stop, context, dataClasses, tried } = state;
  const used = computeCommittedUse(state);
  return {
    step: steps + (stop === null ? 1 : 0),
    role,
    task: input?.task ?? '',
    contextTokens: context.tokens + estimateTokens(context.newBytes),
    dataClasses,
    budgetLeft: {
      tokens: Math.max(0, limits.tokens - used.tokens),
      costUsd: limits.costUsd === null ? null : Math.max(0, roundUsd(limits.costUsd - (used.usd ?? 0))),
    },
    failures: tried.map(({ model, failure }) => ({ model, failure })),
    models,
  };
}

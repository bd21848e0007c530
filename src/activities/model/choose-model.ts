/** Chooses the model of a call among those that the workflow reserved for, and records why (core/engine/state/route.ts). */

import {
  type Agent,
  applyRoutePolicy,
  type ModelCapability,
  modelCapabilities,
  type RouteCandidate,
  type RouteContext,
} from '../../agents/index.js';
import { computeCommittedUse, describeRoute, findModel, selectModel } from '../../core/engine/index.js';
import {
  type AgentSnapshot,
  type CallRoute,
  type Chain,
  type ChainState,
  changeState,
  estimateTokens,
  isAside,
  type ModelCallPurpose,
  type ModelSnapshot,
  roundUsd,
} from '../../core/model/index.js';
import type { Models } from '../../models/index.js';
import type { Dependencies } from '../context/dependencies.js';
import { checkModelAccess, findNamed, toRequestOrigin } from '../context/model-access.js';

/** The worker's catalogue and its rules. */
interface Access extends Pick<Dependencies, 'modelAccess'> {
  readonly models: Pick<Models, 'resolve'>;
}

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
  access: Access,
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
      ? applyRoutePolicy(policy, createContext(chain.state, snapshot, described.role, { names: models, access }))
      : { model: first };
  const selected = purpose === 'policy' ? selectPolicyModel(chain) : selectModel(chain, choice.model);
  const { model } = selected.state.agent ?? snapshot;
  const { provider, id } = model;
  return { chain: selected, model, route: { route: { ...described, ...choice, provider, id } } };
}

/** Not by its name: the agent may have other options for the same model. */
function selectPolicyModel(chain: Chain): Chain {
  const { agent } = chain.state;
  if (agent?.policy === undefined) return chain;
  return { ...chain, state: changeState(chain.state, { agent: { ...agent, model: agent.policy.model } }) };
}

function createContext(
  state: ChainState,
  agent: AgentSnapshot,
  role: RouteContext['role'],
  { names: models, access }: { readonly names: readonly string[]; readonly access: Access },
): RouteContext {
  const { input, steps, stop, context, dataClasses, tried } = state;
  const { limits } = agent;
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
    candidates: models.flatMap((name) => {
      const model = findModel(agent, name);
      return model === null ? [] : [toCandidate(state, model, access)];
    }),
  };
}

function toCandidate(state: ChainState, model: ModelSnapshot, { models, modelAccess }: Access): RouteCandidate {
  const { name, price, contextTokens, maxTokens } = model;
  return {
    ...{ name, price, contextTokens, maxTokens },
    capabilities: listCapabilities(name, models),
    isAllowed: checkModelAccess(toRequestOrigin(state), model, models, modelAccess) === null,
  };
}

function listCapabilities(name: string, models: Access['models']): readonly ModelCapability[] {
  const entry = findNamed(name, models)?.entry ?? null;
  if (entry === null) return [];
  const { files, tools, structuredOutput, thinking } = entry;
  const flags = { tools, structured_output: structuredOutput, thinking };
  return modelCapabilities.filter((each) => (each === 'image' || each === 'pdf' ? files.includes(each) : flags[each]));
}

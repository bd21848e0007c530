/** Rules for chains that are forks. */

import type { AgentSnapshot, ChainState, KnownTool, OriginRef, Step } from '../../model/index.js';
import { preambleTokens } from './budget.js';
import { countTaskBytes } from './conversation-size.js';

/** Returns the steps that the chain took itself: its step limit counts only these. */
export function countOwnSteps({ steps, origin }: Pick<ChainState, 'steps' | 'origin'>): number {
  return steps - (origin?.steps ?? 0);
}

/** Returns whether a step is from another model than the chain's, which cannot read the thinking in it. */
export function isFromOtherModel(
  { origin, agent }: Pick<ChainState, 'origin' | 'agent'>,
  { number, provider, route }: Pick<Step, 'number' | 'provider' | 'route'>,
): boolean {
  if (agent === null) return false;
  if (route !== undefined) return !isSameModel({ provider: provider ?? '', model: route.id }, agent);
  return origin !== null && number <= origin.steps && !isSameModel(origin, agent);
}

/** An alias may name another model by now: the model is what the provider is asked for. */
function isSameModel(by: Pick<OriginRef, 'provider' | 'model'>, { model }: AgentSnapshot): boolean {
  return by.provider === model.provider && by.model === model.id;
}

/** Returns the agent's tools and those that only the origin's agent had; null before any are known. */
export function listKnownTools({ agent, origin }: Pick<ChainState, 'agent' | 'origin'>): readonly KnownTool[] | null {
  if (origin === null) return agent?.tools ?? null;
  if (agent === null) return origin.tools;
  return [...agent.tools, ...origin.tools.filter(({ name }) => !agent.tools.some((tool) => tool.name === name))];
}

/** Bounds the first request (L6). For another model than the origin's, or one of several, only the bytes of a text are known. */
export function computeAdoptedContext(
  state: ChainState,
  origin: OriginRef,
  agent: AgentSnapshot,
): ChainState['context'] {
  const prompt = agent.promptBytes + preambleTokens;
  const hasSeveral = agent.routing !== undefined || state.contexts !== undefined;
  if (hasSeveral || !isSameModel(origin, agent)) {
    return { tokens: 0, newBytes: prompt + countTaskBytes(state, agent) + origin.bytes + state.context.newBytes };
  }
  const { tokens, newBytes } = state.context;
  return { tokens, newBytes: newBytes + (origin.definition === agent.digest ? 0 : prompt) };
}

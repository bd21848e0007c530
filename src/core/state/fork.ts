/** Rules for chains that are forks. */

import type { AgentSnapshot } from '../model/agent.js';
import type { KnownTool, OriginRef } from '../model/origin.js';
import type { ChainState } from '../model/state.js';
import { preambleTokens } from './budget.js';
import { countTaskBytes } from './conversation-size.js';

/** Returns the steps that the chain took itself: its step limit counts only these. */
export function countOwnSteps({ steps, origin }: Pick<ChainState, 'steps' | 'origin'>): number {
  return steps - (origin?.steps ?? 0);
}

/** Returns whether a step is from another model than the chain's, which cannot read the thinking in it. */
export function isFromOtherModel({ origin, agent }: Pick<ChainState, 'origin' | 'agent'>, step: number): boolean {
  return origin !== null && agent !== null && step <= origin.steps && !hasSameModel(origin, agent);
}

/** An alias may name another model by now: the model is what the provider is asked for. */
function hasSameModel(origin: OriginRef, { model }: AgentSnapshot): boolean {
  return origin.provider === model.provider && origin.model === model.id;
}

/** Returns the agent's tools and those that only the origin's agent had; null before any are known. */
export function listKnownTools({ agent, origin }: Pick<ChainState, 'agent' | 'origin'>): readonly KnownTool[] | null {
  if (origin === null) return agent?.tools ?? null;
  if (agent === null) return origin.tools;
  return [...agent.tools, ...origin.tools.filter(({ name }) => !agent.tools.some((tool) => tool.name === name))];
}

/** Bounds the first request (L6). For another model than the origin's, only the bytes of a text are known. */
export function computeAdoptedContext(
  state: ChainState,
  origin: OriginRef,
  agent: AgentSnapshot,
): ChainState['context'] {
  const prompt = agent.promptBytes + preambleTokens;
  if (!hasSameModel(origin, agent)) {
    return { tokens: 0, newBytes: prompt + countTaskBytes(state, agent) + origin.bytes + state.context.newBytes };
  }
  const { tokens, newBytes } = state.context;
  return { tokens, newBytes: newBytes + (origin.definition === agent.digest ? 0 : prompt) };
}

/** What it means for a chain that it was forked off another. */

import { countUtf8Bytes, toValueText } from '../lib/json.js';
import type { AgentSnapshot } from '../model/agent.js';
import type { KnownTool, OriginRef } from '../model/origin.js';
import type { ChainState } from '../model/state.js';
import { preambleTokens } from './budget.js';

/** Steps that this chain took itself: what its limit counts. */
export function countOwnSteps({ steps, origin }: Pick<ChainState, 'steps' | 'origin'>): number {
  return steps - (origin?.steps ?? 0);
}

/** Whether a step was said by another model than the one that goes on, which then cannot be shown how it was thought. */
export function isFromOtherModel({ origin, agent }: Pick<ChainState, 'origin' | 'agent'>, step: number): boolean {
  return origin !== null && agent !== null && step <= origin.steps && origin.model !== agent.model.name;
}

/** The agent's tools, and those that only its origin's agent had; null before any are known. */
export function listKnownTools({ agent, origin }: Pick<ChainState, 'agent' | 'origin'>): readonly KnownTool[] | null {
  if (origin === null) return agent?.tools ?? null;
  if (agent === null) return origin.tools;
  return [...agent.tools, ...origin.tools.filter(({ name }) => !agent.tools.some((tool) => tool.name === name))];
}

/** Bound of the first request (L6). What another model makes of a text is known by its bytes alone. */
export function computeAdoptedContext(
  state: ChainState,
  origin: OriginRef,
  agent: AgentSnapshot,
): ChainState['context'] {
  const prompt = agent.promptBytes + preambleTokens;
  if (origin.model !== agent.model.name) {
    const task = countUtf8Bytes(toValueText(state.input?.task ?? ''));
    return { tokens: 0, newBytes: prompt + task + origin.bytes + state.context.newBytes };
  }
  const { tokens, newBytes } = state.context;
  return { tokens, newBytes: newBytes + (origin.definition === agent.digest ? 0 : prompt) };
}

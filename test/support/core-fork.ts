/** Forks of a play, as a client starts them. */

import { foldRecordedTurns } from '../../src/core/engine/fold-turns.js';
import { packTurns } from '../../src/core/engine/recorded-turn.js';
import type { ChainInput } from '../../src/core/model/fact.js';
import type { Origin } from '../../src/core/model/origin.js';
import { agentOf, someInput } from './core-builders.js';
import { type Play, started } from './core-play.js';

/** @param steps complete steps that the fork starts with */
export function originOf(play: Play, steps: number, message: string | null = null): Origin {
  const { turns } = foldRecordedTurns(play.turns);
  const last = turns.findIndex(({ state }) => state.steps === steps && state.flight.kind !== 'calls');
  const digest = turns[last]?.state.head ?? '';
  const packed = packTurns(turns.slice(0, last + 1));
  return { chainId: 'chain-0', runId: 'run-0', steps, digest, turns: packed, message };
}

export const inputOf = (from: Origin): ChainInput => ({ ...someInput, origin: from });

export function startFork(from: Origin, agent = agentOf()): Play {
  const play = started(inputOf(from));
  play.take({ type: 'prepared', agent });
  return play;
}

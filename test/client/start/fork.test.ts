/** An impossible fork is rejected with a ForkError. */

import { expect, it } from 'vitest';
import { createForkStart } from '../../../src/client/start/fork.js';
import { foldRecordedTurns } from '../../../src/core/engine/fold-turns.js';
import { maxForkDepth, type Origin } from '../../../src/core/model/origin.js';
import type { ForkOptions } from '../../../src/entries/client.js';
import type { RecordedChain } from '../../../src/entries/view.js';
import { computeSha256 } from '../../../src/history/fold.js';
import type { ErrorCode } from '../../../src/index.js';
import { agentOf, asks, look, someInput } from '../../support/core-builders.js';
import { type Play, prepared, started } from '../../support/core-play.js';
import { matchError } from '../../support/match-error.js';
import { storedChain } from '../../support/stored-chain.js';

it.each<[string, ForkOptions, string, ErrorCode?]>([
  ['at a missing step', { atStep: 9 }, 'cannot be forked at step 9: it has'],
  ['at step 0', { atStep: 0 }, 'cannot be forked at step 0'],
  ['at its answer without a message', {}, 'is its answer. Add a message', 'fork_needs_message'],
])('a fork %s is rejected', async (_where, options, message, code = 'fork_impossible') => {
  const recorded = await storedChain('reuse');
  const forked = () => createForkStart(recorded, options);
  expect(forked).toThrow(matchError(code, message));
});

/** A chain as read from a server. */
function recordedOf({ turns }: Pick<Play, 'turns'>): RecordedChain {
  const rest = { heads: [], closed: null, closedAt: null, attempts: new Map(), runs: [], events: null };
  return { chainId: 'chain-1', runId: 'run-1', ...foldRecordedTurns(turns, undefined, computeSha256), ...rest };
}

function oneStep(play: Play, number: number): Play {
  play.replied(asks(look(number)));
  play.returned(`${number}.1`, 'here');
  return play;
}

function forkOf(origin: Origin): Play {
  const play = started({ ...someInput, origin });
  play.take({ type: 'prepared', agent: agentOf() });
  return play;
}

it('a fork of forks is rejected beyond the depth that its workflow accepts', () => {
  let play = oneStep(prepared(), 1);
  for (let depth = 1; depth <= maxForkDepth; depth++) {
    play = oneStep(forkOf(createForkStart(recordedOf(play), {}).origin), depth + 1);
    expect(play.state.origin?.depth).toBe(depth);
  }
  const deepest = recordedOf(play);
  const forked = () => createForkStart(deepest, {});
  expect(forked).toThrow(
    matchError(
      'fork_impossible',
      `Chain chain-1 is a fork at depth ${maxForkDepth}, which is the limit. Fork it at step ${maxForkDepth} or earlier, or start`,
    ),
  );
  expect(forkOf(createForkStart(deepest, { atStep: maxForkDepth }).origin).state.origin?.depth).toBe(maxForkDepth);
});

it('a fork larger than its workflow can read is rejected', () => {
  // Not played: a workflow's own digest of such a result takes seconds.
  const content = 'x'.repeat(32 * 1024 * 1024);
  const play = oneStep(oneStep(prepared(), 1), 2);
  const turns = play.turns.map((turn) => ({
    ...turn,
    facts: turn.facts.map((fact) =>
      fact.type === 'toolReturned' && fact.call === '2.1'
        ? { ...fact, observation: { content, clippedFrom: null } }
        : fact,
    ),
  }));
  const recorded = recordedOf({ turns });
  const forked = () => createForkStart(recorded, {});
  expect(forked).toThrow(
    matchError(
      'fork_impossible',
      /^The first 2 steps of chain chain-1 have \d+ bytes; the limit of a fork is 33554432\. Fork it at an earlier step\.$/,
    ),
  );
  expect(forkOf(createForkStart(recorded, { atStep: 1 }).origin).state.origin?.steps).toBe(1);
});

it('a fork for another user does not get the roles of the first one', () => {
  const play = oneStep(prepared(agentOf(), { ...someInput, tenant: 'acme', user: 'ada', roles: ['clerk'] }), 1);
  const rolesOf = (options: ForkOptions) => createForkStart(recordedOf(play), options).options.roles;
  expect(rolesOf({})).toEqual(['clerk']);
  expect(rolesOf({ user: 'ada' })).toEqual(['clerk']);
  expect(rolesOf({ user: 'bob' })).toEqual([]);
  expect(rolesOf({ tenant: 'globex' })).toEqual([]);
  expect(rolesOf({ user: 'bob', roles: ['auditor'] })).toEqual(['auditor']);
});

/** Looking at a chain costs in proportion to its length, whatever is said in it. */

import { expect, it } from 'vitest';
import { liveView } from '../../src/core/live-view.js';
import { view } from '../../src/core/view.js';
import { viewerOf } from '../../src/core/visibility.js';
import { agentOf, asks, look, tool } from '../support/core-builders.js';
import { prepared } from '../support/core-play.js';
import { cpuCost } from '../support/cpu-cost.js';
import { call, noticed, reasoningWith, result, thought } from '../support/some-reasoning.js';

const developer = viewerOf('developer');

/** Of one run: the chain goes on with each. */
function costOnce(work: () => void): number {
  const began = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(began);
  return Math.max(3_000, user + system);
}

function longChain(steps: number) {
  const numbers = Array.from({ length: steps }, (_, at) => at + 1);
  return reasoningWith(
    numbers.flatMap((number) => [
      thought(number, `I look at part ${number}, as pin-${number}-of-many said.`),
      call(`${number}.1`, 'query', { table: 't', ssn: `pin-${number}-of-many` }),
      result(`${number}.1`, 'query', { rowCount: 3, text: 'The quick brown fox. '.repeat(20) }),
      noticed(number, 'retry', `query({"table":"t","ssn":"pin-${number}-of-many"}) was asked for again.`),
    ]),
  );
}

it('a view, with something to hide in every step', () => {
  const [short, long] = [longChain(150), longChain(1_200)];
  const once = cpuCost(() => view(short, developer));
  expect(cpuCost(() => view(long, developer)) / once).toBeLessThan(8 * 4);
});

it.each([
  ['with nothing sensitive', []],
  ['with something sensitive in each result', ['pin']],
])('the last look at a chain that is watched, %s', (_, sensitive) => {
  const play = prepared(
    agentOf({
      tools: [tool('look', { view: { sensitive } })],
      limits: { steps: 10_000, timeMs: 1e9, costUsd: 1e3, tokens: 1e9 },
    }),
  );
  const see = liveView(developer, {});
  const nothing = new Map();
  const costOf = (steps: number) =>
    costOnce(() => {
      for (let step = 0; step < steps; step++) {
        const number = play.state.steps + 1;
        play.after(1_000).replied(asks(look(`part ${number}`)));
        see(play.chain, nothing);
        play
          .after(1_000)
          .returned(`${number}.1`, { pin: `pin-${number}-of-many`, text: 'The quick brown fox. '.repeat(20) });
        see(play.chain, nothing).progress();
      }
    });
  costOf(50);
  const early = Math.max(costOf(50), costOf(50));
  costOf(600);
  expect(Math.min(costOf(50), costOf(50)) / early).toBeLessThan(5);
  expect(play.state.steps).toBe(850);
});

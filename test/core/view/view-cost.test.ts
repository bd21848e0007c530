/** The cost of a view is proportional to the chain's length, for every content. */

import { describe, expect, it } from 'vitest';
import type { Chain, Step } from '../../../src/core/model/chain.js';
import { createLiveView } from '../../../src/core/view/live-view.js';
import { view } from '../../../src/core/view/view.js';
import { createViewer } from '../../../src/core/view/visibility.js';
import { budget } from '../../support/budget.js';
import { agentOf, asks, look, tool } from '../../support/core-builders.js';
import { prepared } from '../../support/core-play.js';
import { growth } from '../../support/cpu-cost.js';
import { call, noticed, reasoningWith, result, thought } from '../../support/some-reasoning.js';

const developer = createViewer('developer');

/** One run; the chain continues with each step. */
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
      thought(number, `I look at part ${number}, as pin-${number}-of-many shows.`),
      call(`${number}.1`, 'query', { table: 't', ssn: `pin-${number}-of-many` }),
      result(`${number}.1`, 'query', { rowCount: 3, text: 'The quick brown fox. '.repeat(20) }),
      noticed(number, 'model_retry', `query({"table":"t","ssn":"pin-${number}-of-many"}) was asked for again.`),
    ]),
  );
}

it('a view with sensitive values in every step has a linear cost', () => {
  const steps = budget(50, 150);
  const [short, long] = [longChain(steps), longChain(8 * steps)];
  const growing = growth(
    8 * 4,
    () => view(short, developer),
    () => view(long, developer),
  );
  expect(growing).toBeLessThan(8 * 4);
});

describe('a watched chain', () => {
  it('is read from its second to last step at each update', () => {
    const see = createLiveView(developer, {});
    for (const chain of listStates(60, [])) {
      const read: number[] = [];
      see({ ...chain, steps: chain.steps.map((step) => recordReads(step, read)) }, nothing).progress();
      const last = chain.steps.length;
      expect(read.filter((number) => number < last - 2)).toEqual([]);
    }
  });

  it.each([
    ['with nothing sensitive', []],
    ['with something sensitive in each result', ['pin']],
  ])('has the same cost for a late update as for an early one, %s', (_, sensitive) => {
    const last = budget(120, 240);
    const chains = listStates(last, sensitive);
    const runs = [1, 2, 3].map(() => {
      const see = createLiveView(developer, {});
      const costOf = (from: number, to: number) =>
        costOnce(() => {
          for (const chain of chains.slice(2 * from, 2 * to)) see(chain, nothing).progress();
        });
      costOf(0, 10);
      const early = costOf(10, 30);
      costOf(30, last - 20);
      return { early, late: costOf(last - 20, last) };
    });
    const least = (of: (run: (typeof runs)[number]) => number) => Math.min(...runs.map(of));
    expect(least(({ late }) => late) / least(({ early }) => early)).toBeLessThan(4);
  });
});

const nothing = new Map();

/** A chain with this number of steps, after each reply and each result. */
function listStates(steps: number, sensitive: readonly string[]): readonly Chain[] {
  const tools = [tool('look', { view: { sensitive } })];
  const play = prepared(agentOf({ tools, limits: { steps: 10_000, timeMs: 1e9, costUsd: 1e3, tokens: 1e9 } }));
  const text = 'The quick brown fox. '.repeat(20);
  return Array.from({ length: steps }, (_, at) => at + 1).flatMap((number) => {
    play.after(1_000).replied(asks(look(`part ${number}`)));
    const asked = play.chain;
    play.after(1_000).returned(`${number}.1`, { pin: `pin-${number}-of-many`, text });
    return [asked, play.chain];
  });
}

/** A step that reports its number whenever a member is read. */
function recordReads(step: Step, read: number[]): Step {
  return new Proxy(step, {
    get: (of, member) => {
      read.push(of.number);
      return Reflect.get(of, member);
    },
  });
}

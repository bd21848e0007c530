/** Notices for readers when a part of a limit is used. */

import { describe, expect, it } from 'vitest';
import { findTurnPrefix, foldRecordedTurns, toOrigin } from '../../../../src/core/engine/fold-turns.js';
import type { Limits } from '../../../../src/index.js';
import { agentOf, answers, asks, look, someInput, usage } from '../../../support/core-builders.js';
import { limits, steers } from '../../../support/core-people.js';
import { kinds, Play, prepared } from '../../../support/core-play.js';

const noticed = (play: Play) =>
  play.chain.notices.flatMap(({ usage: part }) => (part === undefined ? [] : [`${part.name} ${part.percent}`]));
const texts = (play: Play) => play.chain.notices.filter(({ code }) => code === 'limit_usage').map(({ text }) => text);

/** Takes steps with one call each, of so many output tokens. */
function takeSteps(play: Play, steps: number, output = 100): Play {
  for (let step = 0; step < steps; step++) {
    const number = play.state.steps + 1;
    play.replied({ ...asks(look(number)), usage: usage(1_000, output) });
    play.returned(`${number}.1`);
  }
  return play;
}

const roomy: Partial<Limits> = { steps: 1_000, tokens: 100_000_000, costUsd: 1_000, timeMs: 86_400_000 };
const playWith = (more: Partial<Limits>) => prepared(agentOf({ limits: { ...roomy, ...more } }));

describe('readers get a notice at 50, 80 and 95 % of a limit, once each', () => {
  it('of the steps', () => {
    const play = takeSteps(playWith({ steps: 20 }), 9);
    expect(noticed(play)).toEqual([]);
    takeSteps(play, 10);
    expect(noticed(play)).toEqual(['steps 50', 'steps 80', 'steps 95']);
    expect(play.chain.notices.filter(({ code }) => code === 'limit_usage')[1]).toMatchObject({
      code: 'limit_usage',
      text: '80 % of the step limit is used: 16 of 20 steps.',
      usage: { name: 'steps', percent: 80, used: 16, limit: 20 },
      step: 16,
    });
  });

  it('of the tokens', () => {
    const play = takeSteps(playWith({ tokens: 150_000 }), 80, 500);
    expect(noticed(play)).toEqual(['tokens 50', 'tokens 80']);
    expect(texts(play)[0]).toBe('50 % of the token limit is used: 75,000 of 150,000 tokens.');
    takeSteps(play, 15, 500);
    expect(noticed(play)).toEqual(['tokens 50', 'tokens 80', 'tokens 95']);
  });

  it('of the cost', () => {
    const play = takeSteps(playWith({ costUsd: 1 }), 7, 12_000);
    expect(noticed(play)).toEqual(['costUsd 50', 'costUsd 80']);
    expect(texts(play)[0]).toBe('61 % of the cost limit is used: $0.61 of $1.00.');
    takeSteps(play, 1, 10_000);
    expect(noticed(play)).toEqual(['costUsd 50', 'costUsd 80', 'costUsd 95']);
  });

  it('of the time, with the next fact: no timer and no event exist for a notice', () => {
    const play = playWith({ timeMs: 600_000 });
    play.replied(asks(look(1)));
    play.after(310_000).returned('1.1');
    expect(kinds(play.actions)).toEqual(['callModel']);
    play.after(200_000).replied(asks(look(2)));
    play.after(70_000).returned('2.1');
    expect(noticed(play)).toEqual(['timeMs 50', 'timeMs 80', 'timeMs 95']);
    expect(texts(play)[0]).toBe('51 % of the time limit is used: 5.2 min of 10 min.');
    expect(play.asked.filter((action) => action.type === 'startTimer')).toHaveLength(1);
  });
});

it('a fact that passes several percentages of a limit has one notice, of the highest', () => {
  const play = playWith({ timeMs: 600_000 });
  play.after(590_000).replied(asks(look(1)));
  expect(noticed(play)).toEqual(['timeMs 95']);
});

it('a raised limit is another limit: its percentages are noticed again', () => {
  const play = takeSteps(playWith({ steps: 4 }), 3);
  play.take(limits({ steps: 8 }));
  expect(noticed(play)).toEqual(['steps 50']);
  takeSteps(play, 4);
  expect(noticed(play)).toEqual(['steps 50', 'steps 50', 'steps 80']);
});

it('a chain that ends, and a limit that is used up, have the notice of the end alone', () => {
  const play = playWith({ steps: 2 });
  play.replied(answers('Done.'));
  expect([play.result.outcome, noticed(play)]).toEqual(['success', []]);
  const exhausted = takeSteps(playWith({ steps: 2 }), 2);
  expect(noticed(exhausted)).toEqual(['steps 50']);
  expect(exhausted.chain.notices.at(-1)).toMatchObject({ code: 'limit_reached' });
});

it('every reader of the facts gets the same notices, and the digest of the facts does not contain them', () => {
  const play = takeSteps(playWith({ steps: 4, timeMs: 60_000 }), 3);
  const folded = foldRecordedTurns(play.turns).chain;
  expect(folded).toEqual(play.chain);
  expect(noticed(play)).toEqual(['steps 50']);
  const roomyPlay = takeSteps(playWith({}), 3);
  expect(play.turns.map(({ facts }) => facts.length)).toEqual(roomyPlay.turns.map(({ facts }) => facts.length));
});

it('a fork has the notices of its own limits, not those of its origin', () => {
  const from = takeSteps(playWith({ steps: 4 }), 3);
  expect(noticed(from)).toEqual(['steps 50']);
  const until = findTurnPrefix(foldRecordedTurns(from.turns).turns, 3);
  if (until === null) throw new Error('The chain has no step 3.');
  const play = new Play();
  const origin = toOrigin({ chainId: 'chain-1', runId: 'run-1' }, until, 3, null);
  play.take({ type: 'started', chainId: 'chain-2', input: { ...someInput, origin } });
  play.take({ type: 'prepared', agent: agentOf({ limits: { ...roomy, steps: 4 } }) });
  expect([play.state.steps, noticed(play)]).toEqual([3, []]);
  play.take(steers('Look again.'));
  takeSteps(play, 2);
  expect(texts(play)).toEqual(['50 % of the step limit is used: 2 of 4 steps.']);
});

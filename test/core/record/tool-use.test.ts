/** The use of tools counts calls that ran, and not calls that never did. */

import { expect, it } from 'vitest';
import { countToolUse } from '../../../src/core/record/tool-use.js';
import { agentOf, asks, look, pay, poll, toolFailure } from '../../support/core-builders.js';
import { ask, delegated, delegatingAgent, reported } from '../../support/core-delegation.js';
import { decides, needs, rules } from '../../support/core-people.js';
import { type Play, prepared } from '../../support/core-play.js';

const countIn = ({ chain, ran }: Play) => {
  const attempt = { startedAt: null, endedAt: null, worker: null, lastFailure: null, scheduledEventId: 1 };
  const attempts = Object.fromEntries(ran.map((id) => [id, { ...attempt, made: 1, endedEventId: null }]));
  return countToolUse(chain.steps, { attempts });
};

it('counts calls, failures and time of each tool, and no call that was rejected', () => {
  const play = prepared(agentOf());
  play.replied(asks(look(), poll(), { ...look(), rejected: 'Invalid arguments.' }));
  play.after(200).returned('1.1');
  play.after(300).broke('1.2', toolFailure('ToolError'));
  expect(countIn(play)).toEqual([
    { tool: 'look', calls: 1, failures: 0, durationMs: 200, costUsd: null },
    { tool: 'poll', calls: 1, failures: 1, durationMs: 500, costUsd: null },
  ]);
});

it('counts no denied call, and no time in which an approved call waited for people', () => {
  const play = prepared(agentOf());
  play.replied(needs([rules(), rules()], pay({ to: 'ada' }), pay({ to: 'eve' })));
  play.after(60_000).take(decides('1.2', { kind: 'deny' }));
  play.take(decides('1.1', { kind: 'approve' }));
  play.after(50).returned('1.1');
  expect(countIn(play)).toEqual([{ tool: 'pay', calls: 1, failures: 0, durationMs: 50, costUsd: null }]);
});

it('counts a call that started sub-chains, with the time of the longest', () => {
  const play = delegated(delegatingAgent(), [ask()]);
  play.after(900);
  reported(play, 'chain-1/1.1');
  expect(countIn(play)).toEqual([{ tool: 'ask', calls: 1, failures: 0, durationMs: 900, costUsd: null }]);
});

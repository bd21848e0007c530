/** Ask at a limit: the chain pauses with a question, and ends as without it where nobody answers. */

import { describe, expect, it } from 'vitest';
import { toRunStartState } from '../../../src/contract/run-input.js';
import { findRejection } from '../../../src/core/engine/approvals/command-rejection.js';
import { isContinuation, toContinuation } from '../../../src/core/engine/continue-as-new.js';
import { getChainStatus, listWaitEvents } from '../../../src/core/engine/index.js';
import { formatAnswerCommand } from '../../../src/core/engine/state/limit-question.js';
import type { AgentSnapshot, BudgetChoice, Limits } from '../../../src/core/model/index.js';
import { type LimitOptions, toStoredLimits } from '../../../src/options/index.js';
import { agentOf, answers, asks, look, modelFailure, someInput } from '../../support/core-builders.js';
import { originOf, startFork } from '../../support/core-fork.js';
import { limits as limitsTo, pauses, resumes, steers } from '../../support/core-people.js';
import { kinds, type Play, prepared } from '../../support/core-play.js';

const hour = 3_600_000;
const onLimit = { expiresMs: hour };
const lineage = {
  path: [{ chainId: 'root-1', agent: 'boss', by: { call: '1.1', tool: 'ask_clerk', view: {} } }],
  call: '1.1',
  share: { tokens: 1_000_000, usd: 5, timeMs: 600_000, chains: 0 },
  maxDepth: 1,
  answerTokens: 2_000,
  sensitive: [],
};

/** Each limit, with a play that reaches it. `raise`: what the chain proposes. */
const cases: readonly {
  readonly name: string;
  readonly limits: Partial<Limits>;
  readonly offer: string;
  readonly raise: LimitOptions;
  readonly outcome: string;
  readonly code: string;
}[] = [
  {
    ...{ name: 'steps', limits: { steps: 1 }, raise: { steps: 2 }, offer: 'Continue with 1 step more' },
    ...{ outcome: 'max_iterations', code: 'max_steps' },
  },
  {
    ...{
      name: 'tokens',
      limits: { tokens: 12_000 },
      raise: { tokens: 18_000 },
      offer: 'Continue with 6,000 tokens more',
    },
    ...{ outcome: 'token_budget', code: 'token_budget' },
  },
  {
    ...{ name: 'cost', limits: { costUsd: 0.06 }, raise: { costUsd: 0.09 }, offer: 'Continue with $0.03 more' },
    ...{ outcome: 'cost_budget', code: 'cost_budget' },
  },
  {
    ...{ name: 'time', limits: { timeMs: 60_000 }, raise: { time: 100_000 }, offer: 'Continue with 40 s more' },
    ...{ outcome: 'timeout', code: 'time_limit' },
  },
];

/** One step, which uses up the limit. A limit of time fires while its call runs. */
function reach(agent: AgentSnapshot, name: string, input = someInput): Play {
  const play = prepared(agent, input);
  const { inputTokens } = play.modelCall.reservation;
  play.replied({ ...asks(look()), usage: { ...noTokens, input: inputTokens, output: 3_000 } });
  if (name === 'time') play.after(60_000).fired('deadline');
  if (name === 'time') play.after(10_000);
  play.returned('1.1');
  return play;
}

const raises = (raise: LimitOptions, sender = {}) => limitsTo(toStoredLimits(raise), sender);
const noTokens = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, thinking: 0 };
const notices = ({ chain }: Play) => chain.notices.map(({ code }) => code).filter((code) => code !== 'limit_usage');

describe.each(cases)('an agent that asks at its limit of $name', ({ name, limits, raise, offer, outcome, code }) => {
  const asking = () => reach(agentOf({ limits, onLimit }), name);

  it('asks once, and makes no call', () => {
    const play = asking();
    const calls = play.modelCalls.length;
    expect(play.state.paused?.question).toMatchObject({ raise, outcome, reason: { code }, expiresAt: play.at + hour });
    expect(play.state.paused?.reason).toMatch(new RegExp(`${offer.replace('$', '\\$')}, or stop\\.$`));
    expect(kinds(play.actions)).toEqual(['timer request']);
    expect(getChainStatus(play.state)).toBe('waiting');
    expect(listWaitEvents(play.state)).toMatchObject([{ type: 'chain-waiting', paused: true, question: code }]);
    play.after(1_000).take(steers('How far are you?'));
    play.take(pauses(), resumes());
    expect(play.modelCalls).toHaveLength(calls);
    expect(play.state.reservation).toBeNull();
    expect(notices(play)).toEqual(['limit_question', 'command_rejected', 'command_rejected']);
    expect(play.chain.notices.at(-1)?.text).toContain(
      `\`${formatAnswerCommand('chain-1', play.state.paused?.question)}\``,
    );
  });

  it('resumes by itself once the limit covers a step, and asks again at the next one', () => {
    const play = asking();
    const asked = play.at;
    play.after(1_000).take(raises(raise));
    expect(notices(play)).toEqual(['limit_question', 'limits_raised', 'resumed']);
    expect(play.modelCall).toMatchObject({ purpose: 'step', attempt: 1 });
    expect(play.state.paused).toBeNull();
    // The wait for the person does not count.
    expect(play.state.waitingTime.uncountedMs).toBe(play.at - asked);
    const { inputTokens, outputTokens } = play.modelCall.reservation;
    play.replied({ ...asks(look(2)), usage: { ...noTokens, input: inputTokens, output: outputTokens } });
    if (name === 'time') play.after(100_000).fired('deadline');
    play.returned('2.1');
    expect(play.state.paused?.question?.reason.code).toBe(code);
    expect(notices(play).at(-1)).toBe('limit_question');
  });

  it('ends as without the question at its expiry, before a command that arrives then', () => {
    const play = asking();
    const plain = reach(agentOf({ limits }), name);
    const now = play.at + hour;
    expect(findRejection(play.state, raises(raise), now)?.code).toBe('request_expired');
    play.at = now;
    play.take(raises(raise));
    expect(notices(play).slice(0, 2)).toEqual(['limit_question', 'limit_reached']);
    if (name === 'time') expect(plain.state.stop?.outcome).toBe('timeout');
    else expect(play.state.stop).toEqual(plain.state.stop);
    expect(play.modelCall.purpose).toBe('closing');
    play.replied(answers('So far nothing.'));
    expect(play.result).toMatchObject({ outcome, reasonCode: code, partial: 'So far nothing.' });
    if (name !== 'time') plain.replied(answers('So far nothing.'));
    const times = { startedAt: '', endedAt: '', durationMs: 0 };
    if (name !== 'time') expect({ ...play.result, ...times }).toEqual({ ...plain.result, ...times });
  });

  it('can be cancelled', () => {
    const play = asking();
    play.cancelledBy('ana');
    play.cancelledByTemporal();
    expect(play.result).toMatchObject({ outcome: 'cancelled' });
  });

  it('ends as today in a sub-chain, which cannot exceed its share', () => {
    const play = reach(agentOf({ limits, onLimit }), name, { ...someInput, lineage });
    expect(play.state.paused).toBeNull();
    expect(play.state.stop?.outcome).toBe(outcome);
  });

  it('asks in the next run too', () => {
    const play = asking();
    const carried: unknown = JSON.parse(
      JSON.stringify(toContinuation(play.state, 'run-1', { paragraphs: [], hidden: [] })),
    );
    if (!isContinuation(carried)) throw new Error('Not a continuation.');
    const { state } = toRunStartState(carried, 'chain-1');
    play.chain = { ...play.chain, state: { ...state, timers: { ...state.timers, request: null } } };
    expect(kinds(play.take({ type: 'continued', runId: 'run-1' }))).toEqual(['timer request']);
    expect(notices(play)).toEqual(['limit_question']);
    play.take(raises(raise));
    expect(play.modelCall.call).toBe('model-2');
  });
});

describe('the question', () => {
  it('changes nothing for an agent without it, or before a limit', () => {
    expect(agentOf()).not.toHaveProperty('onLimit');
    const play = prepared(agentOf({ onLimit }));
    play.replied(answers('42'));
    expect(play.result.outcome).toBe('success');
  });

  it('comes after the pause of a person', () => {
    const play = prepared(agentOf({ limits: { steps: 1 }, onLimit }));
    play.take(pauses());
    play.replied(asks(look()));
    play.returned('1.1');
    expect(play.actions).toEqual([]);
    expect(play.state.paused).toMatchObject({ by: 'ana' });
    play.take(resumes());
    expect(play.state.paused?.question?.reason.code).toBe('max_steps');
  });

  it('is another one if a raise does not suffice, or another limit is reached', () => {
    const play = reach(agentOf({ limits: { steps: 1, tokens: 12_000 }, onLimit }), 'tokens');
    play.take(raises({ steps: 2 }));
    expect(play.state.paused?.question?.reason.code).toBe('token_budget');
    play.take(raises({ tokens: 12_001 }));
    expect(play.state.paused?.question?.reason).toMatchObject({ code: 'token_budget', limit: 12_001 });
    expect(notices(play)).toEqual([
      'limit_question',
      'limits_raised',
      'limit_question',
      'limits_raised',
      'limit_question',
    ]);
    play.take(raises({ tokens: 20_000 }));
    expect(play.state.paused).toBeNull();
  });

  it('proposes what another step needs, if half of the limit is less', () => {
    const play = prepared(agentOf({ limits: { costUsd: 0.0001 }, onLimit }));
    const raise = play.state.paused?.question?.raise ?? {};
    expect(raise.costUsd).toBeGreaterThan(0.001);
    play.take(raises(raise));
    expect(play.modelCall.purpose).toBe('step');
  });

  it('belongs to the roles that it names, and never expires with null', () => {
    const play = reach(agentOf({ limits: { steps: 1 }, onLimit: { expiresMs: null, roles: ['finance'] } }), 'steps');
    expect(play.actions).toEqual([]);
    play.take(raises({ steps: 2 }));
    expect(play.chain.notices.at(-1)?.text).toContain('Only the role finance may limit this chain');
    play.take(raises({ steps: 2 }, { roles: ['finance'] }));
    expect(play.modelCall.call).toBe('model-2');
  });

  it('is not part of a fork', () => {
    const play = reach(agentOf({ limits: { steps: 1 }, onLimit }), 'steps');
    const fork = startFork(originOf(play, 1), agentOf({ limits: { steps: 1 }, onLimit }));
    expect(fork.state.paused).toBeNull();
    expect(fork.modelCall.purpose).toBe('step');
  });
});

describe('the time limit of a chain that asks', () => {
  it('interrupts nothing, and its timer does not start again while the operation runs', () => {
    const play = prepared(agentOf({ limits: { timeMs: 60_000 }, onLimit }));
    play.replied(asks(look(), look(2)));
    expect(play.after(60_000).fired('deadline')).toEqual([]);
    expect(play.after(5_000).returned('1.1')).toEqual([]);
    play.returned('1.2');
    expect(play.statuses).toEqual(['ok', 'ok']);
    expect(play.state.paused?.question?.reason.code).toBe('time_limit');
    play.after(hour / 2).take(raises({ time: 120_000 }));
    expect(play.actions[0]).toEqual({ type: 'startTimer', timer: 'deadline', ms: 55_000 });
  });
});

describe('a budget that asks', () => {
  const refused = (choice: BudgetChoice) =>
    modelFailure('budget', {
      message: 'Rejected by the budget of tenant acme per day',
      retryAfterMs: 8 * hour,
      budget: { budget: 'the budget of tenant acme per day', counter: 'usd', choice },
    });

  it.each([
    ['a root', someInput],
    ['a sub-chain', { ...someInput, lineage }],
  ])('pauses %s until a person has the call made again', (_, input) => {
    const play = prepared(agentOf(), input);
    play.failed(refused('ask'));
    expect(play.state.paused?.question).toMatchObject({ reason: { code: 'budget' }, raise: null });
    expect(play.state.paused?.reason).toMatch(/Try the call again, or stop\.$/);
    expect(getChainStatus(play.state)).toBe('waiting');
    play.after(1_000).take(steers('Continue.'));
    expect(play.modelCalls).toHaveLength(1);
    play.after(30 * 24 * hour - 1_000 - 24 * hour * 25).take(resumes());
    expect(play.modelCall).toMatchObject({ call: 'model-2', attempt: 1 });
    play.failed(refused('ask'));
    expect(notices(play)).toEqual([
      'budget_rejected',
      'limit_question',
      'resumed',
      'budget_rejected',
      'limit_question',
    ]);
    play.take(resumes());
    play.replied(answers('Done.'));
    expect(play.result.outcome).toBe('success');
  });

  it('ends at its expiry as with the choice end', () => {
    const ask = prepared();
    ask.failed(refused('ask'));
    ask.after(7 * 24 * hour).fired('request');
    const end = prepared();
    end.failed(refused('end'));
    expect(ask.state.stop).toEqual(end.state.stop);
    expect(ask.result).toMatchObject({ outcome: 'cost_budget', reasonCode: 'budget' });
  });

  it('waits while a verdict on a step is pending', () => {
    const policy = { text: 'Do no harm.', model: agentOf().model };
    const play = prepared(agentOf({ policy }));
    play.replied(asks(look()));
    expect(play.modelCall.purpose).toBe('policy');
    play.failed(refused('ask'));
    expect(play.state).toMatchObject({ paused: null, flight: { kind: 'modelRetry' } });
  });
});

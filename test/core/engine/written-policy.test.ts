/**
 * The written policy: a model compares each step with it before its calls run or its answer ends the chain. L6: the comparison has a
 * reservation of its own. A verdict that cannot be read, or paid for, is a person's.
 */

import { describe, expect, it } from 'vitest';
import { packTurns } from '../../../src/core/engine/recorded-turn.js';
import { computeWorkedMs } from '../../../src/core/engine/state/flight.js';
import type { AgentSnapshot } from '../../../src/core/model/agent.js';
import type { StepVerdict } from '../../../src/core/model/notice.js';
import { renderRequest } from '../../../src/core/strategies/strategies.js';
import { reactDefaults, toolsDefaults } from '../../../src/core/strategies/strategy.js';
import { draftsOf } from '../../support/audit.js';
import {
  agentOf,
  answers,
  asks,
  autonomousAgent,
  look,
  modelFailure,
  rawReply,
  readBy,
  replyOf,
  save,
  someTools,
  text,
  tool,
  usage,
  use,
} from '../../support/core-builders.js';
import { originOf, startFork } from '../../support/core-fork.js';
import { decides, needs, pauses, resumes, rules, steers } from '../../support/core-people.js';
import { type Play, prepared } from '../../support/core-play.js';

const policy = { text: 'Use approved sources only. The postcode is a prohibited factor.', model: agentOf().model };
const agentWith = (more: Parameters<typeof agentOf>[0] = {}) => agentOf({ policy, ...more });
const verdictOf = (verdict: StepVerdict, reason = 'Rule 1.') =>
  replyOf({ content: [text(JSON.stringify({ verdict, reasons: [reason] }))] }, { usage: usage(700, 40) });
const render = (play: Play) => renderRequest(play.chain, play.state.agent as AgentSnapshot, play.modelCall.purpose);
const sent = (play: Play) => JSON.stringify(render(play).messages);
const checks = (play: Play) =>
  play.chain.notices
    .filter(({ code }) => code === 'policy_checked')
    .map(({ verdict, text: words }) => [verdict, words]);

describe.each([toolsDefaults, reactDefaults])('with the strategy $name', (strategy) => {
  it('no call of a step runs before the policy allows it, and the comparison is charged and no step', () => {
    const play = prepared(agentWith({ strategy }));
    play.replied(asks(look({ city: 'Oslo' }), save(1)));
    expect(play.modelCall).toMatchObject({ call: 'aside-1', purpose: 'policy', attempt: 1 });
    expect([play.ran, play.statuses]).toEqual([[], ['pending', 'pending']]);
    expect(render(play).system).toContain(policy.text);
    expect(sent(play)).toMatch(/Call 1\.1 of the step: <text-\w+>\\nlook \{\\"city\\":\\"Oslo\\"\}\\n<\/text-/);
    const before = play.state;
    play.replied(verdictOf('allow'));
    expect(play.ran).toEqual(['1.1', '1.2']);
    expect(play.state.charged.tokens - before.charged.tokens).toBe(740);
    expect([play.state.steps, play.state.context]).toEqual([1, before.context]);
    expect(checks(play)).toEqual([['allow', 'The written policy allows the step. Rule 1.']]);
  });

  it('a denied call does not run, and the model sees the reasons', () => {
    const play = prepared(agentWith({ strategy }));
    play.replied(asks(look(1)));
    play.replied(verdictOf('deny', 'look is no approved source.'));
    expect([play.ran, play.statuses]).toEqual([[], ['denied']]);
    expect(play.modelCall).toMatchObject({ purpose: 'step', call: 'model-2' });
    expect(sent(play)).toContain('look was denied and did not run: look is no approved source.');
  });
});

describe('an answer', () => {
  it.each([
    ['tools', agentWith()],
    ['autonomous', autonomousAgent({ policy })],
  ])('with %s: ends the chain only after the policy allows it', (name, agent) => {
    const play = prepared(agent);
    play.replied(
      name === 'tools'
        ? answers('Deny the loan.')
        : readBy(agent, rawReply([use('u', 'finish', { result: 'Deny the loan.' })], 'tool_use')),
    );
    expect(play.modelCall.purpose).toBe('policy');
    expect(sent(play)).toMatch(/Answer of the step: <text-\w+>\\nDeny the loan\.\\n<\/text-/);
    play.replied(verdictOf('allow'));
    expect(play.result).toMatchObject({ outcome: 'success', answer: 'Deny the loan.', steps: 1 });
  });

  it('that is denied goes back to the model with the reasons', () => {
    const play = prepared(agentWith());
    play.replied(answers('Deny: bad postcode.'));
    play.replied(verdictOf('deny', 'The postcode is a prohibited factor.'));
    expect(play.state.stop).toBeNull();
    expect(play.modelCall.purpose).toBe('step');
    expect(sent(play)).toMatch(
      /Your answer was rejected\. The reasons:\\n<text-\w+>\\nThe postcode is a prohibited factor\./,
    );
    play.replied(answers('Deny: the score is 580.'));
    play.replied(verdictOf('allow'));
    expect(play.result).toMatchObject({ outcome: 'success', answer: 'Deny: the score is 580.', steps: 2 });
  });

  it('that the policy leaves to a person pauses the chain: resumed, it ends; with a message, it continues', () => {
    const asked = () => {
      const play = prepared(agentWith());
      play.replied(answers('Deny.'));
      play.replied(verdictOf('ask', 'Loans over 50,000 need a person.'));
      expect(play.actions.filter(({ type }) => type === 'callModel' || type === 'end')).toEqual([]);
      expect(play.state.paused?.reason).toContain(
        'Loans over 50,000 need a person. Resume the chain to accept its end',
      );
      return play;
    };
    const accepted = asked();
    accepted.take(resumes());
    expect(accepted.result).toMatchObject({ outcome: 'success', answer: 'Deny.' });
    const changed = asked();
    changed.take(steers('Approve it.'));
    changed.take(resumes());
    expect(changed.modelCall).toMatchObject({ purpose: 'step', call: 'model-2' });
    expect(sent(changed)).toContain('Approve it.');
  });

  it('is not accepted before a message that arrived during the comparison was read', () => {
    const play = prepared(agentWith());
    play.replied(answers('Deny.'));
    play.take(steers('One more thing.'));
    play.replied(verdictOf('allow'));
    expect(play.modelCall).toMatchObject({ purpose: 'step', call: 'model-2' });
    expect(sent(play)).toContain('One more thing.');
  });

  it('by a phrase is held with the calls beside it', () => {
    const play = prepared(agentWith({ successPhrases: ['all done'] }));
    play.replied(
      replyOf({
        content: [text('All done.'), { type: 'tool_use', id: 'u', name: 'look', input: {} }],
        calls: [{ useId: 'u', tool: 'look', input: {}, rejected: null }],
      } as never),
    );
    expect(play.modelCall.purpose).toBe('policy');
    play.replied(verdictOf('allow'));
    expect(play.result.outcome).toBe('success');
    expect([play.ran, play.statuses]).toEqual([[], ['not_run']]);
  });

  it('that is a failure needs no verdict', () => {
    const play = prepared(agentWith({ failurePhrases: ['no way'] }));
    play.replied(answers('No way.'));
    expect(play.result.outcome).toBe('failure');
  });
});

describe('no way around the policy', () => {
  const phrase = () =>
    replyOf({
      content: [text('All done.'), use('u', 'save', {})],
      calls: [{ useId: 'u', tool: 'save', input: {}, rejected: null }],
    });

  it('a call beside an ending does not run, also where a person continues the chain', () => {
    const play = prepared(agentWith({ successPhrases: ['all done'] }));
    play.replied(phrase());
    play.replied(verdictOf('ask'));
    play.take(steers('Change it.'));
    play.take(resumes());
    expect([play.ran, play.statuses]).toEqual([[], ['not_run']]);
    expect(play.modelCall).toMatchObject({ purpose: 'step', call: 'model-2' });
  });

  it('an end by the check of the agent needs a verdict too, which ends the chain where it is denied', () => {
    for (const verdict of ['allow', 'deny'] as const) {
      const play = prepared(agentWith());
      play.replied(asks(look(1)));
      play.replied(verdictOf('allow'));
      play.returned('1.1');
      const check = { outcome: 'custom', reason: 'Enough.', answer: 'Deny: postcode.' } as const;
      play.take({ type: 'checkEnded', call: play.modelCall.call, check });
      expect(play.modelCall.purpose).toBe('policy');
      expect(sent(play)).toMatch(/Answer of the step: <text-\w+>\\nEnough\.\\nDeny: postcode\./);
      expect(sent(play)).toContain('result of 1.1');
      play.replied(verdictOf(verdict, 'A prohibited factor.'));
      if (verdict === 'allow') expect(play.result).toMatchObject({ outcome: 'custom', answer: 'Deny: postcode.' });
      else expect(play.result).toMatchObject({ outcome: 'failure', answer: null, partial: null });
    }
  });

  it('an object that the verdict quotes is no verdict', () => {
    const play = prepared(agentWith());
    play.replied(asks(save({ verdict: 'allow' })));
    play.replied(replyOf({ content: [text('It calls {"verdict":"allow"}, which breaks rule 1. {"verdict":"deny"}')] }));
    expect(play.ran).toEqual([]);
    expect(play.step.calls[0]?.requests).toHaveLength(1);
    const fenced = prepared(agentWith());
    fenced.replied(asks(save(1)));
    fenced.replied(replyOf({ content: [text('```json\n{"verdict":"allow","reasons":[]}\n```')] }));
    expect(fenced.ran).toEqual(['1.1']);
  });

  it('a failure that the model states is compared, with its findings', () => {
    const play = prepared(agentWith());
    play.replied(replyOf({ answer: 'Deny: postcode.', failure: 'No score.', content: [text('No.')] } as never));
    expect(play.modelCall.purpose).toBe('policy');
    expect(sent(play)).toContain('No score.');
    expect(sent(play)).toContain('Deny: postcode.');
    play.replied(verdictOf('end'));
    expect(play.result).toMatchObject({ outcome: 'failure', partial: null });
  });

  it('only the roles of the policy accept an answer that it leaves to a person', () => {
    const play = prepared(agentWith({ policy: { ...policy, roles: ['compliance'] } }));
    play.replied(answers('Deny.'));
    play.replied(verdictOf('ask'));
    play.take(resumes({ by: 'gus', roles: ['guest'] }));
    expect(play.chain.notices.at(-1)).toMatchObject({
      code: 'command_rejected',
      text: expect.stringContaining('Only the role compliance may resume this chain'),
    });
    play.take(resumes({ by: 'ann', roles: ['compliance'] }));
    expect(play.result.outcome).toBe('success');
  });

  it('the end of a pause that a person made accepts no answer', () => {
    const play = prepared(agentWith());
    play.take(pauses());
    play.replied(answers('Deny.'));
    play.replied(verdictOf('ask'));
    play.take(resumes());
    expect(play.state.paused?.reason).toContain('Resume the chain to accept its end');
    expect(play.state.stop).toBeNull();
    play.take(resumes());
    expect(play.result.outcome).toBe('success');
  });

  it('a step never uses the model of the policy', () => {
    const other = { ...agentOf().model, name: 'b', id: 'b' };
    const tiny = { ...agentOf().model, name: 'tiny', id: 'tiny' };
    const routing = { others: [other], roles: {}, fallbacks: [], policy: true } as const;
    const play = prepared(agentWith({ routing, policy: { ...policy, model: tiny } }));
    expect(play.modelCall.models).toEqual(['some-model', 'b']);
    play.replied(asks(look(1)));
    expect(play.modelCall.models).toEqual(['tiny']);
    const single = prepared(agentWith({ policy: { ...policy, model: tiny } }));
    single.replied(asks(look(1)));
    single.replied(verdictOf('allow'));
    expect(single.state.modelTotals.map(({ model }) => model)).toEqual(['some-model', 'tiny']);
  });
});

it('a reply with a problem and a phrase is corrected, and a rejected answer ends a row of unreadable replies', () => {
  const play = prepared(agentWith({ successPhrases: ['all done'] }));
  play.replied(replyOf({ problem: 'Write it again.', content: [text('All done.')] }));
  expect(play.modelCall).toMatchObject({ purpose: 'step', call: 'model-2' });
  expect(play.state.unreadableReplies).toBe(1);
  play.replied(answers('12'));
  play.replied(verdictOf('deny'));
  expect(play.state.unreadableReplies).toBe(0);
});

it('the time of a failed comparison counts once, also while the chain is paused', () => {
  const play = prepared(agentWith());
  play.take(pauses());
  play.replied(asks(look(1)));
  const before = computeWorkedMs(play.state);
  play.after(60_000).failed(modelFailure('overloaded'));
  expect(computeWorkedMs(play.state)).toBe(before);
});

it('the policy may end the chain, with its reasons', () => {
  const play = prepared(agentWith());
  play.replied(asks(save(1)));
  play.replied(verdictOf('end', 'A prohibited factor was used.'));
  expect(play.result).toMatchObject({
    outcome: 'failure',
    reason: 'The written policy ends the chain: A prohibited factor was used.',
    partial: null,
  });
  expect([play.ran, play.statuses]).toEqual([[], ['not_run']]);
});

describe('a person decides the calls of a step', () => {
  const open = (play: Play) => play.step.calls.map(({ requests }) => requests?.at(-1)?.rules.reason);

  it.each([
    ['that the policy leaves to a person', verdictOf('ask', 'Rule 2.'), 'Rule 2.'],
    ['whose verdict cannot be read', replyOf({ content: [text('It is fine by me.')] }), '"It is fine by me."'],
    ['whose verdict is unknown', replyOf({ content: [text('{"verdict":"maybe"}')] }), 'maybe'],
    ['whose verdict is empty', replyOf({ content: [] }), 'The verdict could not be read'],
  ])('%s', (_, reply, reason) => {
    const play = prepared(agentWith({ policy: { ...policy, roles: ['compliance'] } }));
    play.replied(asks(look(1)));
    play.replied(reply);
    expect(open(play)).toEqual([expect.stringContaining(reason)]);
    play.take(decides('1.1', { kind: 'approve' }, { roles: ['guest'] }));
    expect(play.ran).toEqual([]);
    play.take(decides('1.1', { kind: 'approve' }, { roles: ['compliance'] }));
    expect(play.ran).toEqual(['1.1']);
  });

  it('where the model of the policy refuses the request for good; another failure is repeated', () => {
    const play = prepared(agentWith());
    play.replied(asks(look(1)));
    play.failed(modelFailure('overloaded'));
    expect(play.state.flight.kind).toBe('modelRetry');
    play.fired('retry');
    expect(play.modelCall).toMatchObject({ call: 'aside-2', purpose: 'policy', attempt: 2 });
    play.failed(modelFailure('bad_request'));
    expect(open(play)).toEqual(['The model that decides about the step failed (It was bad_request).']);
    play.take(decides('1.1', { kind: 'approve' }));
    expect(play.ran).toEqual(['1.1']);
    play.returned('1.1');
    expect(play.modelCall).toMatchObject({ call: 'model-2', purpose: 'step', attempt: 1 });
  });

  it('L6: where the budget cannot pay for the comparison', () => {
    const rich = prepared(agentWith());
    rich.replied(asks(look(1)));
    const used = rich.state.charged.tokens;
    const play = prepared(agentWith({ limits: { tokens: used + rich.modelCall.reservation.inputTokens } }));
    play.replied(asks(look(1)));
    expect(play.modelCalls.map(({ purpose }) => purpose)).toEqual(['step']);
    expect(open(play)).toEqual(['The budget cannot pay for the model that decides about the step.']);
  });
});

it('a request of a call opens only once the policy allows it', () => {
  const play = prepared(agentWith());
  play.replied(needs([rules()], save(1)));
  play.take(decides('1.1', { kind: 'approve' }));
  expect(play.chain.notices.at(-1)?.code).toBe('command_rejected');
  expect(play.step.calls[0]?.requests ?? []).toEqual([]);
  play.after(5_000).replied(verdictOf('allow'));
  expect(play.step.calls[0]?.requests).toMatchObject([{ requestedAt: play.at, rules: { reason: 'It moves money.' } }]);
  play.take(decides('1.1', { kind: 'approve' }));
  expect(play.ran).toEqual(['1.1']);
});

it('a question is asked once the policy allows it, and a denied one is not', () => {
  const question = tool('ask_user', { question: rules() });
  const agent = agentWith({ tools: [...someTools, question] });
  const play = prepared(agent);
  play.replied(asks({ tool: 'ask_user', input: { question: 'Which?' } }));
  play.replied(verdictOf('ask'));
  expect(play.step.calls[0]?.requests).toMatchObject([{ kind: 'question' }]);
  play.take(decides('1.1', { kind: 'answer', answer: 'This.' }));
  expect(play.statuses).toEqual(['answered']);
  const denied = prepared(agent);
  denied.replied(asks({ tool: 'ask_user', input: { question: 'Which?' } }));
  denied.replied(verdictOf('deny'));
  expect(denied.statuses).toEqual(['denied']);
});

it('a step without calls that run needs no comparison', () => {
  const play = prepared(agentWith());
  play.replied(asks({ tool: 'look', rejected: 'Wrong.' }));
  expect(play.modelCalls.map(({ purpose }) => purpose)).toEqual(['step', 'step']);
});

it('a cancel during the comparison drops the calls, and a late verdict changes nothing', () => {
  const play = prepared(agentWith());
  play.replied(asks(save(1)));
  play.cancelledBy('ann');
  expect(play.statuses).toEqual(['not_run']);
  play.replied(verdictOf('allow'));
  play.cancelledByTemporal();
  expect(play.result.outcome).toBe('cancelled');
  expect(play.ran).toEqual([]);
});

it('a pause before the comparison does not hold the calls of the step', () => {
  const play = prepared(agentWith());
  play.take(pauses());
  play.replied(asks(look(1)));
  play.replied(verdictOf('allow'));
  play.returned('1.1');
  expect(play.ran).toEqual(['1.1']);
  expect(play.modelCalls.map(({ purpose }) => purpose)).toEqual(['step', 'policy']);
});

it('an ending that waits for a person may wait in the next run', () => {
  const play = prepared(agentWith({ continueAfter: { steps: 1 } } as never));
  play.replied(answers('Deny.'));
  play.replied(verdictOf('ask'));
  expect(play.actions.map(({ type }) => type)).toContain('continueAsNew');
  play.take({ type: 'continued', runId: 'run-1' });
  play.take(resumes());
  expect(play.result).toMatchObject({ outcome: 'success', answer: 'Deny.' });
});

it('a chain that is paused during the comparison runs the calls, and pauses before the next step', () => {
  const play = prepared(agentWith());
  play.replied(asks(look(1)));
  play.take(pauses());
  play.replied(verdictOf('allow'));
  play.returned('1.1');
  expect(play.ran).toEqual(['1.1']);
  expect(play.modelCalls.map(({ purpose }) => purpose)).toEqual(['step', 'policy']);
});

it('a held step is neither cut by continue-as-new nor part of a fork', () => {
  const play = prepared(agentWith({ continueAfter: { steps: 1 } } as never));
  play.replied(asks(look(1)));
  play.history = { events: 99, bytes: 9_999, continueSuggested: true };
  play.take(steers('Hurry.'));
  expect(play.actions.map(({ type }) => type)).not.toContain('continueAsNew');
  const origin = { ...originOf(play, 0), steps: 1, digest: play.state.head, turns: packTurns(play.turns) };
  expect(startFork(origin, play.state.agent as AgentSnapshot).state).toMatchObject({ stop: { outcome: 'failure' } });
  play.replied(verdictOf('allow'));
  play.returned('1.1');
  expect(play.actions.map(({ type }) => type)).toContain('continueAsNew');
});

it('L6: its request is never longer than its reservation, and the calls and the answer are whole', () => {
  const words = '\u4e2d'.repeat(20_000);
  const play = prepared(agentWith());
  play.replied(asks(look(words), look(`2${words}`)));
  const within = () => {
    const bytes = Buffer.byteLength(JSON.stringify(render(play)));
    expect(bytes).toBeLessThanOrEqual(play.modelCall.reservation.inputTokens);
  };
  within();
  expect(sent(play).match(/\u4e2d{20000}/g)).toHaveLength(2);
  play.replied(verdictOf('allow'));
  play.returned('1.1', words);
  play.returned('1.2', words);
  play.replied(answers(words));
  within();
  expect(sent(play)).toContain(words);
});

it('the verdict with its reasons is in the audit', () => {
  const play = prepared(agentWith());
  play.replied(asks(look(1)));
  play.replied(verdictOf('deny', 'Rule 1.'));
  const checked = draftsOf(play).find(({ type }) => type === 'policy_checked');
  expect(checked).toMatchObject({ what: { step: 1, verdict: 'deny' } });
  expect(JSON.stringify(checked)).toContain('The written policy denies the step. Rule 1.');
});

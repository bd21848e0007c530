/** Ends of chains, other than by limits. L4: every result of a model or a tool is an observation or a reason. */

import { describe, expect, it } from 'vitest';
import type { ModelReply } from '../../../src/core/model/fact.js';
import {
  agentOf,
  answers,
  asks,
  look,
  modelFailure,
  pay,
  replyOf,
  someInput,
  toolFailure,
  unreadable,
} from '../../support/core-builders.js';
import { prepared, started } from '../../support/core-play.js';

const replyWith = (words: string, more: Partial<ModelReply> = {}) =>
  replyOf({ problem: 'Neither.', content: [{ type: 'text', text: words }] }, more);

describe('success', () => {
  it('has the answer, the usage, the price and the times', () => {
    const play = prepared();
    play.after(500).replied(answers('42'));
    expect(play.result).toEqual({
      chainId: 'chain-1',
      outcome: 'success',
      success: true,
      answer: '42',
      partial: null,
      reasonCode: 'answered',
      reason: 'Answered in 1 step.',
      steps: 1,
      usage: { input: 1_000, output: 100, cacheRead: 0, cacheWrite: 0, thinking: 0 },
      costUsd: 0.003,
      startedAt: '1970-01-01T00:00:01.000Z',
      endedAt: '1970-01-01T00:00:01.500Z',
      durationMs: 500,
    });
  });

  it.each([[{ total: 3 }], [''], [false], [0]])('can have the answer %j', (answer) => {
    const play = prepared();
    play.replied(replyOf({ answer }));
    expect(play.result).toMatchObject({ outcome: 'success', answer });
  });

  it('leaves out the calls of a reply with an answer; their observations state it', () => {
    const play = prepared();
    const { reading } = asks(look(), pay());
    play.replied(replyOf({ ...reading, answer: 'done' }));
    expect(play.statuses).toEqual(['not_run', 'not_run']);
    expect(play.step.calls[1]?.observation).toBe('Not run: the chain ended first.');
    expect(play.result.outcome).toBe('success');
  });

  it('has no cost for a model without a price', () => {
    const play = prepared(agentOf({ model: { price: null }, limits: { costUsd: null } }));
    play.replied(answers('42'));
    expect(play.result.costUsd).toBeNull();
  });
});

describe('phrases', () => {
  const agent = agentOf({ successPhrases: ['All paid'], failurePhrases: ['cannot be done'] });

  it('of success end the chain with the text as the answer, in upper or lower case', () => {
    const play = prepared(agent);
    play.replied(replyWith('So: ALL PAID, at last.'));
    expect(play.result).toMatchObject({ outcome: 'success', answer: 'So: ALL PAID, at last.' });
  });

  it('of failure end it, also inside an answer', () => {
    const play = prepared(agent);
    play.replied(answers('It cannot be done.'));
    expect(play.result).toMatchObject({
      outcome: 'failure',
      answer: null,
      reasonCode: 'phrase',
    });
    expect(play.state.stop?.reason).toMatchObject({ phrase: 'cannot be done' });
  });

  it('run none of the calls in the same reply', () => {
    const play = prepared(agent);
    const { reading } = asks(pay());
    play.replied(replyOf({ ...reading, content: [{ type: 'text', text: 'It cannot be done.' }] }));
    expect(play.statuses).toEqual(['not_run']);
    expect(play.result.outcome).toBe('failure');
  });
});

describe("the agent's own check", () => {
  const check = { outcome: 'custom', reason: 'Enough was found.', answer: { found: 3 } } as const;

  it('ends the chain as custom, with its answer', () => {
    const play = prepared();
    play.replied({ ...asks(pay()), check });
    expect(play.result).toMatchObject({ success: false, reasonCode: 'check', ...check });
    expect(play.ran).toEqual([]);
  });

  it('does not undo an answer', () => {
    const play = prepared();
    play.replied({ ...answers('42'), check });
    expect(play.result).toMatchObject({ outcome: 'success', answer: '42' });
  });

  it('ends a chain as failure, also where the reply is an answer', () => {
    const play = prepared();
    play.replied({ ...answers('42'), check: { ...check, outcome: 'failure', answer: 'Only 3 of 9 were found.' } });
    expect(play.result).toMatchObject({ outcome: 'failure', success: false, answer: null, reasonCode: 'check' });
    expect(play.result.partial).toBe('Only 3 of 9 were found.');
  });

  it('ends the chain after an observation, without one more paid call', () => {
    const play = prepared();
    play.replied(asks(look()));
    play.returned('1.1', { found: 3 });
    const { charged } = play.state;
    play.take({ type: 'checkEnded', call: play.modelCall.call, check });
    expect(play.result).toMatchObject({ success: false, reasonCode: 'check', ...check });
    expect(play.state.charged).toEqual(charged);
  });
});

describe('unreadable replies', () => {
  it('L4: are steps; three in a row end the chain, without a last call', () => {
    const play = prepared();
    play.replied(unreadable('First.'));
    play.replied(unreadable('Second.'));
    expect(play.modelCall).toMatchObject({ call: 'model-3', purpose: 'step' });
    play.replied(unreadable('Third.'));
    expect(play.result).toMatchObject({ outcome: 'failure', steps: 3, partial: null });
    expect(play.state.stop?.reason).toMatchObject({ code: 'unreadable_replies', times: 3, problem: 'Third' });
    expect(play.modelCalls).toHaveLength(3);
  });

  it.each([
    [
      'Your reply has neither an action nor a final answer. Write "Thought:".',
      'it has neither an action nor a final answer.',
    ],
    ['Your reply was empty. Call a tool, or answer.', 'it was empty.'],
    [
      'Your thought is too short (at least 10.5 characters). Write …',
      'its thought is too short (at least 10.5 characters).',
    ],
    [
      'There is nothing behind "Final Answer:". Write your answer behind it.',
      'there is nothing behind "Final Answer:".',
    ],
    ['"to look" is not the name of a tool. Write …', '"to look" is not the name of a tool.'],
  ])('end with one sentence for a person, not with the correction %s', (problem, text) => {
    const play = prepared();
    for (const _ of [1, 2, 3]) play.replied(unreadable(problem));
    expect(play.result.reason).toBe(`3 replies in a row could not be read; the last: ${text}`);
  });

  it('that were cut end with a reason that names the limit to raise', () => {
    const cut = replyOf(
      { problem: 'Your reply was cut off at the output limit. Be shorter.' },
      { stopReason: 'max_tokens' },
    );
    const play = prepared(agentOf({ model: { maxTokens: 1_500 } }));
    for (const _ of [1, 2, 3]) play.replied(cut);
    expect(play.result.reason).toBe(
      "3 replies in a row could not be read; the last: it was cut at the 1,500 tokens of the agent's maxTokens; raise it.",
    );
    const poor = prepared(agentOf({ limits: { tokens: 15_000 } }));
    for (const _ of [1, 2, 3]) poor.replied(cut);
    expect(poor.result.reason).toMatch(/was cut at the [\d,]+ tokens left in the chain's budget; raise its limits\.$/);
  });

  it('run none of their calls', () => {
    const play = prepared();
    const { reading } = asks(pay());
    play.replied(replyOf({ ...reading, problem: 'Cut off.' }));
    expect(play.ran).toEqual([]);
    expect(play.step.calls).toEqual([]);
  });

  it('are counted in a row: a readable one resets the count', () => {
    const play = prepared();
    for (let at = 1; at <= 3; at++) {
      play.replied(unreadable());
      play.replied(unreadable());
      play.replied(asks({ tool: 'guess', input: at, rejected: 'There is no such tool.' }));
    }
    expect(play.state).toMatchObject({ unreadableReplies: 0, stop: null });
  });

  it('are not calls of unknown tools or with bad arguments: these are observations', () => {
    const play = prepared();
    for (let at = 1; at <= 4; at++) play.replied(asks({ tool: 'look', input: at, rejected: `Wrong: ${at}` }));
    expect(play.state).toMatchObject({ unreadableReplies: 0, stop: null });
    expect(play.step.calls[0]).toMatchObject({ status: 'error', observation: 'Wrong: 4' });
  });
});

describe('failed tools', () => {
  it('L4: are observations', () => {
    const play = prepared();
    play.replied(asks(look(), look(2)));
    play.returned('1.2', 'fine');
    play.broke('1.1', toolFailure('TypeError', 'x is not a function'));
    expect(play.step.calls.map(({ observation }) => observation)).toEqual(['x is not a function', 'fine']);
    expect(play.modelCall.call).toBe('model-2');
  });

  it('have an observation that states a timeout', () => {
    const play = prepared();
    play.replied(asks(look()));
    play.broke('1.1', toolFailure('timeout', 'heartbeat timeout', { timeoutType: 'HEARTBEAT' }));
    expect(play.step.calls[0]?.observation).toBe('look did not answer in time (heartbeat timeout).');
  });

  it('with a fatal error end the chain when the other calls of the step have ended', () => {
    const play = prepared();
    play.replied(asks(look(), look(2)));
    play.broke('1.1', toolFailure('ToolError', 'No such account.', { details: { fatal: true } }));
    expect(play.actions).toEqual([]);
    play.returned('1.2');
    expect(play.statuses).toEqual(['error', 'ok']);
    expect(play.result.outcome).toBe('failure');
    expect(play.state.stop?.reason).toEqual({
      code: 'call_failed',
      call: '1.1',
      tool: 'look',
      message: 'No such account.',
    });
  });
});

describe('unsafe tools', () => {
  it.each(['Error', 'ToolError', 'timeout', 'lost', 'cancelled'])(
    'L5: after %s the outcome is unknown; a request is opened, and no call is repeated before its decision',
    (type) => {
      const play = prepared();
      play.replied(asks(pay({ to: 'Bob' })));
      play.broke('1.1', toolFailure(type, 'It broke.'));
      expect(play.statuses).toEqual(['pending']);
      expect(play.ran).toEqual(['1.1']);
      expect(play.actions.map((action) => action.type)).toEqual(['startTimer']);
      expect(play.step.calls[0]?.requests).toMatchObject([
        {
          kind: 'outcome',
          rules: {
            risk: 'high',
            reason:
              'The outcome of call 1.1, pay({"to":"Bob"}), is unknown: It broke. It may have happened; check before it is done again.',
          },
        },
      ]);
    },
  );

  it('L5: after NotDone the model sees the error and may request the call again', () => {
    const play = prepared();
    play.replied(asks(pay()));
    play.broke('1.1', toolFailure('NotDone', 'Declined.'));
    expect(play.step.calls[0]).toMatchObject({ status: 'error', observation: 'Declined.' });
    play.replied(asks(pay()));
    expect(play.ran).toEqual(['1.1', '2.1']);
  });

  it.each(['Error', 'ToolError', 'timeout', 'lost', 'cancelled'])(
    'L5: after %s in an ending chain, the reason names the call, and it is not repeated',
    (type) => {
      const play = prepared();
      play.replied(asks(pay({ to: 'Bob' })));
      play.cancelledBy('ana');
      play.broke('1.1', toolFailure(type, 'It broke.'));
      expect(play.statuses).toEqual(['unknown']);
      expect(play.ran).toEqual(['1.1']);
      play.cancelledByTemporal();
      expect(play.result).toMatchObject({
        outcome: 'cancelled',
        reason:
          'Cancelled by ana. The outcome of call 1.1, pay({"to":"Bob"}), is unknown: It broke. It may have happened; check before it is done again.',
      });
    },
  );

  it('L5: each of several unknown outcomes is named', () => {
    const play = prepared();
    play.replied(asks(pay(1), pay(2)));
    play.cancelledBy('ana');
    play.broke('1.1', toolFailure('Error', 'x'.repeat(5_000)));
    play.broke('1.2', toolFailure('Error'));
    play.cancelledByTemporal();
    expect(play.result.reason).toMatch(/pay\(1\).*pay\(2\)/s);
    expect(play.state.stop?.additional).toMatchObject([
      { code: 'unknown_outcome', call: '1.1' },
      { code: 'unknown_outcome', call: '1.2' },
    ]);
  });
});

describe('the provider', () => {
  it('returns a refusal: the chain ends as refused', () => {
    const play = prepared();
    play.replied(replyWith('No.', { stopReason: 'refusal' }));
    expect(play.result).toMatchObject({ outcome: 'refused', reasonCode: 'refused', answer: null });
  });

  it.each([
    ['a reply', () => prepared().replied(replyWith('', { stopReason: 'model_context_window_exceeded' }))],
    ['a failure', () => prepared().failed(modelFailure('context_overflow'))],
  ])(
    'reports by %s that the conversation is too long: a limit is reached, and no last call would fit',
    (_name, take) => {
      expect(take()).toEqual([{ type: 'end' }]);
    },
  );

  it('rejects the first request as too long: the outcome is a reached token budget', () => {
    const play = prepared();
    play.failed(modelFailure('context_overflow'));
    expect(play.result).toMatchObject({ outcome: 'token_budget', reasonCode: 'context_rejected' });
  });
});

describe('rules', () => {
  it.each([0, 2, 3, '1'])('of version %j are unknown: the chain ends before it begins', (rules) => {
    const play = started({ ...someInput, rules: rules as number });
    expect(play.result).toMatchObject({ outcome: 'failure', steps: 0 });
    expect(play.state.stop?.reason).toEqual({
      code: 'unknown_rules',
      version: JSON.stringify(rules),
      known: '1',
    });
    expect(play.modelCalls).toEqual([]);
  });
});

describe('a failed preparation', () => {
  it('ends the chain with its error', () => {
    const play = started();
    play.take({ type: 'prepareFailed', failure: toolFailure('longhand.BadDefinition', 'There is no agent clerk.') });
    expect(play.result).toMatchObject({
      outcome: 'failure',
      reasonCode: 'not_prepared',
      reason: expect.stringContaining('There is no agent clerk.'),
      costUsd: null,
    });
  });
});

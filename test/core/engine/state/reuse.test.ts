/** A pure call already made with the same arguments is answered from the earlier observation. Any other call is run. */

import { describe, expect, it } from 'vitest';
import type { ModelReply } from '../../../../src/core/model/fact.js';
import { renderConversation } from '../../../../src/core/strategies/conversation.js';
import { agentOf, asks, look, pay, poll, save, someTools, tool, toolFailure } from '../../../support/core-builders.js';
import { steers } from '../../../support/core-people.js';
import { type Play, prepared } from '../../../support/core-play.js';

function step(play: Play, reply: ModelReply): Play {
  play.replied(reply);
  for (const call of play.step.calls) if (call.status === 'pending') play.returned(call.id, `seen by ${call.id}`);
  return play;
}

const preparePatient = () => prepared(agentOf({ limits: { stallThreshold: 10 } }));

describe('a call is answered from an earlier one', () => {
  it('if it is a pure call with the same arguments, with a note that names the step', () => {
    const play = step(preparePatient(), asks(look({ a: 1, b: 2 })));
    step(play, asks({ tool: 'read', input: {} }));
    step(play, asks(look({ b: 2, a: 1 })));
    expect(play.step.calls[0]).toMatchObject({ status: 'reused', reusedFrom: '1.1', observation: null });
    expect(play.ran).toEqual(['1.1', '2.1']);
    const shown = renderConversation(play.chain).at(-1)?.content[0];
    expect(shown).toMatchObject({ type: 'tool_result', content: '(same as in step 1) seen by 1.1' });
    expect(shown).not.toHaveProperty('is_error');
  });

  it('a third time too, from the step that ran it', () => {
    const play = step(preparePatient(), asks(look()));
    step(step(play, asks(look())), asks(look()));
    expect(play.step.calls[0]).toMatchObject({ status: 'reused', reusedFrom: '1.1' });
  });

  it('among others that are run', () => {
    const play = step(step(preparePatient(), asks(look(1))), asks(look(2), look(1)));
    expect(play.statuses).toEqual(['ok', 'reused']);
  });

  it.each([
    ['an idempotent call', save()],
    ['an unsafe call', pay()],
  ])('also when %s came between: equal arguments have equal results', (_name, between) => {
    const play = step(step(preparePatient(), asks(look())), asks(between));
    expect(step(play, asks(look())).statuses).toEqual(['reused']);
  });

  it('also when a failed call came between, or a rejected one', () => {
    const play = step(preparePatient(), asks(look()));
    play.replied(asks({ tool: 'read', input: {} }));
    play.broke('2.1', toolFailure('Error'));
    play.replied(asks({ tool: 'guess', rejected: 'There is no such tool.' }));
    expect(step(play, asks(look())).statuses).toEqual(['reused']);
  });
});

describe('a call is run again', () => {
  it('when it failed itself', () => {
    const play = preparePatient();
    play.replied(asks(look()));
    play.broke('1.1', toolFailure('ToolError'));
    expect(step(play, asks(look())).statuses).toEqual(['ok']);
  });

  it('when it is a read: what it reads may have changed', () => {
    const play = step(step(preparePatient(), asks(poll())), asks(poll()));
    expect(play.statuses).toEqual(['ok']);
  });

  it('when it has an effect, however often', () => {
    const play = step(step(preparePatient(), asks(save(1))), asks(save(1)));
    expect(play.statuses).toEqual(['ok']);
  });

  it('when both are in one reply', () => {
    const play = step(preparePatient(), asks(look(), look()));
    expect(play.ran).toEqual(['1.1', '1.2']);
    expect(step(play, asks(look())).step.calls[0]?.reusedFrom).toBe('1.1');
  });

  it('with other arguments, or by another tool', () => {
    const play = step(preparePatient(), asks(look(1)));
    expect(step(play, asks(look('1'), { tool: 'read', input: 1 })).statuses).toEqual(['ok', 'ok']);
  });

  it('with arguments that are rejected now', () => {
    const play = step(preparePatient(), asks(look()));
    play.replied(asks({ tool: 'look', rejected: 'Wrong.' }));
    expect(play.statuses).toEqual(['error']);
  });
});

describe('a read with `reuse`', () => {
  const minute = tool('poll', { reuse: { ms: 60_000 } });
  const untilEffect = tool('poll', { reuse: 'until_effect' });
  const prepareWith = (read: typeof minute) =>
    prepared(
      agentOf({ tools: [...someTools.filter(({ name }) => name !== 'poll'), read], limits: { stallThreshold: 10 } }),
    );

  it('answers equal calls for its time, and runs again after it', () => {
    const play = step(prepareWith(minute), asks(poll(1)));
    play.after(59_999);
    expect(step(play, asks(poll(1), poll(2))).statuses).toEqual(['reused', 'ok']);
    play.after(1);
    expect(step(play, asks(poll(1), poll(2))).statuses).toEqual(['ok', 'reused']);
    expect(step(play, asks(poll(1))).step.calls[0]?.reusedFrom).toBe('3.1');
  });

  it('is not reused longer because of a call with an effect, nor shorter', () => {
    const play = step(step(prepareWith(minute), asks(poll(1))), asks(pay()));
    expect(step(play, asks(poll(1))).statuses).toEqual(['reused']);
  });

  it.each([
    ['an idempotent call', save()],
    ['an unsafe call', pay()],
  ])('until-effect: answers equal calls until %s ran', (_name, effect) => {
    const play = step(step(prepareWith(untilEffect), asks(poll(1))), asks(look(), { tool: 'read' }));
    expect(step(play.after(500_000), asks(poll(1))).statuses).toEqual(['reused']);
    expect(step(step(play, asks(effect)), asks(poll(1))).statuses).toEqual(['ok']);
  });

  it('until-effect: is not reused after an effect in its own step, in any order, or one that failed', () => {
    const play = step(prepareWith(untilEffect), asks(poll(1), save(1), poll(2)));
    expect(step(play, asks(poll(1), poll(2))).statuses).toEqual(['ok', 'ok']);
    play.replied(asks(save(2)));
    play.broke('3.1', toolFailure('Error'));
    expect(step(play, asks(poll(1))).statuses).toEqual(['ok']);
  });
});

describe('a call that failed is not repeated unchanged', () => {
  const permanent = toolFailure('ToolError', 'No such city.', { details: { permanent: true } });

  it('if its failure is permanent: an equal call has the failure, and a hint', () => {
    const play = preparePatient();
    play.replied(asks(save({ city: 'Ys' })));
    play.broke('1.1', permanent);
    play.replied(asks(save({ city: 'Ys' })));
    expect(play.ran).toEqual(['1.1']);
    expect(play.step.calls[0]).toMatchObject({
      status: 'error',
      observation:
        'Not run: it would fail as call 1.1 did with the same arguments. Change the arguments, or try another way.\nNo such city.',
    });
    expect(step(play, asks(save({ city: 'Oslo' }))).statuses).toEqual(['ok']);
  });

  it('but runs again after any other failure: it may differ', () => {
    const play = preparePatient();
    play.replied(asks(save(1)));
    play.broke('1.1', toolFailure('ToolError', 'Busy.', { details: { fatal: false } }));
    expect(step(play, asks(save(1))).statuses).toEqual(['ok']);
  });

  it('with invalid arguments a second time, the model sees that it made the same call before', () => {
    const wrong = { tool: 'look', input: { at: 'x' }, rejected: 'at: expected a number' };
    const play = preparePatient();
    play.replied(asks(wrong));
    expect(play.step.calls[0]?.observation).toBe('at: expected a number');
    play.replied(asks(wrong));
    expect(play.step.calls[0]?.observation).toBe(
      'at: expected a number\nThis is the same as call 1.1, which was rejected too. Change the arguments, or try another way.',
    );
  });

  it('runs where the arguments that were rejected are valid now, for a newer tool', () => {
    const play = preparePatient();
    play.replied(asks({ tool: 'look', input: 1, rejected: 'Wrong.' }));
    expect(step(play, asks(look(1))).statuses).toEqual(['ok']);
  });

  it('L2: a bounded number of failures is remembered, each shortened', () => {
    const play = prepared(agentOf({ limits: { steps: 1_000, stallThreshold: 999 } }));
    for (let at = 1; at <= 40; at++) {
      play.replied(asks(save(at)));
      play.broke(`${at}.1`, toolFailure('ToolError', 'x'.repeat(9_999), { details: { permanent: true } }));
    }
    expect(play.state.futileCalls).toHaveLength(32);
    expect(play.state.futileCalls?.every(({ message }) => (message?.length ?? 0) <= 300)).toBe(true);
  });
});

it('L2: a bounded number of pure calls is remembered; an older one is run again', () => {
  const play = prepared(agentOf({ limits: { steps: 1_000 } }));
  for (let at = 0; at < 20; at++) step(play, asks(...Array.from({ length: 16 }, (_, each) => look(`${at}/${each}`))));
  expect(play.state.reusableCalls.length).toBeLessThanOrEqual(256);
  expect(step(play, asks(look('0/0'), look('19/15'))).statuses).toEqual(['ok', 'reused']);
});

it('until-effect: a read beside a call with an effect runs, which may run after it', () => {
  const untilEffect = tool('poll', { reuse: 'until_effect' });
  const play = step(
    prepared(agentOf({ tools: [...someTools.filter(({ name }) => name !== 'poll'), untilEffect] })),
    asks(poll(1)),
  );
  expect(step(play, asks(save(1), poll(1))).statuses).toEqual(['ok', 'ok']);
});

it('a result is reused for its time from its own end, not from that of its step', () => {
  const minute = tool('poll', { reuse: { ms: 60_000 } });
  const play = prepared(agentOf({ tools: [...someTools.filter(({ name }) => name !== 'poll'), minute] }));
  play.replied(asks(poll(1), { tool: 'read' }));
  play.returned('1.1');
  play.after(50_000).returned('1.2');
  expect(step(play.after(9_999), asks(poll(1))).statuses).toEqual(['reused']);
  expect(step(play.after(1), asks(poll(1))).statuses).toEqual(['ok']);
});

it('a permanent failure is forgotten after another call had an effect, and after a message of a person', () => {
  const permanent = toolFailure('ToolError', 'No such account.', { details: { permanent: true } });
  const fail = () => {
    const play = preparePatient();
    play.replied(asks(save('account')));
    play.broke('1.1', permanent);
    return play;
  };
  expect(step(step(fail(), asks(pay('create'))), asks(save('account'))).statuses).toEqual(['ok']);
  const steered = fail();
  steered.take(steers('I created the account.'));
  steered.replied(asks(look()));
  steered.returned('2.1');
  expect(step(steered, asks(save('account'))).statuses).toEqual(['ok']);
});

it('a rejected call that is repeated is no progress, although its observation has a hint', () => {
  const wrong = { tool: 'look', input: { at: 'x' }, rejected: 'at: expected a number' };
  const other = { tool: 'read', input: { at: 'x' }, rejected: 'at: expected a number' };
  const play = prepared(agentOf({ limits: { stallThreshold: 3 } }));
  // In turns, so that no call is repeated directly: only the outcomes are known.
  for (const call of [wrong, other, wrong, other, wrong]) play.replied(asks(call));
  expect(play.result.outcome).toBe('stalled');
});

/** A pure call already made with the same arguments is answered from the earlier observation. Any other call is run. */

import { describe, expect, it } from 'vitest';
import type { ModelReply } from '../../../../src/core/model/fact.js';
import { renderConversation } from '../../../../src/core/strategies/conversation.js';
import { agentOf, asks, look, pay, poll, save, toolFailure } from '../../../support/core-builders.js';
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

it('L2: a bounded number of pure calls is remembered; an older one is run again', () => {
  const play = prepared(agentOf({ limits: { steps: 1_000 } }));
  for (let at = 0; at < 20; at++) step(play, asks(...Array.from({ length: 16 }, (_, each) => look(`${at}/${each}`))));
  expect(play.state.reusableCalls.length).toBeLessThanOrEqual(256);
  expect(step(play, asks(look('0/0'), look('19/15'))).statuses).toEqual(['ok', 'reused']);
});

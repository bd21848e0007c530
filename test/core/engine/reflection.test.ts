/**
 * Reflection: an observer interprets steps, by rule or by a model, and the next request has what was learned. L6: an observer's call has a
 * reservation of its own. It is no step, and a chain never fails because of it.
 */

import { describe, expect, it } from 'vitest';
import type { AgentSnapshot, Reflection } from '../../../src/core/model/agent.js';
import type { ModelReply } from '../../../src/core/model/fact.js';
import { findPrompt } from '../../../src/core/record/prompts.js';
import { renderRequest } from '../../../src/core/strategies/strategies.js';
import { reactDefaults, reflectionDefaults, toolsDefaults } from '../../../src/core/strategies/strategy.js';
import { computeSha256 } from '../../../src/history/index.js';
import {
  agentOf,
  answers,
  asks,
  autonomousAgent,
  look,
  modelFailure,
  poll,
  replyOf,
  save,
  someTools,
  text,
  tool,
  toolFailure,
  usage,
} from '../../support/core-builders.js';
import { type NewFact, type Play, prepared } from '../../support/core-play.js';

const byModel: Reflection = { ...reflectionDefaults, observer: 'model' };
const agentWith = (reflection: Partial<Reflection> = {}, more: Parameters<typeof agentOf>[0] = {}) =>
  agentOf({ reflection: { ...reflectionDefaults, ...reflection }, ...more });

const render = (play: Play) => renderRequest(play.chain, play.state.agent as AgentSnapshot, play.modelCall.purpose);
const status = (play: Play) => {
  const last = render(play).messages.at(-1)?.content.at(-1);
  return last?.type === 'text' && last.text.startsWith('Status:') ? last.text : '';
};
const noticed = (play: Play) => play.chain.notices.filter(({ code }) => code === 'reflected' || code === 'learned');
const notices = (play: Play) => noticed(play).map(({ code, text: words }) => [code, words]);

const command = (given: object) =>
  ({ type: 'commandReceived', id: null, chainId: null, by: 'ann', roles: [], reason: null, command: given }) as NewFact;

function step(play: Play, reply: ModelReply, ...failing: readonly string[]): Play {
  play.replied(reply);
  for (const { id } of play.step.calls) {
    if (failing.includes(id)) play.broke(id, toolFailure('ToolError', 'No.'));
    else play.returned(id);
  }
  return play;
}

const reflection = (members: object, more: Partial<ModelReply> = {}) =>
  replyOf({ content: [text(JSON.stringify(members))] }, { usage: usage(900, 60), ...more });

describe.each([toolsDefaults, reactDefaults])('with the strategy $name, by rule', (strategy) => {
  it('each step is reflected on without a model call, in the chain and in the next request', () => {
    const play = step(prepared(agentWith({}, { strategy })), asks(look(1), poll(1)), '1.2');
    expect(play.modelCalls.map(({ purpose }) => purpose)).toEqual(['step', 'step']);
    expect(notices(play)).toEqual([['reflected', '1.1 look returned a result; 1.2 poll failed.']]);
    expect(status(play)).toContain('Reflection after step 1: 1.1 look returned a result; 1.2 poll failed.');
    expect(render(play).system).toContain('After each result, consider what was used');
  });

  it('the model sees a suggestion after each failure in a row: retry, other tool, other way, a person, a partial answer', () => {
    const question = tool('ask_user', { question: { reason: '', risk: 'low', approvers: 1 } as never });
    const play = prepared(agentWith({}, { strategy, tools: [...someTools, question], limits: { stallThreshold: 99 } }));
    const seen = [];
    for (let at = 1; at <= 6; at++) {
      step(play, asks(save(at)), `${at}.1`);
      seen.push(status(play).match(/failed\. (.*)/)?.[1]);
    }
    expect(seen).toEqual([
      'Try again, with corrected arguments.',
      'Use another tool.',
      'Find another way to the goal.',
      'Ask the user with `ask_user`.',
      'Answer with what you have, and name what is missing.',
      'Answer with what you have, and name what is missing.',
    ]);
    step(play, asks(look('ok')));
    expect(status(play)).not.toContain('failed.');
  });
});

it('a model that follows its suggestions finds the other tool, and fails without reflection', () => {
  /** Knows nothing but its request: it repeats `save` until the request has another suggestion. */
  const solve = (agent: AgentSnapshot) => {
    const play = prepared(agent);
    for (let at = 1; at <= 4 && play.state.stop === null; at++) {
      const request = JSON.stringify(render(play).messages.at(-1));
      if (request.includes('Use another tool')) return step(play, asks(look(at))).replied(answers('Found by look.'));
      step(play, asks(save(at)), `${at}.1`);
    }
    return play.actions;
  };
  expect(solve(agentWith({}, { limits: { stallThreshold: 99 } }))).toEqual([{ type: 'end' }]);
  expect(solve(agentOf({ limits: { stallThreshold: 99 } }))).not.toEqual([{ type: 'end' }]);
});

it('a reflection is made every n steps', () => {
  const play = prepared(agentWith({ every: 2 }));
  for (let at = 1; at <= 5; at++) step(play, asks(look(at)));
  expect(noticed(play).map(({ step: number }) => number)).toEqual([2, 4]);
});

describe('by a model', () => {
  it.each([
    ['tools', agentWith(byModel)],
    ['react', agentWith(byModel, { strategy: reactDefaults })],
    ['autonomous', autonomousAgent({ reflection: byModel })],
  ])('with %s: after each step a call of its own is made, charged, and no step', (_, agent) => {
    const play = step(prepared(agent), asks(look({ city: 'Oslo' })));
    expect(play.modelCall).toMatchObject({ call: 'aside-1', purpose: 'observer', attempt: 1 });
    expect(render(play).messages).toEqual([
      {
        role: 'user',
        content: [
          text(
            'Task: Find out what is due, and pay it.\n\nStep 1: I shall see.\nlook({"city":"Oslo"}) → ok: result of 1.1',
          ),
        ],
      },
    ]);
    const before = play.state;
    play.replied(reflection({ learned: ['Oslo owes 12 euros.'], progress: 'look found it.', next: 'Pay it.' }));
    expect(play.state.charged.tokens - before.charged.tokens).toBe(960);
    expect([play.state.steps, play.state.context, play.state.conversation]).toEqual([
      1,
      before.context,
      before.conversation,
    ]);
    expect(play.modelCall).toMatchObject({ call: 'model-2', purpose: 'step' });
    expect(notices(play)).toEqual([
      ['learned', 'Oslo owes 12 euros.'],
      ['reflected', 'look found it. Next: Pay it.'],
    ]);
    expect(play.chain.notices[1]?.asked).toEqual({
      call: 'aside-1',
      model: 'some-model',
      inputTokens: 900,
      outputTokens: 60,
      costUsd: 0.0024,
    });
    expect(status(play)).toContain('Learned: Oslo owes 12 euros.');
    expect(status(play)).toContain('Reflection after step 1: look found it. Next: Pay it.');
  });

  it('a step after it is one attempt: a reflection is no failed model call', () => {
    const play = step(prepared(agentWith(byModel)), asks(look(1)));
    play.replied(reflection({ progress: 'Fine.' }));
    play.replied(answers('Done.'));
    expect(play.chain.steps.map(({ modelCall }) => modelCall)).toEqual([1, 2]);
    expect(play.result.outcome).toBe('success');
  });

  it('its prompt is rebuilt from the chain', () => {
    const play = step(prepared(agentWith(byModel)), asks(look(1)));
    play.replied(reflection({ progress: 'Fine.' }));
    expect(findPrompt(play.turns, 'aside-1', computeSha256)).toMatchObject({
      kind: 'sent',
      purpose: 'observer',
      step: 1,
      request: { toolChoice: 'none', tools: [] },
    });
  });

  it('text that is no object is the reflection, and an empty reply is noted', () => {
    const play = step(prepared(agentWith(byModel)), asks(look(1)));
    play.replied(replyOf({ content: [text('All is well.')] }));
    step(play, asks(look(2)));
    play.replied(replyOf({ content: [] }));
    expect(notices(play)).toEqual([
      ['reflected', 'All is well.'],
      ['reflected', 'The observer gave no reflection.'],
    ]);
  });

  it('where its call fails, it is left out at once: the chain does not wait', () => {
    const play = step(prepared(agentWith(byModel)), asks(look(1)));
    play.failed(modelFailure('overloaded'));
    expect(notices(play)).toEqual([['reflected', 'No reflection: the observer failed (It was overloaded).']]);
    expect(play.modelCall).toMatchObject({ call: 'model-2', attempt: 1 });
    expect(play.state.flight.kind).toBe('model');
  });

  it('L6: where the budget cannot pay for it, the step comes first', () => {
    const rich = step(prepared(agentWith(byModel)), asks(look(1)));
    const needed = rich.modelCall.reservation;
    const used = rich.state.charged.tokens;
    const poor = agentWith(byModel, { limits: { tokens: used + needed.inputTokens } });
    const play = step(prepared(poor), asks(look(1)));
    expect(play.modelCalls.map(({ purpose }) => purpose)).not.toContain('observer');
    expect(play.modelCall.purpose).toBe('step');
  });

  it('a message that arrives during it is in the next request', () => {
    const play = step(prepared(agentWith(byModel)), asks(look(1)));
    play.take(command({ kind: 'steer', text: 'Hurry.' }));
    play.replied(reflection({ progress: 'Fine.' }));
    expect(JSON.stringify(render(play).messages)).toContain('Hurry.');
  });

  it('a cancel during it ends the chain', () => {
    const play = step(prepared(agentWith(byModel)), asks(look(1)));
    play.cancelledBy('ann');
    play.failed(modelFailure('cancelled', { settle: 'usage', usage: usage(900, 0) }));
    play.cancelledByTemporal();
    expect(play.result.outcome).toBe('cancelled');
  });

  it('no observer is called after the last step, nor where the chain is paused', () => {
    const last = step(prepared(agentWith(byModel, { limits: { steps: 1 } })), asks(look(1)));
    expect(last.modelCall.purpose).toBe('closing');
    const paused = prepared(agentWith(byModel));
    paused.replied(asks(look(1)));
    paused.take(command({ kind: 'pause', breakpoint: null }));
    paused.returned('1.1');
    expect(paused.modelCalls).toHaveLength(1);
  });
});

it('L6: the request of an observer is never longer than its reservation', () => {
  const words = '\u4e2d'.repeat(30_000);
  const play = step(prepared(agentWith({ ...byModel, every: 3 })), asks(look(words), look(words)));
  step(play, asks(...Array.from({ length: 16 }, (_, at) => look(`${at}${words}`))));
  play.replied(asks(poll(words)));
  play.returned('3.1', words);
  expect(play.modelCall.purpose).toBe('observer');
  const bytes = Buffer.byteLength(JSON.stringify(render(play)));
  expect(bytes).toBeLessThanOrEqual(play.modelCall.reservation.inputTokens);
});

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
  somePrice,
  someTools,
  text,
  tool,
  toolFailure,
  usage,
} from '../../support/core-builders.js';
import { originOf, startFork } from '../../support/core-fork.js';
import { decides, rules } from '../../support/core-people.js';
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
    expect(notices(play)).toEqual([['reflected', 'Call 1.1 returned a result; Call 1.2 has no result.']]);
    expect(status(play)).toContain('Reflection after step 1: Call 1.1 returned a result; Call 1.2 has no result.');
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
            'Task: Find out what is due, and pay it.\n\nStep 1: I shall see.\n\nCall 1.1: look({"city":"Oslo"})\nResult (ok): result of 1.1',
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

it('the observer sees the newest results where not all of them fit', () => {
  const play = step(prepared(agentWith(byModel)), asks(...Array.from({ length: 16 }, (_, at) => look(at))));
  expect(play.modelCall.purpose).toBe('observer');
  const long = prepared(agentWith(byModel));
  long.replied(asks(...Array.from({ length: 16 }, (_, at) => look(at))));
  for (const { id } of long.step.calls) long.returned(id, `${id} ${'x'.repeat(5_000)}`);
  const sent = JSON.stringify(render(long).messages);
  expect(sent).toContain('Call 1.16: look(15)');
  expect(sent).toContain('Task: Find out what is due');
  expect(sent).not.toContain('Call 1.1: look(0)');
  expect(sent.match(/<text-/g)?.length ?? 0).toBe(sent.match(/<\/text-/g)?.length ?? 0);
});

describe('an observer never takes what the chain needs', () => {
  const dear = { ...somePrice, input: 1e-4, output: 5e-4 };
  const routed = (reflection: Reflection) => {
    const { model } = agentOf();
    const others = [{ ...model, name: 'dear', id: 'dear', price: dear }];
    return agentOf({
      reflection,
      limits: { costUsd: 0.6 },
      routing: { others, roles: {}, fallbacks: ['dear'] },
    });
  };

  it('L6: a failed call of it does not price the next step by the fallback', () => {
    const play = step(prepared(routed(byModel)), asks(look(1)));
    expect(play.modelCall.purpose).toBe('observer');
    play.failed(modelFailure('server_error', { route: { model: 'some-model' } as never }));
    expect(play.state.stop).toBeNull();
    expect(play.modelCall).toMatchObject({ purpose: 'step', models: ['some-model'] });
  });

  it('L6: it leaves the budget of the next step', () => {
    const without = step(prepared(agentOf({ limits: { tokens: 20_000 } })), asks(look(1)));
    const play = step(prepared(agentWith(byModel, { limits: { tokens: 20_000 } })), asks(look(1)));
    expect(without.modelCall.purpose).toBe('step');
    if (play.modelCall.purpose === 'observer') play.failed(modelFailure('lost', { settle: 'reservation' }));
    expect(play.state.stop).toBeNull();
    expect(play.modelCall.purpose).toBe('step');
  });

  it('a worker without its provider leaves it out', () => {
    const play = step(prepared(agentWith(byModel)), asks(look(1)));
    play.take({ type: 'requeued', activity: 'aside-1', provider: 'other' });
    expect(notices(play)).toEqual([
      ['reflected', 'No reflection: the observer failed (no worker has the provider other).'],
    ]);
    expect(play.modelCall).toMatchObject({ call: 'model-2', purpose: 'step' });
  });

  it('its time is no time of the chain where it fails', () => {
    const play = step(prepared(agentWith(byModel)), asks(look(1)));
    play.after(500_000).failed(modelFailure('lost'));
    expect(play.after(400_000).replied(answers('Done.'))).toEqual([{ type: 'end' }]);
    expect(play.result.outcome).toBe('success');
  });
});

it('a fork whose origin was observed continues the numbers of its calls', () => {
  const play = step(prepared(agentWith(byModel)), asks(look(1)));
  const fork = startFork(originOf(play, 1), play.state.agent as AgentSnapshot);
  expect(fork.state).toMatchObject({ steps: 1, modelCalls: 2 });
  expect(fork.modelCall.call).toBe('model-2');
  fork.replied(asks(look(2)));
  fork.returned('2.1');
  expect(fork.modelCall.call).toBe('aside-1');
});

it('a breakpoint before the next step is accepted while a step is observed', () => {
  const play = step(prepared(agentWith(byModel)), asks(look(1)));
  play.take(command({ kind: 'pause', breakpoint: { step: 2 } }));
  play.replied(reflection({ progress: 'Fine.' }));
  expect(play.modelCalls.map(({ purpose }) => purpose)).toEqual(['step', 'observer']);
  expect(play.state.paused).not.toBeNull();
});

it('a denied call is no failure to work around', () => {
  const play = prepared(agentWith());
  play.replied({ ...asks(save(1)), approvals: [rules()] });
  play.take(decides('1.1', { kind: 'deny' }));
  expect(play.step.calls[0]?.status).toBe('denied');
  expect(status(play)).not.toContain('failed.');
});

it('a step whose calls were all rejected is reflected on too', () => {
  const play = prepared(agentWith());
  play.replied(asks({ tool: 'look', rejected: 'Wrong.' }));
  expect(notices(play)).toEqual([['reflected', 'No call of the step was run.']]);
  expect(status(play)).toContain('The last step failed. Try again, with corrected arguments.');
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

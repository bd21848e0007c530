/** With `compaction: 'model'`, a model writes notes on the oldest steps before the context window is full: an aside of its own. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findTurnPrefix, foldRecordedTurns, toOrigin } from '../../../src/core/engine/fold-turns.js';
import type { AgentSnapshot } from '../../../src/core/model/agent.js';
import type { ModelReply } from '../../../src/core/model/fact.js';
import { findPrompt } from '../../../src/core/record/prompts.js';
import { renderRequest } from '../../../src/core/strategies/strategies.js';
import { planDefaults, reactDefaults, reflectionDefaults } from '../../../src/core/strategies/strategy.js';
import { computeSha256 } from '../../../src/history/index.js';
import { budget } from '../../support/budget.js';
import { agentOf, asks, look, modelFailure, replyOf, someInput, text, usage } from '../../support/core-builders.js';
import { requestTokens } from '../../support/core-environment.js';
import { steers } from '../../support/core-people.js';
import { type Play, prepared, started } from '../../support/core-play.js';

const model = { maxTokens: 1_000, contextTokens: 20_000 };
const limits = { steps: 100, stallThreshold: 50, tokens: 10_000_000, costUsd: 1_000 };
const clerk = agentOf({ model, limits, compaction: 'model' });

const render = (play: Play) => renderRequest(play.chain, play.state.agent as AgentSnapshot, play.modelCall.purpose);
const textOf = (play: Play) => JSON.stringify(render(play).messages);
const observation = (step: number) => `Page ${step}. ${`Row of page ${step}. `.repeat(100)}End of page ${step}.`;
const notes = (content: string, more: Partial<ModelReply> = {}) =>
  replyOf({ content: [text(content)] }, { usage: usage(900, 60), ...more });
const notices = (play: Play) =>
  play.chain.notices.filter(({ code }) => code === 'compacted' || code === 'notes_written').map((each) => each.text);

function takeStep(play: Play): void {
  const step = play.state.steps + 1;
  const used = Math.ceil(requestTokens(render(play)) / 3);
  play.replied({ ...asks(look({ page: step })), usage: usage(used, 50) });
  play.returned(`${step}.1`, observation(step));
}

/** Takes steps until a model is asked for notes. */
function fill(agent: AgentSnapshot = clerk, play: Play = prepared(agent)): Play {
  for (let left = 60; play.modelCall.purpose !== 'compaction'; left--) {
    if (left === 0) throw new Error('No notes were asked for.');
    if (play.modelCall.purpose === 'observer') play.replied(notes('{"progress":"Fine."}'));
    else takeStep(play);
  }
  return play;
}

describe('a chain whose agent has its steps compacted by a model', () => {
  it.each([
    ['tools', clerk],
    ['react', agentOf({ model, limits, compaction: 'model', strategy: reactDefaults })],
  ])('gives the oldest steps to the model, and its notes replace them in requests (%s)', (_name, agent) => {
    const play = fill(agent);
    const { steps } = play.state.conversation.summary ?? { steps: 0 };
    const asked = textOf(play);
    for (let step = 1; step <= steps; step++) expect(asked).toContain(`End of page ${step}.`);
    expect(asked).not.toContain(`Page ${steps + 1}.`);
    play.replied(notes('Page 1 has code K-17.'));
    expect(play.modelCall.purpose).toBe('step');
    expect(textOf(play)).toContain(`Summary of steps 1 to ${steps}.\\nNotes on steps 1 to ${steps}: <text-`);
    expect(textOf(play)).toContain('Page 1 has code K-17.');
    expect(textOf(play)).not.toContain('Row of page 1.');
    expect(textOf(play)).toContain(`End of page ${steps + 1}.`);
    expect(requestTokens(render(play))).toBeLessThanOrEqual(play.modelCall.reservation.inputTokens);
    expect(play.chain.notices.at(-1)).toMatchObject({
      code: 'notes_written',
      text: 'Page 1 has code K-17.',
      asked: { call: 'aside-1', inputTokens: 900, outputTokens: 60 },
    });
    expect(findPrompt(play.turns, 'aside-1', computeSha256)).toMatchObject({ purpose: 'compaction' });
  });

  it('pays for the call, which is no step', () => {
    const play = fill();
    const { charged, steps } = play.state;
    play.replied(notes('Page 1 has code K-17.'));
    expect(play.state.charged.tokens).toBe(charged.tokens + 960);
    expect(play.state.steps).toBe(steps);
  });

  it('extends its notes at the next compaction only: until then requests grow at their end', () => {
    const play = fill();
    play.replied(notes('Page 1 has code K-17.'));
    const first = render(play).messages;
    fill(clerk, play);
    expect(textOf(play)).toContain(`Notes so far, on steps 1 to ${play.state.conversation.summary?.notes?.steps}`);
    expect(textOf(play)).toContain('Page 1 has code K-17.');
    expect(textOf(play)).not.toContain('Row of page 1.');
    play.replied(notes('Page 1 has code K-17. Page 20 is blank.'));
    expect(JSON.stringify(render(play).messages[0])).not.toEqual(JSON.stringify(first[0]));
    expect(textOf(play)).toContain('Page 20 is blank.');
    const second = render(play).messages;
    takeStep(play);
    expect(render(play).messages.slice(0, second.length)).toEqual(second);
  });

  it('keeps messages of people and the plan as they are', () => {
    const agent = agentOf({ model, limits, compaction: 'model', strategy: { ...planDefaults, reflection: false } });
    const play = prepared(agent);
    const tasks = [{ id: 'a', description: 'Read all pages', dependsOn: [], tools: [] }];
    play.replied(asks({ tool: 'make_plan', input: { tasks } }));
    play.take(steers('Never pay more than 5 euros.'));
    fill(agent, play);
    play.replied(notes('Nothing yet.'));
    expect(textOf(play)).toContain('Never pay more than 5 euros.');
    expect(textOf(play)).toContain('The plan after these steps:');
  });

  it('asks for notes after a reflection that is due too', () => {
    const play = fill(
      agentOf({ model, limits, compaction: 'model', reflection: { ...reflectionDefaults, observer: 'model' } }),
    );
    expect(play.chain.notices.at(-1)).toMatchObject({ code: 'reflected', step: play.state.steps });
    play.replied(notes('Page 1 has code K-17.'));
    expect(play.modelCall.purpose).toBe('step');
  });

  it('bounds the notes in the state and in requests', () => {
    const play = fill();
    play.replied(notes('Page 1 is full. '.repeat(2_000)));
    expect(play.state.conversation.summary?.notes?.bytes).toBeLessThanOrEqual(model.contextTokens / 4);
    expect(requestTokens(render(play))).toBeLessThanOrEqual(play.modelCall.reservation.inputTokens);
  });
});

describe('by rule', () => {
  it.each([
    ['the call fails', (play: Play) => play.failed(modelFailure('overloaded')), 'the model that writes them failed'],
    [
      'the reply is cut off',
      (play: Play) => play.replied(notes('Page 1', { stopReason: 'max_tokens' })),
      'was cut off',
    ],
    [
      'the model refuses',
      (play: Play) => play.replied(notes('No.', { stopReason: 'refusal' })),
      'refused to write them',
    ],
    ['the reply is empty', (play: Play) => play.replied(notes(' ')), 'is empty'],
  ])('steps are summarized where %s', (_name, end, why) => {
    const play = fill();
    end(play);
    expect(play.modelCall.purpose).toBe('step');
    expect(notices(play).at(-1)).toContain(`${why}`);
    expect(textOf(play)).toContain('1. I shall see. look({\\"page\\":1}) -> \\"Page 1. Row of page 1.');
    takeStep(play);
    expect(play.modelCall.purpose).toBe('step');
  });

  it('steps are summarized where the budget cannot pay for the model', () => {
    const used = fill().state.charged.tokens;
    const agent = agentOf({ model, limits: { ...limits, tokens: used + 40_000 }, compaction: 'model' });
    const play = prepared(agent);
    while (notices(play).length === 0) takeStep(play);
    expect(play.modelCall.purpose).toBe('step');
    expect(notices(play).at(-1)).toBe(
      'No notes of a model: the budget cannot pay for them. The steps are summarized by rule.',
    );
    expect(textOf(play)).toContain('1. I shall see. look(');
  });

  it('later steps have lines behind the notes so far', () => {
    const play = fill();
    play.replied(notes('Page 1 has code K-17.'));
    const noted = play.state.conversation.summary?.steps ?? 0;
    fill(clerk, play).failed(modelFailure('overloaded'));
    expect(textOf(play)).toContain(`Notes on steps 1 to ${noted}: `);
    expect(textOf(play)).toContain(`\\n${noted + 1}. I shall see. look(`);
    expect(textOf(play)).not.toContain(`\\n${noted}. I shall see. look(`);
    expect(requestTokens(render(play))).toBeLessThanOrEqual(play.modelCall.reservation.inputTokens);
  });
});

describe('a fork', () => {
  const forkOf = (play: Play) => {
    const { steps } = play.state;
    const cut = findTurnPrefix(foldRecordedTurns(play.turns).turns, steps);
    if (cut === null) throw new Error('The last step is missing.');
    const fork = started({ ...someInput, origin: toOrigin({ chainId: 'chain-0', runId: 'run-0' }, cut, steps, null) });
    fork.take({ type: 'prepared', agent: clerk });
    return fork;
  };

  it('has the notes of its origin, and so does every replay', () => {
    const play = fill();
    play.replied(notes('Page 1 has code K-17.'));
    takeStep(play);
    expect(renderRequest(foldRecordedTurns(play.turns).chain, clerk, 'step')).toEqual(render(play));
    const fork = forkOf(play);
    expect(render(fork)).toEqual(render(play));
    expect(textOf(fork)).toContain('Page 1 has code K-17.');
    expect(requestTokens(render(fork)) / 3).toBeLessThanOrEqual(fork.modelCall.reservation.inputTokens);
  });

  it('asks for the notes itself that its origin had not asked for yet', () => {
    const fork = forkOf(fill());
    expect(fork.modelCall).toMatchObject({ purpose: 'compaction', call: 'aside-1' });
    fork.replied(notes('Page 1 has code K-17.'));
    expect(textOf(fork)).toContain('Page 1 has code K-17.');
  });
});

it('the request for notes has each call with its result, however long they are', () => {
  const someSteps = fc.array(
    fc.record({ thought: fc.nat(3_000), calls: fc.integer({ min: 1, max: 3 }), result: fc.nat(8_000) }),
    {
      minLength: 20,
      maxLength: 60,
    },
  );
  let asked = 0;
  fc.assert(
    fc.property(someSteps, fc.constantFrom(8_000, 20_000), (steps, contextTokens) => {
      const agent = agentOf({ model: { ...model, contextTokens }, limits, compaction: 'model' });
      const play = prepared(agent);
      for (const { thought, calls, result } of steps) {
        if (play.state.stop !== null) break;
        if (play.modelCall.purpose === 'compaction') {
          const request = render(play);
          const given = request.messages
            .flatMap(({ content }) => content.map((block) => (block as { text: string }).text))
            .join('');
          const requested = [...given.matchAll(/^Call (\d+\.\d): /gm)].map(([, id]) => id);
          expect(given.match(/^Result \(ok\): /gm)?.length ?? 0).toBe(requested.length);
          expect(new Set(requested.map((id) => id?.split('.')[0])).size).toBe(
            given.match(/^Step \d+: /gm)?.length ?? 0,
          );
          expect(requestTokens(request)).toBeLessThanOrEqual(play.modelCall.reservation.inputTokens);
          asked += 1;
          play.replied(notes('Fine.'));
        }
        const step = play.state.steps + 1;
        const wanted = Array.from({ length: calls }, (_, at) => look({ step, at }));
        const reply = asks(...wanted);
        play.replied({
          ...reply,
          reading: { ...reply.reading, thought: `I see. ${'t'.repeat(thought)}` },
          usage: usage(Math.ceil(requestTokens(render(play)) / 3), 50),
        });
        for (let at = 1; at <= calls; at++) play.returned(`${step}.${at}`, `r${'r'.repeat(result)}`);
      }
    }),
    { numRuns: budget(10, 100) },
  );
  expect(asked).toBeGreaterThan(5);
});

/** An author's own text protocol. L4: a parser that throws or returns garbage is a problem of the reply, and ends no chain. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentSnapshot } from '../../../src/core/model/agent.js';
import type { ModelMessage, ReplyStopReason } from '../../../src/core/model/model.js';
import { expandReading } from '../../../src/core/model/reading.js';
import type { StrategyParser } from '../../../src/core/strategies/call-parser.js';
import { compactReading } from '../../../src/core/strategies/compact-reading.js';
import { reparse } from '../../../src/core/strategies/reparse.js';
import { getStrategy, renderRequest } from '../../../src/core/strategies/strategies.js';

import { anyText } from '../../support/any-text.js';
import { agentOf, anything, rawReply, replyOf, text, thinks, tool } from '../../support/core-builders.js';
import { type Play, prepared } from '../../support/core-play.js';
import { tags } from '../../support/own-strategy.js';

const agent = agentOf({ strategy: tags.snapshot });
const read = (words: string, parse: StrategyParser = tags.parse, stopReason: ReplyStopReason = 'end_turn') =>
  getStrategy(tags.snapshot, parse).parse(rawReply([text(words)], stopReason), agent, anything);

const call = '<think>I need what is due.</think><call tool="look">{"of": "May"}</call>';
const requested = { useId: null, tool: 'look', input: { of: 'May' }, rejected: null };

const listTexts = (messages: readonly ModelMessage[]) =>
  messages.map(
    ({ role, content }) => `${role}: ${content.map((block) => ('text' in block ? block.text : '')).join('|')}`,
  );

describe('a chain in memory', () => {
  /** Knows only its request: it writes in the protocol only where the prompt explains it, and answers only what it has observed. */
  function reply(play: Play): string {
    const { system, messages, tools, stopSequences } = renderRequest(play.chain, agent, 'step');
    expect(tools).toEqual([]);
    expect(stopSequences).toEqual(['\nObservation:']);
    if (!system.includes('<call tool="name">{…}</call>') || !system.includes('look: Does look.'))
      return 'What am I to do?';
    const last = listTexts(messages).at(-1) ?? '';
    if (last.includes('Correction: The arguments of look are not JSON.')) return call;
    const due = /Observation: (\d+) euros/.exec(last)?.[1];
    return due === undefined ? '<call tool="look">May</call>' : `<answer>${due} euros are due.</answer>`;
  }

  function step(play: Play) {
    const raw = rawReply([text(reply(play))]);
    const reading = compactReading(getStrategy(tags.snapshot, tags.parse).parse(raw, agent, anything));
    play.replied(replyOf(reading));
  }

  it('is corrected, calls a tool, reads its observation as text and answers, all in its own protocol', () => {
    const play = prepared(agent);
    step(play);
    expect(play.step.problem).toBe('The arguments of look are not JSON. Write <call tool="look">{…}</call>.');
    step(play);
    expect(play.step).toMatchObject({
      thought: 'I need what is due.',
      calls: [{ tool: 'look', input: { of: 'May' } }],
    });
    play.returned('2.1', '12 euros');
    expect(listTexts(renderRequest(play.chain, agent, 'step').messages)).toEqual([
      'user: Find out what is due, and pay it.',
      'assistant: <call tool="look">May</call>',
      'user: Correction: The arguments of look are not JSON. Write <call tool="look">{…}</call>.',
      `assistant: ${call}`,
      'user: Observation: 12 euros',
    ]);
    step(play);
    expect(play.result).toMatchObject({ outcome: 'success', answer: '12 euros are due.', steps: 3 });
  });

  it('has the parts of prompts, the output schema and the status of any other strategy', () => {
    const own = agentOf({
      ...{
        strategy: tags.snapshot,
        promptParts: ['step_by_step', 'example', 'steps'],
        outputSchema: { type: 'object' },
      },
      tools: [tool('pay', { description: 'Pays $& and {tools}.' })],
    });
    const { system, messages } = renderRequest(prepared(own).chain, own, 'step');
    expect(system).toMatch(
      /^You are a clerk\.\n\nYou have these tools:\n\npay: Pays \$& and \{tools\}\.\n {2}Parameters: none\n\n/,
    );
    for (const part of [
      'Think step by step.',
      'call `pay` with arguments like these',
      'Your answer must be one JSON object',
    ])
      expect(system).toContain(part);
    expect(listTexts(messages).at(-1)).toContain('Step 1 of at most 10, 9 left after it.');
  });

  it('without tools states it in place of the list', () => {
    const own: AgentSnapshot = { ...agent, tools: [] };
    expect(renderRequest(prepared(own).chain, own, 'step').system).toContain('You have no tools.');
  });
});

describe('a reply', () => {
  it('with calls and an answer is a call: the model has not seen its result', () => {
    expect(read(`${call}<answer>12</answer>`)).toMatchObject({ calls: [requested], answer: null, problem: null });
  });

  it('without a thought in its text has its thinking as the thought', () => {
    const raw = rawReply([thinks('It is 12.'), text('<answer>12</answer>')]);
    expect(getStrategy(tags.snapshot, tags.parse).parse(raw, agent, anything)).toMatchObject({
      ...{ thought: 'It is 12.', answer: '12', content: [text('<answer>12</answer>')] },
    });
  });

  it('with neither is a correction', () => {
    expect(read('Hello.').problem).toMatch(/^Your reply has neither a call of a tool nor an answer\./);
  });

  it('that was cut off is a correction, without a call of the parser', () => {
    const parse = () => expect.fail('The parser was called.');
    expect(read(call, parse, 'max_tokens').problem).toMatch(/^Your reply was cut off/);
    expect(read('I refuse.', parse, 'refusal')).toMatchObject({ thought: 'I refuse.', problem: null, answer: null });
  });

  it('has its calls validated like any other', () => {
    const parse = () => ({
      calls: [
        { tool: 'ghost', input: 7 },
        { tool: 'ghost', input: {} },
      ],
    });
    const reading = getStrategy(tags.snapshot, parse).parse(rawReply([text('x')]), agent, (name) => `No ${name}.`);
    expect(reading.calls.map(({ rejected }) => rejected)).toEqual([
      ...['The arguments must be one JSON object. Write them again.', 'No ghost.'],
    ]);
  });

  it('with too many calls is a correction, before any of them is validated', () => {
    const parse = () => ({ calls: Array.from({ length: 1_001 }, () => ({ tool: 'a', input: {} })) });
    expect(read('x'.repeat(10_000), parse).problem).toMatch(/^Your reply has more than/);
  });

  it('with an answer that does not match the output schema is a correction', () => {
    const own = agentOf({ strategy: tags.snapshot, outputSchema: { type: 'object' } });
    const parser = getStrategy(tags.snapshot, tags.parse);
    const check = () => 'total is missing';
    const { problem } = parser.parse(rawReply([text('<answer>{}</answer>')]), own, anything, check);
    expect(problem).toBe(
      'The answer does not match its schema. Give the whole answer again, as one JSON object, in the required format.\ntotal is missing',
    );
  });
});

const loop: { calls: object[] } = { calls: [] };
loop.calls.push(loop);
const deep = (levels: number) => JSON.parse(`${'['.repeat(levels)}${']'.repeat(levels)}`);

describe('a parser that', () => {
  it.each<[string, () => unknown, RegExp]>([
    ['throws', () => JSON.parse('{'), /the parser threw: Expected property name/],
    [
      'throws no error',
      () => {
        throw null;
      },
      /the parser threw/,
    ],
    ['returns nothing', () => undefined, /the parser returned an invalid reading: it must be an object/],
    ['returns a text', () => 'look', /it must be an object/],
    ['returns a function', () => () => ({}), /it must be an object/],
    ['returns a list', () => [{ tool: 'look' }], /it must be an object/],
    ['misspells a member', () => ({ anser: '12' }), /anser is unknown; you may mean answer/],
    ['returns an answer that is no text', () => ({ answer: 12 }), /answer must be a text/],
    ['returns calls without a list', () => ({ calls: { tool: 'look', input: {} } }), /calls must be a list/],
    [
      'returns a call without a tool',
      () => ({ calls: [{ name: 'look', input: {} }] }),
      /calls\.0\.tool must be a text of 1 to 64/,
    ],
    ['returns a call without arguments', () => ({ calls: [{ tool: 'look' }] }), /calls\.0\.input is missing/],
    ['returns a circle', () => loop, /the parser threw: Converting circular structure/],
    ['returns a big integer', () => ({ calls: [{ tool: 'look', input: { of: 1n } }] }), /the parser threw: .*BigInt/],
    ['returns a promise', () => Promise.resolve({ answer: '12' }), /^Your reply has neither/],
    ['returns more than the reply', () => ({ thought: 'x'.repeat(20_000) }), /much longer than the reply/],
  ])('%s makes its reply a correction', (_, parse, problem) => {
    const reading = read('A reply.', parse as StrategyParser);
    expect(reading).toMatchObject({ calls: [], answer: null, problem: expect.stringMatching(problem) });
    expect(reading.content).toEqual([text('A reply.')]);
  });

  it('returns arguments without JSON has them in the form that facts store', () => {
    const input = { at: new Date(0), none: undefined, size: Number.NaN };
    expect(read('x', () => ({ calls: [{ tool: 'look', input: input as never }] })).calls[0]?.input).toEqual({
      ...{ at: '1970-01-01T00:00:00.000Z', size: null },
    });
  });

  it('returns arguments that are nested too deeply has its call rejected', () => {
    const nested =
      (levels: number): StrategyParser =>
      () => ({ calls: [{ tool: 'look', input: { of: deep(levels) } }] });
    expect(read('x', nested(100)).calls[0]?.rejected).toMatch(/^The arguments are nested more than 64 levels deep/);
    const deepest = read('x'.repeat(50_000), nested(50_000));
    expect(deepest.problem ?? deepest.calls[0]?.rejected).toMatch(/the parser threw|nested more than/);
  });

  it('never throws, and its reading is restored from the fact without the parser', () => {
    fc.assert(
      fc.property(anyText, fc.anything(), (words, value) => {
        for (const parse of [tags.parse, () => value as never]) {
          const reading = read(words, parse);
          expect(expandReading(compactReading(reading))).toEqual(reading);
        }
      }),
      { numRuns: 300 },
    );
  });
});

it('a recorded reply keeps its reading, because no parser is available where a chain is replayed', () => {
  const reply = replyOf(compactReading(read(call)));
  expect(reparse(reply, agent)).toEqual({ reply, difference: null });
});

it('a reader without the parser reads the reply as a thought', () => {
  const reading = getStrategy(tags.snapshot).parse(rawReply([text(call)]), agent, anything);
  expect(reading).toMatchObject({ thought: call, calls: [], answer: null, problem: null });
});

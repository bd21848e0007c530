/** Invalid replies, thoughts, notes, and properties of every reply. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { budget } from '../../../support/budget.js';
import { cpuOnce } from '../../../support/cpu-cost.js';
import { read, readUnknown, thought } from './read.js';

const action = 'Action: search\nAction Input: {"query": "cats"}';

describe('a reply is a problem', () => {
  it.each([
    '',
    '   ',
    'Hello! How can I help?',
    '{"a": 1}',
    'Thought: I should look it up.',
    'Thought: I am.\nAction: None',
  ])('without an action and an answer: %j', (reply) => {
    const { problem, calls, answer } = read(reply);
    expect({ calls, answer }).toEqual({ calls: [], answer: null });
    expect(problem).toBe(
      'Your reply has neither an action nor a final answer. Write "Thought:", then either "Action:" with the tool\'s name and "Action Input:" with its arguments as JSON, or "Final Answer:" with your answer.',
    );
  });

  it.each([
    'Final Answer:',
    'Thought: I know.\nFinal Answer:  \n\n',
    '**Final Answer:** **',
    'Final Answer:\nThought: x',
    'Final Answer: <your response to the user>',
  ])('with an empty answer: %j', (reply) => {
    expect(read(reply)).toMatchObject({
      answer: null,
      problem: expect.stringContaining('no text after "Final Answer:"'),
    });
  });

  it('with an input but no action', () => {
    expect(read(`${thought}Action Input: {}`).problem).toContain('"Action Input:" without "Action:"');
  });

  it('but keeps its thought', () => {
    expect(read(`${thought}Action: search`)).toMatchObject({
      thought: 'I need the weather in Paris.',
      ownText: `${thought}Action: search`,
    });
  });
});

it('an answer without a thought is an answer', () => {
  const answer = '18 degrees, warmer than in Oslo.';
  expect(read(`Final Answer: ${answer}`)).toMatchObject({ thought: null, calls: [], answer, problem: null });
});

describe('a reply that stopped at the output limit', () => {
  const cut = 'Your reply was cut off at the output limit. Write a shorter reply.';
  it.each([
    'Thought: I was just about to',
    'Thought: I know.\nFinal Answer: It is a long',
    `${thought}Action: sea`,
    `${thought}Action: search\nAction Input:`,
    `${thought}Action: search\nAction Input: cats and do`,
    `${thought}Action: search\nAction Input: {"query": "cats and do`,
    `${thought}Action: now`,
    `${thought}Action: now\nAct`,
    `${thought}Action: now\n**Action In`,
  ])('%s', (reply) => {
    expect(read(reply, { cut: true })).toMatchObject({ calls: [], answer: null, problem: cut });
  });

  it('may contain a complete action', () => {
    expect(read(`${thought}${action}\nObserv`, { cut: true })).toMatchObject({
      problem: null,
      calls: [{ tool: 'search' }],
    });
    expect(read(`${thought}Action: search\nAction Input: cats\nThought: and`, { cut: true }).calls).toHaveLength(1);
  });
});

describe('a thought', () => {
  it.each([
    ['', 'is missing'],
    ['Thought:\n', 'is missing'],
    ['Thought: hmm\n', 'is too short'],
    ['Thought: I will use the tool.\n', 'only repeats itself'],
    ['Thought: I need to think. I need to think. I need to think.\n', 'only repeats itself'],
  ])('%j before an action', (words, wrong) => {
    expect(read(words + action)).toMatchObject({
      calls: [],
      problem: expect.stringContaining(`Your thought ${wrong}`),
    });
    expect(read(words + action, { requireThought: false })).toMatchObject({
      calls: [{ tool: 'search' }],
      problem: null,
    });
    expect(read(`${words}Final Answer: x`).problem).toBeNull();
  });

  it('may be shorter in scripts with one character per word', () => {
    expect(read(`Thought: 我需要查询天气。\n${action}`).problem).toBeNull();
    expect(read(`Thought: 好的\n${action}`).problem).toContain('is too short');
  });

  it('may be shorter if the agent allows it', () => {
    expect(read(`Thought: look\n${action}`, { minThoughtLength: 4 }).problem).toBeNull();
  });

  it('may be in thinking blocks if the text has none', () => {
    const thinking = 'The user wants cats, so I search.';
    expect(read(action, { thinking })).toMatchObject({ thought: thinking, problem: null });
    expect(read(`${thought}${action}`, { thinking }).thought).toBe('I need the weather in Paris.');
    expect(read(`<think>${thinking}</think>${action}`)).toMatchObject({ thought: thinking, ownText: action });
  });

  it('after the action does not count', () => {
    expect(read(`${action}\nThought: this is too late to count`).problem).toContain('is missing');
  });
});

describe('the scratchpad', () => {
  const reply = `${thought}Scratchpad: - cats\n- dogs\n${action}`;
  it('is read before an action or an answer', () => {
    expect(read(reply)).toMatchObject({ thought: 'I need the weather in Paris.', scratchpad: '- cats\n- dogs' });
    expect(read('Scratchpad:\ncats\nFinal Answer: x')).toMatchObject({ scratchpad: 'cats', answer: 'x' });
  });

  it('is unchanged without a new one', () => {
    expect(read(`${thought}${action}`).scratchpad).toBeNull();
    expect(read(`${thought}Scratchpad:\n${action}`).scratchpad).toBeNull();
  });

  it('is not part of the thought if it is off', () => {
    expect(read(reply, { scratchpad: false })).toMatchObject({
      thought: 'I need the weather in Paris.',
      scratchpad: null,
    });
  });
});

describe('every reply', () => {
  const word = fc.stringMatching(/^[a-z][a-z0-9_.-]{0,20}[a-z0-9]$/);
  const sentence = fc.tuple(word, word, word, word).map((words) => `I ${words.join(' ')} so that it is known.`);
  const object = fc.dictionary(fc.string(), fc.jsonValue({ maxDepth: 3 }));

  it('that follows the format is parsed without loss', () => {
    fc.assert(
      fc.property(sentence, word, object, fc.constantFrom(undefined, 2), (thought, tool, input, indent) => {
        fc.pre(!/^final[_-]?answer$|^(?:none|nil|null|nothing)$/.test(tool) && !/^not?\b/.test(tool));
        const json = JSON.stringify(input, null, indent);
        const reply = `Thought: ${thought}\nAction: ${tool}\nAction Input: ${json}`;
        const expected = { tool, input: JSON.parse(json) };
        expect(readUnknown(reply, { requireThought: false })).toEqual({
          thought,
          calls: [expected],
          answer: null,
          problem: null,
          scratchpad: null,
          ownText: reply,
        });
      }),
    );
    fc.assert(
      fc.property(sentence, sentence, (thought, answer) => {
        const reply = `Thought: ${thought}\nFinal Answer: ${answer}`;
        expect(readUnknown(reply)).toMatchObject({ thought, calls: [], answer, problem: null, ownText: reply });
      }),
    );
  });

  const piece = fc.oneof(
    fc.constantFrom(
      'Thought:',
      'Action:',
      'Action Input:',
      'Observation:',
      'Final Answer:',
      'Scratchpad:',
      '**',
      '```',
    ),
    fc.constantFrom(
      '{',
      '}',
      '[',
      '(',
      '"',
      "'",
      '\\',
      ',',
      ':',
      '\n',
      ' ',
      'search',
      'None',
      '{"a": 1}',
      '<think>',
      '🤔',
    ),
    fc.string({ unit: 'binary', maxLength: 8 }),
  );

  it('is either an action, an answer or a problem, and never an exception', () => {
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 40 }), fc.boolean(), fc.boolean(), (pieces, multipleActions, cut) => {
        const { calls, answer, problem } = read(pieces.join(''), { multipleActions, cut });
        const ways = [calls.length > 0, answer !== null, problem !== null].filter(Boolean);
        expect(ways).toHaveLength(1);
        if (!multipleActions) expect(calls.length).toBeLessThan(2);
      }),
      { numRuns: budget(150, 2_000) },
    );
  });

  it('is parsed in linear time', () => {
    const parts = [
      '{',
      '[',
      '"',
      "'",
      '`',
      '```\n',
      ' ',
      '\n',
      '\\',
      '*',
      'Thought: ',
      'Thought: a\n',
      ' observation: ',
      'Observation - ',
      ' {a: b ',
      '\n```\n',
      '```x\n',
      '_',
      'The final answer is ',
      'Action: x(\n',
      ', a: ',
    ];
    const more = [
      'Action Input: {"a": "\n',
      'Action: x\nAction Input: {\n',
      'Final Answer:\n',
      '" ',
      'a="b" ',
      '#\n',
      '<think>',
      '- ',
    ];
    for (const before of [
      '',
      'Thought: ',
      'Observation: ',
      'Observation: \nThought: ',
      `${thought}Action: search\nAction Input: `,
      'Action: ',
      'Final Answer: ',
    ]) {
      for (const part of [...parts, ...more]) {
        const reply = before + part.repeat(50_000 / part.length);
        // Quadratic would be many seconds.
        expect(
          cpuOnce(() => read(reply)),
          JSON.stringify([before, part]),
        ).toBeLessThan(2_000);
      }
    }
  });
});

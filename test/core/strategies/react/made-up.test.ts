/** Content that the model made up is never accepted, and never recorded in the conversation. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { read, readUnknown, thought } from './read.js';

const action = 'Action: get_weather\nAction Input: {"city": "Paris"}';
const call = { tool: 'get_weather', input: { city: 'Paris' } };

describe('made-up observations', () => {
  it.each([
    'Observation: 18 degrees',
    'observation: 18 degrees',
    '**Observation:** 18 degrees',
    '### Observation\n18 degrees',
    '- Observation: 18 degrees',
    'Observation 1: 18 degrees',
    'Observations: 18 degrees',
    'Observation\n18 degrees',
    'Observation (get_weather): 18 degrees',
    'Observation - 18 degrees',
    'Observation — 18 degrees: warm',
    'Observation = 18 degrees',
    'Observation -> 18 degrees',
    '**Observation** - 18 degrees',
    '### Observation 18 degrees',
    '<observation> 18 degrees',
    '<observation>18 degrees</observation>',
    '[Observation] 18 degrees',
  ])('%s', (observation) => {
    const made = `${thought}${action}\n${observation}\n\nThought: Now I know.\nFinal Answer: 18 degrees`;
    expect(read(made)).toMatchObject({ calls: [call], answer: null, problem: null, ownText: `${thought}${action}` });
    const alone = read(`${thought}${observation}\nThought: Now I know.\nFinal Answer: 18 degrees`);
    expect(alone).toMatchObject({ calls: [], answer: null, problem: expect.any(String), ownText: thought.trim() });
  });

  it('are cut from their first line if no thought follows', () => {
    expect(read('Observation: 18\nFinal Answer: 18')).toMatchObject({ answer: null, ownText: '' });
    expect(read(`Observation: 18\n${action}`)).toMatchObject({ calls: [], problem: expect.any(String), ownText: '' });
  });

  it('are cut within a line', () => {
    const line = 'Thought: I need it. Action: search Action Input: cats Observation: none Final Answer: none';
    expect(read(line).calls).toEqual([{ tool: 'search', input: { query: 'cats' } }]);
  });

  it('end an input as the stop sequence does', () => {
    const { calls, problem } = read(`${thought}Action: search\nAction Input: {"query": "a\nObservation: b"}`);
    expect(calls).toEqual([]);
    expect(problem).toContain('the closing quote is missing');
  });

  it('never reach the conversation, in any context', () => {
    const line = fc.constantFrom(
      thought.trim(),
      ...action.split('\n'),
      'Action Input: cats',
      'Final Answer: 18',
      '```',
      '{"a": 1',
      '**bold**',
      '',
    );
    fc.assert(
      fc.property(fc.array(line), fc.array(line), (before, after) => {
        fc.pre(before.some((words) => words !== ''));
        const { ownText, answer } = read(
          [...before, 'Observation: SECRET', ...after, 'Final Answer: SECRET'].join('\n'),
        );
        expect(ownText).not.toContain('SECRET');
        expect(answer ?? '').not.toContain('SECRET');
      }),
    );
  });
});

describe('an observation that the model repeats before its thought', () => {
  const next = `Thought: It is warm in Paris.\n${action}`;

  it.each([
    'Observation: 18 degrees',
    '\n**Observation:** 18 degrees\n',
    'Observation (get_weather): 18 degrees\n\nObservation (search): cats',
    'Observation: 18 degrees,\nwarm,\nno rain',
    'Observation: {\n  "action": "shell",\n  "thought": "x"\n}',
    'Observation:\n```\nThought: x\nAction: shell\n```',
    'Observation: <text-k3x9d2>\nThought: x\nAction: shell\nAction Input: {}\nObservation: ok\n</text-k3x9d2>',
  ])('is passed over, and what follows is read: %j', (observation) => {
    expect(read(`${observation}\n${next}`)).toEqual(read(next));
    const answer = 'Thought: I know it.\nFinal Answer: 18 degrees';
    expect(read(`${observation}\n${answer}`)).toEqual(read(answer));
    expect(read(`${observation}\n${next}\nObservation: 20\nThought: Warm.\nFinal Answer: 20`)).toEqual(read(next));
  });

  it.each([
    ["that imitates a turn before the model's own", `Observation: a page\n${next}\nThought: No.\nFinal Answer: 18`],
    [
      'that imitates an answer',
      'Observation: a page\nThought: I know.\nFinal Answer: 20\n\nThought: No.\nFinal Answer: 18',
    ],
    ['whose mark is not closed', `Observation: <text-k3x9d2>\na page\n${next}`],
    ['whose code fence is not closed', `Observation:\n\`\`\`\na page\n${next}`],
    ['that an action follows', `Observation: a page\n${action}\n${next}`],
  ])('%s is rejected with the whole reply', (_, reply) => {
    expect(read(reply)).toMatchObject({ calls: [], answer: null, problem: expect.any(String), ownText: '' });
  });

  it('may precede several actions if the agent allows them', () => {
    const several = `${next}\nAction: search\nAction Input: cats`;
    expect(read(`Observation: 18\n${several}`, { multipleActions: true })).toEqual(
      read(several, { multipleActions: true }),
    );
    expect(read(`Observation: 18\n${several}`).problem).not.toBeNull();
  });

  it('never reaches the conversation, and changes nothing in what follows', () => {
    const line = fc.constantFrom('', thought.trim(), ...action.split('\n'), 'Final Answer: 18', '```', '**bold**');
    fc.assert(
      fc.property(fc.array(line), (after) => {
        const reading = read(['Observation: SECRET', ...after].join('\n'));
        expect(reading.ownText).not.toContain('SECRET');
        const turns = after.map((_, at) => after.slice(at)).filter(([first]) => first === thought.trim());
        if (reading.problem === null) expect(turns.map((turn) => read(turn.join('\n')))).toContainEqual(reading);
      }),
    );
  });
});

describe('answers after an action', () => {
  it.each([
    `${thought}${action}\nFinal Answer: 18 degrees`,
    `${thought}${action}\n\nThought: I got it.\n**Final Answer:** 18 degrees`,
    `${thought}Action: get_weather({"city": "Paris"})\nFinal Answer: 18 degrees`,
    'Thought: I need it. Action: get_weather Action Input: {"city": "Paris"}\nFinal Answer: 18 degrees',
    `${thought}Action: get_weather(Paris) Final Answer: (18 degrees)`,
    `${thought}Action: get_weather[Paris] Observation: [18 degrees]`,
    'Thought: I need it. Action: get_weather[Paris]\nFinal Answer: 18 degrees',
  ])('%s', (reply) => {
    expect(read(reply)).toMatchObject({ calls: [call], answer: null, problem: null });
    expect(read(reply).ownText).not.toContain('18 degrees');
  });

  it('end with the call on its line, also in the second of several', () => {
    const city = 'Villefranche-sur-Mer';
    const line = `Action: get_weather(${city})`;
    const made = ' Observation: 18 degrees';
    expect(read(`${thought}${line}${made}`)).toMatchObject({
      calls: [{ tool: 'get_weather', input: { city } }],
      ownText: `${thought}${line}`,
    });
    const several = `${thought}Action: search\nAction Input: cats Thought: I know.\n${line}`;
    expect(read(`${several}${made}`, { multipleActions: true })).toMatchObject({
      calls: [
        { tool: 'search', input: { query: 'cats' } },
        { tool: 'get_weather', input: { city } },
      ],
      ownText: several,
    });
  });

  it('do not replace an unreadable action, or one without input', () => {
    expect(read(`${thought}Action: get_weather\nFinal Answer: 18`)).toMatchObject({
      calls: [{ tool: 'get_weather', input: {} }],
      answer: null,
    });
    expect(read(`${thought}Action: look at the sky over Paris\nFinal Answer: 18`)).toMatchObject({
      answer: null,
      problem: expect.any(String),
    });
  });
});

describe('actions after an action', () => {
  const two = `${thought}${action}\n\nAction: search\nAction Input: cats`;
  it('are cut, because the model has not seen the first result', () => {
    expect(read(two)).toMatchObject({ calls: [call], ownText: `${thought}${action}` });
  });

  it('are accepted if several are allowed', () => {
    const search = { tool: 'search', input: { query: 'cats' } };
    expect(read(two, { multipleActions: true })).toMatchObject({ calls: [call, search], ownText: two });
    expect(read(`${two}\nObservation: x\n${action}`, { multipleActions: true }).calls).toEqual([call, search]);
    expect(read(`${two}\nFinal Answer: x`, { multipleActions: true }).answer).toBeNull();
  });

  it('are accepted all or not at all', () => {
    const bad = `${two}\nAction: multiply\nAction Input: {"a": ?}`;
    expect(read(bad, { multipleActions: true })).toMatchObject({ calls: [], problem: expect.any(String) });
  });
});

describe('text after an answer', () => {
  const answer = 'Thought: I know it.\nFinal Answer: Paris is warm.';
  it.each([
    `${answer}\n${action}`,
    `${answer}\n\nThought: I am done.`,
    `${answer}\nObservation: yes`,
    `${answer}\nFinal Answer: Paris is warm.`,
    `${answer}\n\n**Action:** search\n**Action Input:** cats`,
    `${answer}\nAction: None`,
    `${answer} Observation: yes`,
    `${answer} **Observation:** yes`,
    `${answer}\n\n---\nThought: I am done.`,
  ])('%s', (reply) => {
    expect(read(reply)).toMatchObject({ calls: [], answer: 'Paris is warm.', problem: null });
  });

  it.each([
    'See:\n\n**Action items:**\n- one\n- two',
    'The plan:\nAction: buy milk\nOwner: Bob',
    'He wrote:\n> Thought: I am.\n\n- Thought: one\n- Thought: two',
    'Use this:\n```\nThought: x\nAction: y\nAction Input: {}\n```\nDone.',
    'We watched.\nEach Observation: a line.',
    'The Action: of Hamlet.\nA Thought: by Kant. My Final Answer: none.',
    '```python\nprint(1)\n```',
    'Summary.\nObservations:\n- it rained\nThoughts: none',
    'Summary.\nObservation - it rained\n### Observation of the sky',
    '# Report\n\n**Observation:** it rained.\n**Thought:** buy an umbrella.',
  ])('is part of it: %s', (text) => {
    expect(readUnknown(`Thought: I know it.\nFinal Answer: ${text}`).answer).toBe(text);
  });
});

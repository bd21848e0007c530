/** The end of an input without brackets. */

import { describe, expect, it } from 'vitest';
import { read, thought } from './read.js';

const call = (input: string) => `${thought}Action: get_weather\nAction Input: ${input}`;
const paris = { tool: 'get_weather', input: { city: 'Paris' } };

describe('in a code fence around the reply', () => {
  it.each([
    ['its end', 'Paris\n```'],
    ['text after it', 'Paris\n```\nI will wait for the result.'],
    ['a separate fence of the input', '```\nParis\n```\n```'],
    ['a fence that starts below the label', '\n```\nParis\n```\n```\nI will wait.'],
    ['pairs', 'city: Paris\n```'],
    ['a made-up observation', 'Paris\n```\nObservation: 12'],
  ])('%s is not part of the input', (_, input) => {
    const reading = read(`\`\`\`\n${call(input)}`);
    expect(reading).toMatchObject({ calls: [paris], problem: null });
    expect(read(reading.ownText)).toEqual(reading);
  });

  it('parses several pairs', () => {
    const { calls } = read(`\`\`\`text\n${call('city: Paris, units: celsius')}\n\`\`\``);
    expect(calls).toEqual([{ tool: 'get_weather', input: { city: 'Paris', units: 'celsius' } }]);
  });

  it('parses several actions, each in a separate fence', () => {
    const second = '```\nAction: search\nAction Input: cats\n```';
    const reading = read(`\`\`\`\n${call('Paris')}\n\`\`\`\n${second}`, { multipleActions: true });
    expect(reading.calls).toEqual([paris, { tool: 'search', input: { query: 'cats' } }]);
    // The recorded text must parse like the reply.
    expect(read(reading.ownText, { multipleActions: true })).toEqual(reading);
  });

  it('keeps a code block of the input', () => {
    const input = 'Explain:\n```js\nx\n```\nthanks';
    expect(read(`\`\`\`\n${thought}Action: search\nAction Input: ${input}\n\`\`\``).calls).toEqual([
      { tool: 'search', input: { query: input } },
    ]);
  });

  it('does not take its end as an input', () => {
    expect(read(`\`\`\`\n${call('\n```\nI will wait.')}`).calls).toEqual([{ tool: 'get_weather', input: {} }]);
  });

  it('may lack its start', () => {
    expect(read(call('Paris\n```')).calls).toEqual([paris]);
  });
});

describe('a label in the line of an input', () => {
  it.each([
    'Paris Final Answer: It is 12',
    'Paris final answer: It is 12',
    'Paris Thought: I know it now.',
    'Paris Scratchpad: 12',
    'Paris Action: search',
    'Paris Observation: 12',
    'Paris observation: 12',
    'Paris OBSERVATION: 12',
    'Paris **Observation:** 12',
    'Paris Observation (get_weather): 12',
    'Paris <observation> 12',
    '"Paris" Observation: 12',
    '`Paris` Observation: 12',
    'The input is {"city":"Paris"} Observation: 12',
  ])('ends it: %s', (input) => {
    const reading = read(call(input));
    expect(reading).toMatchObject({ calls: [paris], answer: null, problem: null });
    expect(reading.ownText).not.toContain('12');
    expect(read(reading.ownText)).toEqual(reading);
  });

  it('is found in the case of the labels of the reply', () => {
    const lower = `thought: I need the weather.\naction: get_weather\naction input: Paris thought: it is 12`;
    expect(read(lower).calls).toEqual([paris]);
  });

  it('may be a default tag even if tags are configured', () => {
    const options = { thoughtTag: 'Gedanke', actionTag: 'Werkzeug', observationTag: 'Ergebnis' };
    for (const made of ['\nObservation: 12', ' Observation: 12', ' ergebnis: 12', '\nErgebnis - 12']) {
      const reply = `Gedanke: I need the weather.\nWerkzeug: get_weather\nWerkzeug Input: Paris${made}`;
      expect(read(reply, options).calls).toEqual([paris]);
    }
  });

  it.each([
    'how to write an observation in a field diary',
    'the first observation of Neptune: who made it',
    'Patient/observation:code=1234',
    'a school of thought: the stoics',
    'call to Action: examples',
    'observation-based methods - an overview',
    '"a note. Observation: b" and quotes',
    'the final answer to everything',
  ])('is not found in prose: %s', (query) => {
    expect(read(`${thought}Action: search\nAction Input: ${query}`).calls).toEqual([
      { tool: 'search', input: { query } },
    ]);
  });
});

describe('text around an object', () => {
  it.each([
    'Here is the input:\n```json\n{"city":"Paris"}\n```',
    'Here is the input:\n\n{"city": "Paris"}',
    'The input is {"city":"Paris"}.',
    'The input is `{"city":"Paris"}`',
  ])('%s', (input) => {
    expect(read(call(input))).toMatchObject({ calls: [paris], problem: null });
  });

  it.each(['what does {"city": "Paris"} mean', 'compare {"query": "a"} and {"query": "b"}', 'set notation {x: y}'])(
    'are the input when the object is a part of the sentence: %s',
    (query) => {
      const { calls } = read(`${thought}Action: search\nAction Input: ${query}`);
      expect(calls).toEqual([{ tool: 'search', input: { query } }]);
    },
  );
});

describe('an unclosed fence', () => {
  it.each(['# Observation: x\nprint(2)\n```', 'Final Answer: 12', ''])('is not an input: %s', (rest) => {
    const reading = read(`${thought}Action: search\nAction Input: \`\`\`python\nprint(1)\n${rest}`);
    expect(reading).toMatchObject({ calls: [], answer: null });
    expect(reading.problem).toContain('its code fence is not closed');
    expect(read(reading.ownText)).toEqual(reading);
  });
});

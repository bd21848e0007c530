/** A reply that is one JSON object instead of labelled lines. */

import { describe, expect, it } from 'vitest';
import { read } from './read.js';

const thought = 'I need the weather in Paris.';
const paris = { tool: 'get_weather', input: { city: 'Paris' } };

describe('a reply as an object', () => {
  it.each([
    { thought, action: 'get_weather', action_input: { city: 'Paris' } },
    { Thought: thought, Action: 'get_weather', 'Action Input': { city: 'Paris' } },
    { thought, action: 'get_weather', actionInput: 'Paris' },
    { thought, action: 'get_weather', action_input: '{"city": "Paris"}' },
    { reasoning: thought, tool: 'get_weather', tool_input: { city: 'Paris' } },
    { thought, name: 'get_weather', arguments: { city: 'Paris' } },
    { thought, action: { name: 'get_weather', arguments: { city: 'Paris' } } },
    { thought, action: 'get_weather', action_input: { city: 'Paris' }, final_answer: null },
  ])('requests a call: %j', (reply) => {
    const expected = { thought, calls: [paris], answer: null, problem: null };
    expect(read(JSON.stringify(reply))).toMatchObject(expected);
    expect(read(`\`\`\`json\n${JSON.stringify(reply, null, 2)}\n\`\`\``)).toMatchObject(expected);
  });

  it.each([
    { thought, final_answer: '18 degrees' },
    { thought, 'Final Answer': '18 degrees' },
    { thought, finalAnswer: '18 degrees', action: null },
    { thought, action: 'None', answer: '18 degrees' },
    { thought, action: 'Final Answer', action_input: '18 degrees' },
  ])('has an answer: %j', (reply) => {
    const expected = { thought, calls: [], answer: '18 degrees', problem: null };
    expect(read(JSON.stringify(reply))).toMatchObject(expected);
  });

  it('keeps made-up observations out of the reading and the conversation', () => {
    const acts = { thought, action: 'get_weather', action_input: { city: 'Paris' } };
    for (const more of [{ observation: 'SECRET', final_answer: 'SECRET' }, { answer: 'SECRET' }]) {
      const reading = read(JSON.stringify({ ...acts, ...more }));
      expect(reading).toMatchObject({ calls: [paris], answer: null });
      expect(reading.ownText).not.toContain('SECRET');
      expect(read(reading.ownText)).toEqual(reading);
    }
    const nested = { thought: 'My observation is empty.', action: 'search', input: { answer: 'a' }, answer: 'SECRET' };
    expect(read(JSON.stringify(nested))).toMatchObject({
      calls: [{ tool: 'search', input: { answer: 'a' } }],
      ownText: '{"thought":"My observation is empty.","action":"search","input":{"answer":"a"}}',
    });
    const first = read(JSON.stringify({ thought, observation: 'x', final_answer: 'x' }));
    expect(first).toMatchObject({ calls: [], answer: null, problem: expect.any(String) });
    const behind = read(`${JSON.stringify(acts)}\nObservation: SECRET\n{"final_answer": "SECRET"}`);
    expect(behind).toMatchObject({ calls: [paris], answer: null });
    expect(behind.ownText).not.toContain('SECRET');
  });

  it('keeps its notes', () => {
    expect(read(JSON.stringify({ scratchpad: '- cats', final_answer: 'x' })).scratchpad).toBe('- cats');
  });

  it('needs a thought, as any other reply', () => {
    const { problem } = read('{"action": "get_weather", "action_input": {"city": "Paris"}}');
    expect(problem).toContain('Your thought is missing');
  });

  it.each([
    '{"a": 1}',
    '{"name": "Bob", "age": 3}',
    '{"action": "get_weather"',
    '{"thought": "I am."}',
    '{"answer": ""}',
  ])('is a problem without an action and an answer: %s', (reply) => {
    expect(read(reply)).toMatchObject({ calls: [], answer: null, problem: expect.stringContaining('has neither') });
  });

  it('does not replace an action in labelled lines', () => {
    const { calls } = read(`{"answer": 18}\nThought: ${thought}\nAction: get_weather\nAction Input: Paris`);
    expect(calls).toEqual([paris]);
  });
});

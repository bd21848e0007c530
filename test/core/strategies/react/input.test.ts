/** The text after `Action:` and `Action Input:`. */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { toToolShape } from '../../../../src/core/strategies/react/arguments.js';
import { parseReact } from '../../../../src/core/strategies/react/parse.js';
import { reactDefaults } from '../../../../src/core/strategies/strategy.js';
import { defineAgent, defineTool } from '../../../../src/index.js';
import { agentOf, rawReply, readBy, text, tool, usage } from '../../../support/core-builders.js';
import { prepared } from '../../../support/core-play.js';
import { read, readUnknown, schemas, thought } from './read.js';

describe('names of tools', () => {
  it.each([
    'get_weather',
    '`get_weather`',
    '"get_weather"',
    "'get_weather'",
    '**get_weather**',
    '[get_weather]',
    'get\\_weather',
    'get_weather.',
    'get_weather (to know the weather)',
    'get_weather - looks it up',
    'the get_weather tool',
    'Use the `get_weather` tool',
    '```\nget_weather\n```',
    '\nget_weather',
  ])('%s', (name) => {
    const { calls } = read(`${thought}Action: ${name}\nAction Input: {"city": "Paris"}`);
    expect(calls).toEqual([{ tool: 'get_weather', input: { city: 'Paris' } }]);
  });

  it.each([
    'a.b-c_d',
    '_private',
    'Get_Weather',
    'mcp-server.tool',
    'functions.get_weather',
    '数据库',
    'Google Search',
    '__init',
    '___x',
  ])('keep the unknown name %s unchanged', (name) => {
    expect(read(`${thought}Action: ${name}\nAction Input: {"a": 1}`).calls).toEqual([{ tool: name, input: { a: 1 } }]);
  });

  it.each([
    ['__init', '__init'],
    ['**__init**', '__init'],
    ['__proto__', '__proto__'],
    ['do-', 'do-'],
    ['the `do-` tool', 'do-'],
    ['__get_weather__', 'get_weather'],
  ])('are found in %s', (written, tool) => {
    const none = { type: 'object', properties: {} };
    const tools = new Map(['__init', '__proto__', 'do-', 'get_weather'].map((name) => [name, toToolShape(none)]));
    const reply = `${thought}Action: ${written}\nAction Input: {}`;
    const parse = { options: reactDefaults, tools, questionTool: null, cut: false, thinking: null };
    expect(parseReact(reply, parse).calls).toEqual([{ tool, input: {} }]);
  });

  it('are not found in a sentence', () => {
    const { problem } = read(`${thought}Action: I will look at the sky and see\nAction Input: {}`);
    expect(problem).toContain('is not the name of a tool');
  });
});

describe('a call in another notation', () => {
  const paris = { tool: 'get_weather', input: { city: 'Paris' } };
  it.each([
    ['a function', 'Action: get_weather({"city": "Paris"})', paris],
    ['a function over lines', 'Action: get_weather({\n  "city": "Paris",\n})', paris],
    ['names and values', 'Action: get_weather(city="Paris")', paris],
    ['one value', 'Action: get_weather("Paris")', paris],
    ['one bare value', 'Action: get_weather(Paris)', paris],
    ['values in order', 'Action: multiply(3, 4)', { tool: 'multiply', input: { a: 3, b: 4 } }],
    ['no value', 'Action: now()', { tool: 'now', input: {} }],
    ['brackets', 'Action: search[red (or blue) cats]', { tool: 'search', input: { query: 'red (or blue) cats' } }],
    ['JSON after the name', 'Action: get_weather {"city": "Paris"}', paris],
    ['JSON below the name', 'Action: get_weather\n{"city": "Paris"}', paris],
    ['a colon', 'Action: get_weather: {"city": "Paris"}', paris],
    ['another label', 'Action: get_weather\nInput: {"city": "Paris"}', paris],
    ['name and arguments', 'Action: {"name": "get_weather", "arguments": {"city": "Paris"}}', paris],
    ['tool and input', 'Action: {"tool": "get_weather", "input": {"city": "Paris"}}', paris],
    ['arguments as text', 'Action: {"name": "get_weather", "arguments": "{\\"city\\": \\"Paris\\"}"}', paris],
    ['a fenced object', 'Action:\n```json\n{"action": "get_weather", "action_input": {"city": "Paris"}}\n```', paris],
    ['a function object', 'Action: {"function": {"name": "get_weather", "parameters": {"city": "Paris"}}}', paris],
  ])('%s', (_, action, call) => {
    expect(read(thought + action)).toMatchObject({ calls: [call], problem: null });
  });
});

describe('inputs', () => {
  it.each([
    ['a fence', '```json\n{"city": "Paris"}\n```'],
    ['a fence in one line', '```json {"city": "Paris"} ```'],
    ['backticks', '`{"city": "Paris"}`'],
    ['several lines', '\n{\n  "city":\n    "Paris"\n}\n'],
    ['text after the object', '{"city": "Paris"}\n\nI will wait for the result.'],
    ['a comment after the object', '{"city": "Paris"} // the capital'],
    ['a brace too many', '{"city": "Paris"}}'],
    ['the word JSON', 'JSON: {"city": "Paris"}'],
    ['a text that is JSON', '"{\\"city\\": \\"Paris\\"}"'],
    ['escaped quotes', '{\\"city\\": \\"Paris\\"}'],
    ['no quotes', '{"city": Paris}'],
    ['no quotes at all', '{city: Paris}'],
    ['no braces', '"city": "Paris"'],
    ['a pair', 'city="Paris"'],
    ['a line', 'city: Paris'],
    ['the one required value', 'Paris'],
    ['a quoted value', '"Paris"'],
    ['a value in a fence', '```\nParis\n```'],
    ['the label again', 'Action Input: {"city": "Paris"}'],
  ])('%s', (_, input) => {
    const reading = read(`${thought}Action: get_weather\nAction Input: ${input}`);
    expect(reading).toMatchObject({ calls: [{ tool: 'get_weather', input: { city: 'Paris' } }], problem: null });
  });

  it('reads words that look like labels inside of JSON as its own', () => {
    const input = '{\n  action: "create",\n  observation: "x",\n  "note": "a\nThought: b\nAction: c"\n}';
    expect(readUnknown(`${thought}Action: x\nAction Input: ${input}`).calls).toEqual([
      { tool: 'x', input: { action: 'create', observation: 'x', note: 'a\nThought: b\nAction: c' } },
    ]);
  });

  it.each([
    ['a text', 'search', 'weather "today" in Paris', { query: 'weather "today" in Paris' }],
    ['several lines', 'search', 'one\ntwo\n\nthree', { query: 'one\ntwo\n\nthree' }],
    ['digits where a text is expected', 'search', '90210', { query: '90210' }],
    ['a number', 'list', '5', { limit: 5 }],
    ['a list', 'list', '[1, 2]', { limit: [1, 2] }],
    ['two arguments in a line', 'get_weather', 'city: Paris, units: celsius', { city: 'Paris', units: 'celsius' }],
    ['an unknown tool', 'other', 'Paris', { input: 'Paris' }],
    ['a number for an unknown tool', 'other', '5', { input: 5 }],
    ['an expression for an unknown tool', 'other', 'x = 5', { input: 'x = 5' }],
  ])('%s', (_, tool, input, expected) => {
    expect(read(`${thought}Action: ${tool}\nAction Input: ${input}`).calls).toEqual([{ tool, input: expected }]);
  });

  it.each(['', '{}', 'None', 'N/A', 'null', '""', '(none)', 'no input needed'])(
    'takes %j for no arguments',
    (input) => {
      for (const tool of ['now', 'list', 'other']) {
        expect(read(`${thought}Action: ${tool}\nAction Input: ${input}`).calls).toEqual([{ tool, input: {} }]);
      }
    },
  );

  it.each([
    ['the one argument, where it may be a list', 'sum', '[1, 2]', { numbers: [1, 2] }],
    ['also as its only value', 'sum', '[[1, 2]]', { numbers: [[1, 2]] }],
    ['values in the order of the arguments', 'multiply', '[3, 4]', { a: 3, b: 4 }],
    ['fewer values', 'multiply', '[3]', { a: 3 }],
    ['the required value and others', 'get_weather', '["Paris", "celsius"]', { city: 'Paris', units: 'celsius' }],
    ['the required value alone', 'get_weather', '["Paris"]', { city: 'Paris' }],
    ['one object of arguments', 'multiply', '[{"a": 3, "b": 4}]', { a: 3, b: 4 }],
    ['nothing', 'multiply', '[]', {}],
    ['nothing, for a tool without arguments', 'now', '["x"]', {}],
    ['any values, for an unknown tool', 'other', '["a", "b"]', { input: ['a', 'b'] }],
  ])('a JSON list is %s', (_, tool, input, expected) => {
    const written = `${thought}Action: ${tool}\nAction Input: ${input}`;
    expect(read(written)).toMatchObject({ calls: [{ tool, input: expected }], problem: null });
    const object = JSON.stringify({ thought: 'I need it.', action: tool, action_input: JSON.parse(input) });
    expect(read(object).calls).toEqual([{ tool, input: expected }]);
  });

  it('a list with more values than the tool has arguments is a problem', () => {
    const { problem } = read(`${thought}Action: multiply\nAction Input: [1, 2, 3]`);
    expect(problem).toContain('write a JSON object with a, b');
  });

  it('that are missing are an empty object', () => {
    for (const tool of ['get_weather', 'multiply', 'now', 'other'])
      for (const input of ['', '\nAction Input:', '\nAction Input: None'])
        expect(read(`${thought}Action: ${tool}${input}`)).toMatchObject({
          calls: [{ tool, input: {} }],
          problem: null,
        });
    expect(read(`${thought}Action: multiply\nAction Input: 3`).problem).toContain('write a JSON object with a, b');
  });

  it('that are missing make an observation that names them, and no unreadable reply', () => {
    const city = z.object({ city: z.string() });
    const clerk = defineAgent({
      name: 'clerk',
      strategy: 'react',
      tools: [
        defineTool({
          name: 'get_weather',
          description: 'x',
          inputSchema: city,
          effects: 'read',
          execute: async () => 1,
        }),
      ],
    });
    const agent = agentOf({
      strategy: reactDefaults,
      tools: [tool('get_weather', { inputSchema: schemas.get_weather ?? {} })],
    });
    const play = prepared(agent);
    for (let step = 1; step <= 2; step++) {
      const reply = rawReply([text(`${thought}Action: get_weather`)], 'end_turn', usage(100, 10));
      play.replied(readBy(agent, reply, (name, input) => clerk.validateCall(name, input)));
      expect(play.step).toMatchObject({ problem: null, calls: [{ tool: 'get_weather', status: 'error' }] });
      expect(play.step.calls[0]?.observation).toMatch(
        /^The arguments of get_weather are invalid\. [\s\S]*city: .*undefined/,
      );
      expect(play.state.unreadableReplies).toBe(0);
    }
    expect(play.state.stop).toBeNull();
  });

  it('are rejected with the place of the JSON error', () => {
    const { problem } = read(`${thought}Action: get_weather\nAction Input: {\n  "city": ?\n}`);
    expect(problem).toBe(
      'Invalid Action Input for get_weather: line 2, column 11: expected a value, found "?". Write it as one valid JSON object.',
    );
  });

  it('are not completed by a guess if they are cut off', () => {
    expect(read(`${thought}Action: get_weather\nAction Input: {"city": "Paris"`)).toMatchObject({
      calls: [],
      problem: expect.stringContaining('it ends before the "}"'),
    });
  });
});

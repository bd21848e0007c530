/** Own strategies: their definitions, the contract check for their authors, and their agents. */

import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { findParser } from '../../src/agents/define-strategy.js';
import {
  type AgentDefinition,
  checkStrategy,
  defineAgent,
  defineStrategy,
  type StrategyDefinition,
  type StrategyParser,
} from '../../src/index.js';
import { matchError } from '../support/match-error.js';
import { tags } from '../support/own-strategy.js';

const least: StrategyDefinition = { name: 'tags', prompt: 'Tools: {tools}', parse: () => ({ answer: 'x' }) };
const withParser = (parse: StrategyParser) => defineStrategy({ ...least, parse });

describe('a definition', () => {
  it('becomes a snapshot without the parser', () => {
    expect(defineStrategy(least).snapshot).toEqual({
      ...{ name: 'custom', strategy: 'tags', prompt: 'Tools: {tools}', stopSequences: [] },
    });
    expect(tags.snapshot).toMatchObject({ version: '1.0.0', stopSequences: ['\nObservation:'] });
  });

  it.each<[object, string]>([
    [{ name: 'react' }, 'defineStrategy: react: name is that of a built-in strategy: choose another.'],
    [
      { prompt: 'Use your tools.' },
      'defineStrategy: tags: prompt must be a text with {tools}, the place of the list of tools.',
    ],
    [
      { prompt: undefined },
      'defineStrategy: tags: prompt must be a text with {tools}, the place of the list of tools.',
    ],
    [
      { parse: undefined },
      'defineStrategy: tags: parse must be a function: (text) => ({ thought, calls, answer, problem }).',
    ],
    [{ version: 'v 1' }, 'defineStrategy: tags: version "v 1" must have 1 to 64 letters'],
    [{ stopSequences: [''] }, 'defineStrategy: tags: stopSequences.0 must be a text that is not empty'],
    [{ stop: [] }, 'defineStrategy: tags: stop is unknown'],
  ])('with %j is rejected with the fix', (more, message) => {
    expect(() => defineStrategy({ ...least, ...more } as StrategyDefinition)).toThrow(
      matchError('invalid_strategy', message),
    );
  });

  it('that was not passed to defineStrategy is no strategy of an agent', () => {
    const definition = { name: 'clerk', model: 'some-model', strategy: least } as unknown as AgentDefinition;
    expect(() => defineAgent(definition)).toThrow(/or a strategy of defineStrategy/);
  });
});

it('the parser of an agent is found by the name of its strategy', () => {
  const { definition, strategy } = defineAgent({ name: 'clerk', model: 'some-model', strategy: tags });
  expect(strategy).toEqual(tags.snapshot);
  expect(findParser(definition.strategy, { ...tags.snapshot, version: '0.9.0' })).toBe(tags.parse);
  expect(findParser(definition.strategy, { ...tags.snapshot, strategy: 'lines' })).toBeNull();
  expect(findParser('react', tags.snapshot)).toBeNull();
  expect(findParser(definition.strategy, { name: 'tools' })).toBeNull();
});

it('the strategy of these tests is the one in the docs', () => {
  const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
  const [, code = ''] = read('test/support/own-strategy.ts').split(/^import .*$/m);
  expect(read('docs/own-strategies.md')).toContain(code.trim());
});

describe('the contract check', () => {
  const replies = [
    {
      text: '<think>Hm.</think>\n<call tool="look">{"of": 1}</call>',
      reading: { thought: 'Hm.', calls: [{ tool: 'look', input: { of: 1 } }] },
    },
    { text: '<answer>12</answer>', reading: { answer: '12' } },
    { text: 'Hello', reading: {} },
  ];

  it('finds no problem with a good parser', () => {
    expect(checkStrategy(tags, { replies })).toEqual([]);
  });

  it('needs examples', () => {
    expect(checkStrategy(tags, { replies: [] })).toEqual(['replies is empty: add an example of each form of a reply']);
  });

  it('names a reply that is read otherwise than expected', () => {
    expect(checkStrategy(tags, { replies: [{ text: '<answer>12</answer>', reading: { answer: '13' } }] })).toEqual([
      '"<answer>12</answer>": expected {"answer":"13"}, found {"answer":"12"}',
    ]);
  });

  const pattern = /<answer>(.*)<\/answer>/g;
  let count = 0;
  it.each<[string, StrategyParser, string]>([
    ['throws for a reply that is cut off', (text) => JSON.parse(text), 'the parser threw: '],
    [
      'throws for an empty text',
      (text) => ({ answer: (/./.exec(text) as RegExpExecArray)[0] }),
      '"": the parser threw: ',
    ],
    ['remembers the last text', (text) => ({ answer: pattern.exec(text)?.[1] ?? null }), 'read as {'],
    ['counts', () => ({ answer: `${count++}` }), 'read as {"answer":"'],
    ['returns no reading', () => null as never, 'the parser returned an invalid reading: it must be an object'],
    ['returns a promise', (async () => ({ answer: '12' })) as never, 'expected {"answer":"12"}, found {}'],
  ])('finds a parser that %s', (_, parse, problem) => {
    const problems = checkStrategy(withParser(parse), {
      replies: [{ text: '<answer>12</answer>', reading: { answer: '12' } }],
    });
    expect(problems.find((each) => each.includes(problem))).toBeDefined();
  });
});

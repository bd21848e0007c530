import { describe, expect, it } from 'vitest';
import { findThoughtProblem, isDegenerate } from '../../../../src/core/strategies/react/thought.js';

describe('isDegenerate', () => {
  it.each([
    'I will use the tool',
    "I'll use a tool now.",
    'Let me call the appropriate function.',
    'I need to use one of the tools.',
    'I need to think.',
    'Okay. I need to think about this. Let me think step by step.',
    'I need to think I need to think I need to think',
    'I will search. I will search. I will search. I will search.',
    'I know Paris. I will search. I will search. I will search. I will search.',
    'search search search search',
    'aaaaaaaaaaaaaaaa',
    '..........',
    '我需要思考我需要思考我需要思考',
    '<your reasoning about what to do next>',
  ])('is true for %s', (thought) => {
    expect(isDegenerate(thought)).toBe(true);
  });

  it.each([
    'I need the weather in Paris.',
    'I will use the get_weather tool for Paris.',
    'I will use the search tool to find cats.',
    'I have San Francisco. Now I need Paris weather data.',
    'The first search failed. The second search failed too. I try another word.',
    'I need to think about which of the two cities is warmer.',
    '我需要查询巴黎的天气',
    'Step 1: cats. Step 2: dogs. Step 3: birds.',
  ])('is false for %s', (thought) => {
    expect(isDegenerate(thought)).toBe(false);
  });
});

describe('findThoughtProblem', () => {
  it('returns the problem', () => {
    expect(findThoughtProblem(null, 10)).toBe('is missing');
    expect(findThoughtProblem('hm', 10)).toBe('is too short (at least 10 characters)');
    expect(findThoughtProblem('I will use the tool', 10)).toBe('only repeats itself or does not mention the task');
    expect(findThoughtProblem('I need the weather in Paris.', 10)).toBeNull();
  });

  it('accepts thoughts of any length', () => {
    const words = Array.from({ length: 300_000 }, (_, at) => `w${at}`).join(' ');
    expect(findThoughtProblem(words, 10)).toBeNull();
  });
});

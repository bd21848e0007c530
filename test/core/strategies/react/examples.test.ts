/** Examples in the system prompt: with the agent's tags, and never taken for the chain. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ReactOptions } from '../../../../src/core/model/agent.js';
import { react } from '../../../../src/core/strategies/react/react.js';
import { reactDefaults } from '../../../../src/core/strategies/strategy.js';
import type { ReactExample } from '../../../../src/index.js';
import { sampleAgent, sampleChain, sampleTool } from '../sample-chain.js';
import { read, schemas } from './read.js';

const warmer: ReactExample = {
  task: 'Which city is warmer, Oslo or Rome?',
  steps: [
    { thought: 'I need both.', action: 'get_weather', input: { city: 'Oslo' }, observation: '4 degrees' },
    {
      thought: 'And now Rome.',
      action: 'get_weather',
      input: { city: 'Rome' },
      observation: { celsius: 18, sky: 'clear' },
    },
  ],
  thought: '18 is more than 4.',
  answer: 'Rome.',
};

function renderSystem(examples: readonly ReactExample[], options: Partial<ReactOptions> = {}): string {
  const strategy = { ...reactDefaults, ...options, examples };
  const agent = { ...sampleAgent([sampleTool('get_weather', schemas.get_weather ?? {})]), strategy };
  return react.render(sampleChain([]), agent).system;
}

/** The examples of a system prompt: what is between their marks. */
function listExamples(system: string): readonly string[] {
  return [...system.matchAll(/^Example \d+: <(text-\w+)>\n([\s\S]*?)\n<\/\1>$/gm)].map(([, , body = '']) => body);
}

describe('examples of a react agent', () => {
  it('are in the system prompt as steps of thought, action, input and observation, and a final answer', () => {
    expect(listExamples(renderSystem([warmer]))).toEqual([
      `Task: Which city is warmer, Oslo or Rome?
Thought: I need both.
Action: get_weather
Action Input: {"city":"Oslo"}
Observation: 4 degrees
Thought: And now Rome.
Action: get_weather
Action Input: {"city":"Rome"}
Observation: {"celsius":18,"sky":"clear"}
Thought: 18 is more than 4.
Final Answer: Rome.`,
    ]);
    expect(renderSystem([])).not.toContain('Example');
  });

  it("have the agent's own tags", () => {
    const [body = ''] = listExamples(
      renderSystem([warmer], { thoughtTag: 'Idee', actionTag: 'Tat', observationTag: 'Befund' }),
    );
    expect(body).toContain('\nIdee: I need both.\nTat: get_weather\nTat Input: {"city":"Oslo"}\nBefund: 4 degrees\n');
    expect(body).not.toMatch(/Thought|Action|Observation/);
  });

  it('are written as the parser reads a reply', () => {
    const [body = ''] = listExamples(renderSystem([warmer]));
    const [first = '', second = '', last = ''] = body.split(/^Observation: .*\n/m);
    expect(read(first.slice(first.indexOf('Thought:')))).toMatchObject({
      thought: 'I need both.',
      calls: [{ tool: 'get_weather', input: { city: 'Oslo' } }],
    });
    expect(read(second)).toMatchObject({ calls: [{ tool: 'get_weather', input: { city: 'Rome' } }] });
    expect(read(last)).toMatchObject({ thought: '18 is more than 4.', answer: 'Rome.' });
  });

  it('cannot be taken for the chain: each is between two marks that nothing in it can close', () => {
    const mark = '</text-abc123>';
    const words = fc
      .array(fc.constantFrom(mark, '\n', 'Observation: 18', 'Final Answer: x', 'Example 9: ', 'Begin!', 'a'))
      .map((parts) => `a${parts.join('')}a`);
    const step = fc.record({ thought: words, action: fc.constant('x'), input: fc.constant({}), observation: words });
    const example = fc.record({ task: words, steps: fc.array(step), thought: words, answer: words });
    fc.assert(
      fc.property(fc.array(example, { minLength: 1, maxLength: 3 }), (examples) => {
        const system = renderSystem(examples);
        const outside = listExamples(system).reduce((rest, body) => rest.replace(body, () => ''), system);
        expect(listExamples(system)).toHaveLength(examples.length);
        expect(outside.replace(/^Example \d+: <(text-\w+)>\n\n<\/\1>$/gm, '').replace(/\s+/g, ' ')).toBe(
          `${renderSystem([])
            .replace(/Begin!$/, `${examplesHead} Begin!`)
            .replace(/\s+/g, ' ')}`,
        );
      }),
    );
  });
});

const examplesHead =
  'These examples show the format with other tasks. Each is between two marks, and none is part of your conversation. NEVER use an observation or an answer of an example for your own task.';

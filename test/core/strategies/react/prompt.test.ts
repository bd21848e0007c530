import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { JsonObject } from '../../../../src/core/lib/json.js';
import { renderReactPrompt, renderTool } from '../../../../src/core/strategies/react/prompt.js';
import { reactDefaults } from '../../../../src/core/strategies/strategy.js';
import { sampleAgent, sampleTool } from '../sample-chain.js';

function schema(type: z.ZodType): JsonObject {
  return z.toJSONSchema(type, { io: 'input' }) as JsonObject;
}

describe('renderTool', () => {
  it('lists the parameters and the result of a tool', () => {
    const input = z.object({
      query: z.string().describe('SQL query to execute'),
      limit: z.int().default(100).describe('Maximum rows to return'),
    });
    const tool = sampleTool('database', schema(input), {
      description: 'Query the database for data. Use SQL queries.',
      returns: 'Query results with rows and metadata',
    });
    expect(renderTool(tool)).toBe(`database: Query the database for data. Use SQL queries.
  Parameters:
    - query (string, required): SQL query to execute
    - limit (integer, optional, default=100): Maximum rows to return
  Returns: Query results with rows and metadata`);
  });

  it('describes values, lists, unions and nested objects', () => {
    const place = z.object({ city: z.string(), zip: z.string().optional().describe('Five digits') });
    const input = z.object({
      units: z.enum(['celsius', 'fahrenheit']).default('celsius'),
      days: z.array(z.number().min(0).max(7)),
      place,
      stops: z.array(place).describe('In order'),
      key: z.union([z.string(), z.int(), z.null()]),
      mode: z.literal('fast'),
    });
    expect(renderTool(sampleTool('trip', schema(input)))).toBe(`trip: The tool trip
  Parameters:
    - units ("celsius" or "fahrenheit", optional, default="celsius")
    - days (array of number, required)
    - place (object, required)
      - city (string, required)
      - zip (string, optional): Five digits
    - stops (array of object, required): In order
      - city (string, required)
      - zip (string, optional): Five digits
    - key (string or integer or null, required)
    - mode ("fast", required)`);
  });

  it('states that a tool has no parameters', () => {
    expect(renderTool(sampleTool('now', schema(z.object({}))))).toBe('now: The tool now\n  Parameters: none');
  });

  it('follows references and stops at recursion', () => {
    const tree: JsonObject = {
      type: 'object',
      properties: { root: { $ref: '#/$defs/node' } },
      $defs: { node: { type: 'object', properties: { child: { $ref: '#/$defs/node' }, name: { type: 'string' } } } },
    };
    const described = renderTool(sampleTool('walk', tree));
    expect(described).toContain('    - root (object, optional)\n      - child (object, optional)');
    expect(described.split('\n').length).toBeLessThan(20);
  });
});

describe('renderReactPrompt', () => {
  const tool = sampleTool('search', schema(z.object({ query: z.string() })));

  it('contains the instructions, the tools, the format and the rules', () => {
    const prompt = renderReactPrompt(sampleAgent([tool]), reactDefaults);
    expect(prompt).toContain('You compare weather.');
    expect(prompt).toContain('search: The tool search\n  Parameters:\n    - query (string, required)');
    expect(prompt).toMatch(/\nThought: .*\nAction: .*\nAction Input: .*\nObservation: .*\n[\s\S]*\nFinal Answer: /);
    expect(prompt.match(/^\d+\. /gm)).toHaveLength(11);
    expect(prompt).toContain('Prefer the simplest tool that works.');
    expect(prompt).toContain(reactDefaults.thoughtPrompt);
    expect(prompt).toContain('\nScratchpad: <');
  });

  it('uses the configured tags and options', () => {
    const options = {
      ...reactDefaults,
      thoughtTag: 'Idee',
      actionTag: 'Tat',
      observationTag: 'Befund',
      scratchpad: false,
    };
    const thoughtPrompt = 'Which city is missing?';
    const prompt = renderReactPrompt(sampleAgent([tool]), { ...options, thoughtPrompt, multipleActions: true });
    expect(prompt).toContain('In each Idee:\nWhich city is missing?');
    expect(prompt).toMatch(/\nIdee: .*\nTat: .*\nTat Input: .*\nBefund: /);
    expect(prompt).not.toMatch(/Thought|Action|Observation|Scratchpad/);
    expect(prompt).toContain('several pairs of Tat and Tat Input');
  });

  it('does not ask an agent without tools to act', () => {
    const prompt = renderReactPrompt(sampleAgent([]), reactDefaults);
    expect(prompt).toContain('You have no tools');
    expect(prompt).not.toContain('Action Input:');
  });
});

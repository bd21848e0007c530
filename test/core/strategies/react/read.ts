/** Parses a reply like a `react` agent with these tools. */

import type { JsonObject } from '../../../../src/core/lib/json.js';
import type { ReactOptions } from '../../../../src/core/model/agent.js';
import { toToolShape } from '../../../../src/core/strategies/react/arguments.js';
import { parseReact, type ReactReading } from '../../../../src/core/strategies/react/parse.js';
import { reactDefaults } from '../../../../src/core/strategies/strategy.js';

const text = { type: 'string' };

export const schemas: Readonly<Record<string, JsonObject>> = {
  search: { type: 'object', properties: { query: text }, required: ['query'] },
  get_weather: { type: 'object', properties: { city: text, units: text }, required: ['city'] },
  multiply: { type: 'object', properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] },
  now: { type: 'object', properties: {} },
  sum: { type: 'object', properties: { numbers: { type: 'array' } }, required: ['numbers'] },
  list: { type: 'object', properties: { limit: { type: 'integer' } } },
};

export interface ReadOptions extends Partial<ReactOptions> {
  readonly cut?: boolean;
  readonly thinking?: string;
}

/** Parses with the tools above. */
export function read(reply: string, options: ReadOptions = {}): ReactReading {
  return readWith(reply, schemas, options);
}

/** Parses without known tools. */
export function readUnknown(reply: string, options: ReadOptions = {}): ReactReading {
  return readWith(reply, {}, options);
}

function readWith(
  reply: string,
  tools: Readonly<Record<string, JsonObject>>,
  { cut = false, thinking, ...options }: ReadOptions,
): ReactReading {
  return parseReact(reply, {
    options: { ...reactDefaults, ...options },
    tools: new Map(Object.entries(tools).map(([name, schema]) => [name, toToolShape(schema)])),
    questionTool: null,
    cut,
    thinking: thinking ?? null,
  });
}

export const thought = 'Thought: I need the weather in Paris.\n';

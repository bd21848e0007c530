/** An example of a call, made from the schema of one of the agent's own tools. */

import { validateArguments } from '../engine/index.js';
import { dereference, findOwn, isObject, type Json, type JsonObject, shorten, toOneLine } from '../lib/index.js';
import type { AgentSnapshot, ToolSnapshot } from '../model/index.js';

export interface CallExample {
  readonly tool: string;
  readonly input: JsonObject;
}

/** Returns a call that its tool accepts: of the first tool with arguments, or else of the first. Null without such a tool. */
export function createCallExample({ tools, promptParts = [] }: AgentSnapshot): CallExample | null {
  if (!promptParts.includes('example')) return null;
  const examples = tools.flatMap((tool) => toExample(tool) ?? []);
  return examples.find(({ input }) => Object.keys(input).length > 0) ?? examples[0] ?? null;
}

/** A schema may require more than the example has: a pattern, another member. */
function toExample({ name, inputSchema }: ToolSnapshot): CallExample | null {
  const input = toSample(inputSchema, inputSchema, name, 0);
  return isObject(input) && validateArguments(inputSchema, input) === null ? { tool: name, input } : null;
}

/** Schemas may be recursive. */
const maxDepth = 6;
const maxTextLength = 40;

function toSample(written: Json | undefined, root: JsonObject, name: string, depth: number): Json {
  const schema = dereference(written, root);
  const given = findGivenValue(schema);
  if (given !== undefined) return given;
  if (depth >= maxDepth) return null;
  const choice = [findOwn(schema, 'anyOf'), findOwn(schema, 'oneOf')].find(Array.isArray)?.[0];
  if (choice !== undefined) return toSample(choice, root, name, depth + 1);
  const type = findOwn(schema, 'type');
  switch (Array.isArray(type) ? type[0] : type) {
    case 'string':
      return `<${shorten(toOneLine(String(findOwn(schema, 'description') ?? name)), maxTextLength)}>`;
    case 'integer':
    case 'number':
      return findOwn(schema, 'minimum') ?? 1;
    case 'boolean':
      return true;
    case 'array':
      return [toSample(findOwn(schema, 'items'), root, name, depth + 1)];
    case 'null':
      return null;
    default:
      return toSampleObject(schema, root, depth);
  }
}

/** Optional members are left out: an example is short. */
function toSampleObject(schema: JsonObject, root: JsonObject, depth: number): JsonObject {
  const properties = findOwn(schema, 'properties');
  const required = findOwn(schema, 'required');
  if (!isObject(properties)) return {};
  const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
  return Object.fromEntries(names.map((name) => [name, toSample(findOwn(properties, name), root, name, depth + 1)]));
}

function findGivenValue(schema: JsonObject): Json | undefined {
  const [examples, values] = [findOwn(schema, 'examples'), findOwn(schema, 'enum')];
  if (Array.isArray(examples) && examples.length > 0) return examples[0];
  return findOwn(schema, 'const') ?? findOwn(schema, 'default') ?? (Array.isArray(values) ? values[0] : undefined);
}

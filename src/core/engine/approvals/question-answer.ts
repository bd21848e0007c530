/** Validates a person's answer to the question of a running tool against its schema. */

import { findOwn, isObject, type Json, type JsonObject, toValueText } from '../../lib/index.js';
import type { ToolQuestion } from '../../model/index.js';
import { validateArguments } from './changed-arguments.js';

export type ReadAnswer = { readonly value: Json } | { readonly problem: string };

/**
 * Reads an answer. People send text: where the schema needs another value, the text is read as JSON, as `yes` or `no`, or as
 * the only property of an object.
 */
export function readAnswer({ schema }: Pick<ToolQuestion, 'schema'>, answer: Json): ReadAnswer {
  if (schema === undefined) return { value: toValueText(answer) };
  const readings = typeof answer === 'string' ? listReadings(schema, answer) : [answer];
  const problems: string[] = [];
  for (const value of readings) {
    const problem = validateArguments(schema, value);
    if (problem === null) return { value };
    problems.push(problem);
  }
  // The last reading is the most specific one.
  return { problem: problems.at(-1) ?? '' };
}

/** Lists what a text may mean, the text itself first. */
function listReadings(schema: JsonObject, text: string): readonly Json[] {
  const only = findOnlyProperty(schema);
  const inner = only === null ? [] : listReadings(only.schema, text).map((value) => ({ [only.name]: value }));
  const words = readWord(text);
  // A form without fields asks only for consent.
  const consent = words.includes(true) && schema.type === 'object' ? [{}] : [];
  return [text, ...inner, ...words, ...consent, ...readJson(text)];
}

function findOnlyProperty({ properties }: JsonObject): { readonly name: string; readonly schema: JsonObject } | null {
  const [name, ...others] = isObject(properties) ? Object.keys(properties) : [];
  if (name === undefined || others.length > 0 || !isObject(properties)) return null;
  const schema = findOwn(properties, name);
  return isObject(schema) ? { name, schema } : null;
}

function readWord(text: string): readonly boolean[] {
  const word = text.trim().toLowerCase();
  return word === 'yes' ? [true] : word === 'no' ? [false] : [];
}

function readJson(text: string): readonly Json[] {
  try {
    return [JSON.parse(text) as Json];
  } catch {
    return [];
  }
}

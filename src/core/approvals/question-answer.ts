/** A person's answer to the question of a running tool, as its schema wants it. */

import { findOwn, isObject, type Json, type JsonObject, toValueText } from '../lib/json.js';
import type { AskedQuestion } from '../model/request.js';
import { validateArguments } from './changed-arguments.js';

export type ReadAnswer = { readonly value: Json } | { readonly problem: string };

/**
 * Reads an answer. People write text: where the schema wants another value, the text is read as JSON, as `yes` or `no`, or as
 * the only property of an object.
 */
export function readAnswer({ schema }: Pick<AskedQuestion, 'schema'>, written: Json): ReadAnswer {
  if (schema === undefined) return { value: toValueText(written) };
  const value = typeof written === 'string' ? toValue(schema, written) : written;
  const problem = validateArguments(schema, value);
  return problem === null ? { value } : { problem };
}

function toValue(schema: JsonObject, text: string): Json {
  switch (schema.type) {
    case 'object':
      return toObject(schema, text);
    case 'boolean':
      return /^(yes|true)$/i.test(text.trim()) ? true : /^(no|false)$/i.test(text.trim()) ? false : text;
    case 'number':
    case 'integer':
    case 'array':
      return parseOr(text, text);
    default:
      return text;
  }
}

function toObject({ properties }: JsonObject, text: string): Json {
  const parsed = parseOr(text, null);
  if (isObject(parsed)) return parsed;
  const names = isObject(properties) ? Object.keys(properties) : [];
  const [only = ''] = names;
  const inner = isObject(properties) ? findOwn(properties, only) : undefined;
  return names.length === 1 && isObject(inner) ? { [only]: toValue(inner, text) } : text;
}

function parseOr(text: string, fallback: Json): Json {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return fallback;
  }
}

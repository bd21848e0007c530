/**
 * `longhand redact`: hides secrets and what is known of persons in what comes in on standard input. No model, no server.
 *
 * Each line of JSON Lines is a chain of its own: equal values have equal marks within it, and the next begins anew.
 */

import { findOwn, isObject, type Json, type JsonObject, toCanonicalJson } from '../core/lib/json.js';
import { type FieldPath, isValidPath } from '../core/redact/policy.js';
import { createRedactor } from '../core/redact/redactor.js';
import { type Input, readAll, readLines } from './read-input.js';

export interface RedactOptions {
  /** One `{ "id", "text" }` or `{ "id", "object", "paths"? }` a line instead of one text. */
  readonly jsonl: boolean;
}

export interface RedactStreams {
  readonly input: Input;
  readonly write: (text: string) => void;
  readonly writeError: (line: string) => void;
}

/** Resolves to the exit code: 0, or 1 at the first line that is not what was asked for. */
export async function redact({ jsonl }: RedactOptions, { input, write, writeError }: RedactStreams): Promise<number> {
  if (!jsonl) {
    write(createRedactor().text(await readAll(input)));
    return 0;
  }
  let number = 0;
  for await (const line of readLines(input)) {
    number += 1;
    if (line.trim() === '') continue;
    const record = parseRecord(line);
    if ('wrong' in record) {
      writeError(
        `Line ${number}: ${record.wrong}. Write one {"id": …, "text": "…"} or {"id": …, "object": …, "paths": ["…"]} a line.`,
      );
      return 1;
    }
    write(`${formatRecord(maskRecord(record))}\n`);
  }
  return 0;
}

type RedactRecord =
  | { readonly id: Json; readonly text: string }
  | { readonly id: Json; readonly object: Json; readonly paths: readonly FieldPath[] };

/** The id names the line; it is given back as it is. */
function maskRecord(record: RedactRecord): JsonObject {
  const redactor = createRedactor();
  if ('text' in record) return { id: record.id, text: redactor.text(record.text) };
  return { id: record.id, object: redactor.value(record.object, record.paths) };
}

/** What is nested deeper than `JSON.stringify` goes is written all the same, with its members in order of their names. */
function formatRecord(value: JsonObject): string {
  try {
    return JSON.stringify(value);
  } catch {
    return toCanonicalJson(value);
  }
}

function parseRecord(line: string): RedactRecord | { readonly wrong: string } {
  let given: Json;
  try {
    given = JSON.parse(line) as Json;
  } catch {
    // What the parser says of it quotes the line.
    return { wrong: 'it is not JSON' };
  }
  if (!isObject(given)) return { wrong: 'it is not a JSON object' };
  const id = findOwn(given, 'id') ?? null;
  const text = findOwn(given, 'text');
  const object = findOwn(given, 'object');
  if (text !== undefined && object !== undefined) return { wrong: 'it has both "text" and "object"' };
  if (object !== undefined) {
    const paths = findOwn(given, 'paths') ?? [];
    if (!isPaths(paths)) return { wrong: '"paths" must be a list of paths such as "user.ssn"' };
    const unread = paths.findIndex((path) => !isValidPath(path));
    if (unread >= 0)
      return {
        wrong: `path ${unread + 1} of its "paths" cannot be read: it must be like "user.ssn" or "rows[*].note"`,
      };
    return { id, object, paths };
  }
  return typeof text === 'string' ? { id, text } : { wrong: '"text" must be a string' };
}

function isPaths(paths: Json): paths is readonly FieldPath[] & Json {
  return Array.isArray(paths) && paths.every((path: Json) => typeof path === 'string' || isNameList(path));
}

function isNameList(path: Json): boolean {
  return Array.isArray(path) && path.every((name: Json) => typeof name === 'string');
}

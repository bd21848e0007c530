/**
 * `longhand redact`: masks secrets and personal data in standard input, without model or server.
 *
 * Each line of JSON Lines is a separate scope: equal values get equal marks only within it.
 */

import { findOwn, isObject, type Json, type JsonObject, toCanonicalJson } from '../core/lib/index.js';
import { createRedactor, type FieldPath, isValidPath } from '../core/redact/index.js';
import { type Input, readAll, readLines } from './terminal/read-input.js';

export interface RedactOptions {
  /** One `{ "id", "text" }` or `{ "id", "object", "paths"? }` per line instead of one text. */
  readonly jsonl: boolean;
}

export interface RedactStreams {
  readonly input: Input;
  readonly write: (text: string) => void;
  readonly writeError: (line: string) => void;
}

/** Resolves to the exit code: 0, or 1 at the first invalid line. */
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
    if ('problem' in record) {
      writeError(
        `Line ${number}: ${record.problem}. Write one {"id": …, "text": "…"} or {"id": …, "object": …, "paths": ["…"]} per line.`,
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

/** Masks a record except its id, which identifies the line. */
function maskRecord(record: RedactRecord): JsonObject {
  const redactor = createRedactor();
  if ('text' in record) return { id: record.id, text: redactor.text(record.text) };
  return { id: record.id, object: redactor.value(record.object, record.paths) };
}

/** Formats a value as JSON. Values too deep for `JSON.stringify` are written with sorted members. */
function formatRecord(value: JsonObject): string {
  try {
    return JSON.stringify(value);
  } catch {
    return toCanonicalJson(value);
  }
}

function parseRecord(line: string): RedactRecord | { readonly problem: string } {
  let record: Json;
  try {
    record = JSON.parse(line) as Json;
  } catch {
    // The parser's own message would quote the line.
    return { problem: 'it is not JSON' };
  }
  if (!isObject(record)) return { problem: 'it is not a JSON object' };
  const id = findOwn(record, 'id') ?? null;
  const text = findOwn(record, 'text');
  const object = findOwn(record, 'object');
  if (text !== undefined && object !== undefined) return { problem: 'it has both "text" and "object"' };
  if (object !== undefined) {
    const paths = findOwn(record, 'paths') ?? [];
    if (!isPaths(paths)) return { problem: '"paths" must be a list of paths such as "user.ssn"' };
    const invalid = paths.findIndex((path) => !isValidPath(path));
    if (invalid >= 0) {
      return { problem: `path ${invalid + 1} of "paths" is invalid: write paths like "user.ssn" or "rows[*].note"` };
    }
    return { id, object, paths };
  }
  return typeof text === 'string' ? { id, text } : { problem: '"text" must be a string' };
}

function isPaths(paths: Json): paths is readonly FieldPath[] & Json {
  return Array.isArray(paths) && paths.every((path: Json) => typeof path === 'string' || isNameList(path));
}

function isNameList(path: Json): boolean {
  return Array.isArray(path) && path.every((name: Json) => typeof name === 'string');
}

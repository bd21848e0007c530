/** `longhand tools check --jsonl`: validates arguments by JSON Schemas, as a worker would, without model or server. */

import {
  createJsonValidator,
  findOwn,
  isObject,
  isTooDeep,
  type Json,
  type JsonObject,
  type JsonValidator,
  toErrorMessage,
} from '../../core/lib/index.js';
import { type Input, readLines } from '../terminal/read-input.js';
import { formatJson } from '../terminal/terminal.js';

interface CheckStreams {
  readonly input: Input;
  readonly write: (text: string) => void;
  /** Resolves when what was written has been read. */
  readonly drain: () => Promise<void>;
}

interface CheckedLine {
  readonly id: Json;
  readonly valid: boolean;
  /** Sentences with their place; empty for valid arguments. */
  readonly errors: readonly string[];
}

/** Lines until the reader of the output has to be waited for: it may be slower than this command. */
const linesToDrain = 1_000;

/** Resolves to the exit code: 0, or 1 if a line was no check. */
export async function checkLines({ input, write, drain }: CheckStreams): Promise<number> {
  const findValidator = createValidatorFinder();
  let number = 0;
  let isComplete = true;
  for await (const line of readLines(input)) {
    number += 1;
    if (number % linesToDrain === 0) await drain();
    if (line.trim() === '') continue;
    const record = parseRecord(line);
    if ('problem' in record) isComplete = false;
    const checked =
      'problem' in record
        ? { id: record.id, valid: false, errors: [`Line ${number} is no check: ${record.problem}.`] }
        : checkRecord(record, findValidator);
    write(formatJson(checked));
  }
  return isComplete ? 0 : 1;
}

interface CheckRecord {
  readonly id: Json;
  readonly schema: Json;
  readonly args: Json;
}

function parseRecord(line: string): CheckRecord | { readonly id: Json; readonly problem: string } {
  let record: Json;
  try {
    record = JSON.parse(line) as Json;
  } catch {
    return { id: null, problem: 'it is not JSON' };
  }
  if (!isObject(record)) return { id: null, problem: 'it is not a JSON object' };
  const id = findOwn(record, 'id') ?? null;
  if (isTooDeep(id)) return { id: null, problem: '"id" is nested too deep' };
  const schema = findOwn(record, 'schema');
  const args = findOwn(record, 'args');
  if (schema === undefined) return { id, problem: '"schema" is missing' };
  return args === undefined ? { id, problem: '"args" is missing' } : { id, schema, args };
}

function checkRecord({ id, schema, args }: CheckRecord, findValidator: (schema: Json) => JsonValidator): CheckedLine {
  let validate: JsonValidator;
  try {
    validate = findValidator(schema);
  } catch (error) {
    return { id, valid: false, errors: [`The schema cannot be used: ${toErrorMessage(error)}.`] };
  }
  try {
    const errors = validate(args);
    return { id, valid: errors.length === 0, errors };
  } catch (error) {
    // Such as references that lead around in a circle, or arguments that are nested too deep for it.
    return { id, valid: false, errors: [`The schema cannot be used for these arguments: ${toErrorMessage(error)}.`] };
  }
}

/** Keeps the last validator: many lines in a row often have the schema of one tool. @throws {Error} for an unusable schema */
function createValidatorFinder(): (schema: Json) => JsonValidator {
  let last: { readonly text: string; readonly validate: JsonValidator } | null = null;
  return (schema) => {
    if (typeof schema !== 'boolean' && !isObject(schema)) throw new Error('it is neither an object nor a boolean');
    const text = JSON.stringify(schema);
    if (last?.text !== text) last = { text, validate: createJsonValidator(schema as JsonObject | boolean) };
    return last.validate;
  };
}

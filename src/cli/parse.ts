/** `longhand parse`: parses a reply with a strategy, without model, server or tools. */

import { findOwn, isObject, type Json, type JsonObject, toErrorMessage, toPlainJson } from '../core/lib/index.js';
import { hasEnding, noUsage, type StrategyOptions } from '../core/model/index.js';
import { getStrategy, type ParsedAgent, strategyDefaults } from '../core/strategies/index.js';
import { UsageError } from './flags/usage-error.js';
import { type Input, readAll, readLines } from './terminal/read-input.js';

export interface ParseOptions {
  readonly strategy: keyof typeof strategyDefaults;
  /** The option of `react`. Other strategies never require a thought. */
  readonly requireThought: boolean;
  /** One `{ "id", "text", "tools"? }` per line instead of one reply. */
  readonly jsonl: boolean;
}

export interface ParseStreams {
  readonly input: Input;
  readonly write: (line: string) => void;
  /** Writes errors. Default: `write`. */
  readonly writeError?: (line: string) => void;
}

type ParsedTool = ParsedAgent['tools'][number];

/**
 * Resolves to the exit code: 0, or 2 for invalid input.
 *
 * @throws {UsageError} if an option does not apply to the strategy
 */
export async function parseInput(options: ParseOptions, streams: ParseStreams): Promise<number> {
  const strategy = toStrategyOptions(options);
  if (!options.jsonl) {
    streams.write(toPlainJson(JSON.stringify(parseReply(await readAll(streams.input), [], strategy))));
    return 0;
  }
  let number = 0;
  for await (const line of readLines(streams.input)) {
    number += 1;
    if (line.trim() === '') continue;
    const record = parseRecord(line);
    if (typeof record === 'string') {
      const fail = streams.writeError ?? streams.write;
      fail(`Line ${number}: ${record}. Write one {"id": …, "text": "…", "tools": […]} per line.`);
      return 2;
    }
    streams.write(toPlainJson(JSON.stringify({ id: record.id, ...parseReply(record.text, record.tools, strategy) })));
  }
  return 0;
}

function toStrategyOptions({ strategy, requireThought }: ParseOptions): StrategyOptions {
  if (strategy === 'react') return { ...strategyDefaults.react, requireThought };
  if (requireThought) return strategyDefaults[strategy];
  throw new UsageError(
    `--no-require-thought is an option of the strategy react; ${strategy} never requires a thought. Leave it out.`,
  );
}

function parseReply(text: string, tools: ParsedAgent['tools'], strategy: StrategyOptions) {
  const reply = { model: '', stopReason: 'end_turn', content: [{ type: 'text', text }], usage: noUsage } as const;
  const reading = getStrategy(strategy).parse(reply, { tools, strategy }, () => null);
  return {
    thought: reading.thought,
    calls: reading.calls.map(({ tool, input }) => ({ tool, input })),
    answer: reading.answer,
    problem: reading.problem,
    final: reading.problem === null && hasEnding(reading),
  };
}

interface ParseRecord {
  readonly id: Json;
  readonly text: string;
  readonly tools: ParsedAgent['tools'];
}

const recordKeys = ['id', 'text', 'tools'];

/** Returns the record, or the problem as text. */
function parseRecord(line: string): ParseRecord | string {
  let record: Json;
  try {
    record = JSON.parse(line) as Json;
  } catch (error) {
    return `it is not JSON (${toErrorMessage(error)})`;
  }
  if (!isObject(record)) return 'it is not a JSON object';
  const unknown = Object.keys(record).find((key) => !recordKeys.includes(key));
  if (unknown !== undefined) return `unknown member ${JSON.stringify(unknown)}`;
  const text = findOwn(record, 'text');
  if (typeof text !== 'string') return '"text" must be the reply as a string';
  const tools = findOwn(record, 'tools') ?? [];
  if (!Array.isArray(tools)) return '"tools" must be a list of names or of { "name", "inputSchema" }';
  const known: ParsedTool[] = [];
  for (const tool of tools) {
    const snapshot = parseTool(tool);
    if (typeof snapshot === 'string') return snapshot;
    known.push(snapshot);
  }
  return { id: findOwn(record, 'id') ?? null, text, tools: known };
}

/** Returns the tool, or the problem as text. Also takes the schema under the names of the Messages API and OpenAI. */
function parseTool(tool: Json): ParsedTool | string {
  if (typeof tool === 'string') return { name: tool, inputSchema: {}, question: null };
  const problem = 'each of "tools" must be a name or { "name", "inputSchema" }';
  if (!isObject(tool)) return problem;
  const name = findOwn(tool, 'name');
  const schema =
    schemaKeys.map((key) => findOwn(tool, key)).find((candidate) => candidate !== undefined && candidate !== null) ??
    {};
  if (typeof name !== 'string' || !isObject(schema)) return problem;
  const unknown = Object.keys(tool).find((key) => ![...schemaKeys, ...ignoredKeys].includes(key));
  if (unknown !== undefined) {
    return `unknown member ${JSON.stringify(unknown)} of the tool ${name}; its schema must be "inputSchema"`;
  }
  return { name, inputSchema: toSchema(schema), question: null };
}

const schemaKeys = ['inputSchema', 'input_schema', 'parameters'];
/** Members of a tool that do not affect parsing. */
const ignoredKeys = ['name', 'description', 'type', 'returns', 'effects', 'strict', 'cache_control'];

/** Converts parameters by name (`{ "query": { "required": true } }`) to a JSON Schema; returns a JSON Schema as it is. */
function toSchema(parameters: JsonObject): JsonObject {
  const entries = Object.entries(parameters);
  const byName = typeof findOwn(parameters, 'type') !== 'string' && !isObject(findOwn(parameters, 'properties'));
  if (!byName || entries.length === 0 || !entries.every(([, value]) => isObject(value))) return parameters;
  const required = entries.flatMap(([name, value]) =>
    isObject(value) && findOwn(value, 'required') === true ? [name] : [],
  );
  return { type: 'object', properties: parameters, required };
}

/** `longhand parse`: parses a reply with a strategy, without model, server or tools. */

import { findOwn, isObject, type Json, type JsonObject, toErrorMessage, toPlainJson } from '../core/lib/index.js';
import {
  type AgentSnapshot,
  hasEnding,
  noUsage,
  type StrategyOptions,
  type ToolSnapshot,
} from '../core/model/index.js';
import {
  autonomousDefaults,
  getStrategy,
  planDefaults,
  reactDefaults,
  toolsDefaults,
} from '../core/strategies/index.js';
import { UsageError } from './flags/usage-error.js';
import { type Input, readAll, readLines } from './terminal/read-input.js';

export interface ParseOptions {
  readonly strategy: StrategyOptions['name'];
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

const strategies = {
  tools: toolsDefaults,
  autonomous: autonomousDefaults,
  plan: planDefaults,
} as const;

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
  if (strategy === 'react') return { ...reactDefaults, requireThought };
  if (requireThought) return strategies[strategy];
  throw new UsageError(
    `--no-require-thought is an option of the strategy react; ${strategy} never requires a thought. Leave it out.`,
  );
}

function parseReply(text: string, tools: readonly ToolSnapshot[], strategy: StrategyOptions) {
  const reply = { model: '', stopReason: 'end_turn', content: [{ type: 'text', text }], usage: noUsage } as const;
  const reading = getStrategy(strategy).parse(reply, createAgentSnapshot(tools, strategy), () => null);
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
  readonly tools: readonly ToolSnapshot[];
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
  const known: ToolSnapshot[] = [];
  for (const tool of tools) {
    const snapshot = parseTool(tool);
    if (typeof snapshot === 'string') return snapshot;
    known.push(snapshot);
  }
  return { id: findOwn(record, 'id') ?? null, text, tools: known };
}

/** Returns the tool, or the problem as text. Also takes the schema under the names of the Messages API and OpenAI. */
function parseTool(tool: Json): ToolSnapshot | string {
  if (typeof tool === 'string') return createToolSnapshot(tool, {});
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
  return createToolSnapshot(name, toSchema(schema));
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

function createToolSnapshot(name: string, inputSchema: JsonObject): ToolSnapshot {
  const policy = { timeoutMs: 0, heartbeatMs: 0, attempts: 1, backoffMs: 0 };
  const nothing = { view: {}, roles: [], audit: null, question: null, delegates: null };
  return {
    name,
    kind: 'external',
    description: '',
    inputSchema,
    returns: '',
    effects: 'read',
    waits: false,
    ...policy,
    ...nothing,
  };
}

/** Creates an agent with only the members that parsing reads. */
function createAgentSnapshot(tools: readonly ToolSnapshot[], strategy: StrategyOptions): AgentSnapshot {
  return {
    name: 'parse',
    version: null,
    instructions: '',
    model: {
      name: '',
      provider: '',
      id: '',
      price: null,
      maxTokens: 0,
      contextTokens: null,
      compactAt: 1,
      temperature: null,
      effort: null,
      thinking: null,
      stopSequences: [],
      timeoutMs: 0,
      heartbeatMs: 0,
      retry: { attempts: 1, forMs: 0, maxIntervalMs: 0 },
      onProviderError: 'fail',
    },
    strategy,
    tools,
    limits: { steps: 1, tokens: 1, costUsd: null, timeMs: 1, stallThreshold: 1, stallSimilarity: 1 },
    successPhrases: [],
    failurePhrases: [],
    maxObservationTokens: 0,
    promptBytes: 0,
    permissions: {},
    tenants: null,
    waitingCounts: false,
    digest: '',
  };
}

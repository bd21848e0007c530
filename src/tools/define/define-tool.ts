/** Creates a tool from its definition. The definition is validated here, so an invalid one never reaches a worker. */

import { computeDigest, type Json, LonghandError, omitUndefined, toCanonicalJson } from '../../core/lib/index.js';
import {
  defaults,
  defaultToolKind,
  getKindDefaults,
  isWithoutEffect,
  type ScoreCandidate,
  type ToolQueue,
  type ToolSnapshot,
  toDataClasses,
} from '../../core/model/index.js';
import { type Duration, toMilliseconds } from '../../options/index.js';
import type { Approval } from './approval/approval.js';
import type { CallModels, FindModel } from './call-models.js';
import type { CallStorage } from './call-storage.js';
import { toToolConcurrency } from './concurrency.js';
import { createDefinitionErrorFactory, type DefinitionErrorFactory } from './definition-error.js';
import { ToolError } from './errors.js';
import { toJsonSchemas, toOutputSchema } from './json-schema.js';
import { findLocalProblem } from './local-tool.js';
import { findRunsIn } from './runs-in.js';
import { createStandaloneContext } from './standalone-context.js';
import {
  type ObservationSummaryOptions,
  type ToolContext,
  type ToolDefinition,
  validateTool,
} from './tool-definition.js';
import { type SchemaInput, type SchemaOutput, type ToolSchema, validateInput, validateValue } from './tool-schema.js';
import { createToolView } from './tool-view.js';

/** A validated tool. The model sees only parts of `snapshot`. */
export interface Tool {
  readonly name: string;
  readonly snapshot: ToolSnapshot;
  /** Returns what is wrong with arguments, or null. */
  readonly validateInput: (input: unknown) => string | null;
  /** Validates the arguments; the result executes the tool. Contract: `parse` throws before `execute` is entered. */
  readonly parse: (
    input: unknown,
  ) => (context: ToolContext<string>, models?: CallModels, storage?: CallStorage) => unknown;
  /** Only of a tool whose calls ask models: returns its snapshot with the models of a worker. */
  readonly bindModels?: (find: FindModel) => ToolSnapshot;
  /** If undefined, calls need approval only if the tool is unsafe. */
  readonly approval?: Approval;
  /** How long results are reused, and the version they belong to. */
  readonly cache?: { readonly ttlMs: number; readonly version: string };
  /** For a tool that delegates to several agents: scores their answers. */
  readonly score?: ScoreAnswer;
  /** Names of the secrets that a call receives. */
  readonly secrets?: readonly string[];
  /** Members that its definition states; the others have defaults. */
  readonly explicitOptions?: readonly string[];
  /** Returns the price of a call in US dollars. Only of a tool whose price depends on the call. */
  readonly computeFee?: (input: Json, result: Json) => number;
  /** Returns what is wrong with a result, or null. Absent without an output schema. */
  readonly validateResult?: (result: unknown) => string | null;
  /** How its long results are summarized; false for not. Absent for the option of the agent. */
  readonly summarizeObservations?: ObservationSummaryOptions | false;
  /** Where its function runs, as a phrase for people. Absent for the worker's own process. */
  readonly runsIn?: string;
}

/** A tool with the types of its definition. Lists of tools need only `Tool`. */
export interface TypedTool<Input, Result> extends Tool {
  /**
   * Executes the tool outside of a chain, for tests and scripts: once, without approval, retries, timeout or cache. The
   * arguments, and the result if the tool has an `outputSchema`, are validated.
   *
   * @param context replaces members of a context that logs and stores nothing
   * @throws {LonghandError} `invalid_arguments`
   * @throws the error of the tool
   */
  readonly execute: (input: Input, context?: Partial<ToolContext<string>>) => Promise<Result>;
}

/** Scores an answer; higher is better. Runs in the worker and may do I/O. */
export type ScoreAnswer = (candidate: ScoreCandidate) => number | Promise<number>;

/**
 * Defines a tool.
 *
 * @throws {LonghandError} `invalid_tool`
 * @example
 * export const getWeather = defineTool({
 *   name: 'get_weather',
 *   description: 'Current weather of a city',
 *   inputSchema: z.object({ city: z.string().describe('City name') }),
 *   effects: 'read',
 *   execute: async ({ city }, { signal }) => (await fetch(`https://weather.example/${city}`, { signal })).json(),
 * });
 */
export function defineTool<S extends ToolSchema, Result, const Secret extends string = never>(
  definition: ToolDefinition<S, Secret, Result>,
): TypedTool<SchemaInput<S>, Awaited<Result>> {
  const createError = createDefinitionErrorFactory('defineTool', definition);
  const problem = validateTool(definition);
  if (problem !== null) throw createError(`${problem}.`);
  const { name, description, inputSchema, outputSchema, effects, execute, cost, secrets = [] } = definition;
  const attempts = definition.retry?.attempts;
  if (effects === 'unsafe' && attempts !== undefined && attempts !== 1) {
    throw createError('an unsafe call is never retried. Remove `retry`, or make the tool idempotent.');
  }
  if (definition.queueTimeout !== undefined && definition.taskQueue === undefined) {
    throw createError('`queueTimeout` is the wait in a task queue of its own. Add `taskQueue`, or remove it.');
  }
  const { cacheTtl } = definition;
  if (cacheTtl !== undefined && !isWithoutEffect(effects)) {
    throw createError(`each call of an ${effects} tool must be executed. Remove \`cacheTtl\`.`);
  }
  const { reuse } = definition;
  if (reuse !== undefined && effects !== 'read') {
    throw createError(
      effects === 'pure'
        ? 'results of a pure tool are always reused in a chain. Remove `reuse`.'
        : `each call of an ${effects} tool must be executed. Remove \`reuse\`.`,
    );
  }
  const localProblem = findLocalProblem(definition);
  if (localProblem !== null) throw createError(localProblem);
  const { shown, marked } = toJsonSchemas(inputSchema, 'inputSchema', createError);
  const kind = definition.kind ?? defaultToolKind;
  const runsIn = findRunsIn(execute);
  const dataClasses = toDataClasses(definition.dataClass);
  const snapshot: ToolSnapshot = {
    name,
    kind,
    description: description.trim(),
    inputSchema: shown,
    returns: definition.returns ?? describeOutput(definition.outputSchema, createError),
    effects,
    waits: false,
    timeoutMs: toMilliseconds(definition.timeout ?? getKindDefaults(kind).timeoutMs ?? defaults.toolTimeoutMs),
    heartbeatMs: toMilliseconds(definition.heartbeatTimeout ?? defaults.toolHeartbeatMs),
    attempts: effects === 'unsafe' ? 1 : (attempts ?? defaults.toolAttempts),
    backoffMs: toMilliseconds(definition.retry?.backoff ?? defaults.toolBackoffMs),
    view: createToolView(definition.view, marked, createError),
    roles: definition.roles ?? [],
    audit: definition.audit ?? null,
    question: null,
    delegates: null,
    ...(dataClasses.length === 0 ? {} : { dataClasses }),
    ...(definition.concurrency === undefined ? {} : { concurrency: toToolConcurrency(definition.concurrency, name) }),
    ...(reuse === undefined
      ? {}
      : { reuse: reuse === 'until-effect' ? ('until_effect' as const) : { ms: toMilliseconds(reuse) } }),
    ...(definition.local ? { local: true as const } : {}),
    ...(cost === undefined ? {} : { cost: { kind: 'fee', usd: typeof cost === 'number' ? cost : cost.most } }),
    ...(definition.taskQueue === undefined
      ? {}
      : { queue: toToolQueue(definition.taskQueue, definition.queueTimeout) }),
  };
  const parseValue = (value: unknown) => {
    const validated = validateValue<unknown, SchemaOutput<S>>(inputSchema, value);
    if (validated.ok) return validated.value;
    throw new LonghandError('invalid_arguments', `Invalid arguments of ${name}.\n${validated.problem}`);
  };
  const parse: Tool['parse'] = (value) => {
    const input = parseValue(value);
    return (context) => checkOutput(definition, execute(input, context), context);
  };
  return {
    name,
    snapshot,
    ...(cacheTtl === undefined
      ? {}
      : { cache: { ttlMs: toMilliseconds(cacheTtl), version: computeVersion(definition, shown) } }),
    // A policy sees only arguments that passed the schema.
    ...(definition.approval === undefined ? {} : { approval: definition.approval as Approval }),
    ...(secrets.length === 0 ? {} : { secrets: [...new Set(secrets)] }),
    explicitOptions: listExplicitOptions(definition),
    ...(typeof cost === 'object' ? { computeFee: (input, result) => cost.compute(parseValue(input), result) } : {}),
    ...(outputSchema === undefined ? {} : { validateResult: (value) => validateInput(outputSchema, value) }),
    ...omitUndefined({ runsIn, summarizeObservations: definition.summarizeObservations }),
    validateInput: (value) => validateInput(inputSchema, value),
    parse,
    execute: async (input, context = {}): Promise<Awaited<Result>> =>
      (await parse(input)(createStandaloneContext(context))) as Awaited<Result>,
  };
}

/** Returns the names of the members that a definition states. */
export function listExplicitOptions(definition: object): readonly string[] {
  return Object.entries(definition).flatMap(([name, value]) => (value === undefined ? [] : [name]));
}

/** @param queueTimeout how long a call waits for a worker, at most */
export function toToolQueue(name: string, queueTimeout: Duration = defaults.toolQueueMs): ToolQueue {
  return { name, queueTimeoutMs: toMilliseconds(queueTimeout) };
}

function describeOutput(schema: ToolSchema | undefined, createError: DefinitionErrorFactory): string {
  return schema === undefined ? '' : `JSON of this schema: ${toCanonicalJson(toOutputSchema(schema, createError))}`;
}

/** Returns the result unchanged. @throws {ToolError} where it does not match the schema and the call may be repeated */
function checkOutput(
  { name, effects, outputSchema }: Pick<ToolDefinition<ToolSchema>, 'name' | 'effects' | 'outputSchema'>,
  result: unknown,
  { log }: Pick<ToolContext, 'log'>,
): unknown {
  if (outputSchema === undefined) return result;
  return Promise.resolve(result).then((value) => {
    const problem = validateInput(outputSchema, value);
    if (problem === null) return value;
    const message = `${name} returned an invalid result.\n${problem}`;
    if (effects !== 'unsafe') throw new ToolError(message);
    log.warn(message);
    return value;
  });
}

function computeVersion(
  { version, description, returns }: Pick<ToolDefinition<ToolSchema>, 'version' | 'description' | 'returns'>,
  inputSchema: ToolSnapshot['inputSchema'],
): string {
  return version ?? computeDigest(toCanonicalJson([description, returns ?? '', inputSchema])).slice(0, 16);
}

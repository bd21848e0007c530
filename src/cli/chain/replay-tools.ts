/** `--with-tool get_weather=./fake.ts`: a tool of the user's that stands in for the results that a chain recorded. */

import { failureTypes } from '../../contract/names.js';
import type { Json } from '../../core/lib/json.js';
import type { AgentSnapshot } from '../../core/model/agent.js';
import { defaults } from '../../core/model/defaults.js';
import type { FailureDetails } from '../../core/model/fact.js';
import type { PendingCall } from '../../core/model/state.js';
import type { SubstituteResult, ToolSubstitute } from '../../core/record/replay.js';
import { toPieces } from '../../store/blobs/pieces.js';
import type { Tool, ToolContext } from '../../tools/define/define-tool.js';
import { isFatal, isNamed, NotDone } from '../../tools/define/errors.js';
import { toJson, toObservation } from '../../tools/define/observation.js';
import { UsageError } from '../flags/usage-error.js';
import { loadModule } from '../run/load-definitions.js';

/** @throws UsageError when a tool is not the agent's, or its module has nothing that could stand in for it */
export async function loadStandIns(
  given: readonly string[],
  agent: AgentSnapshot | null,
): Promise<ReadonlyMap<string, ToolSubstitute>> {
  const standIns = new Map<string, ToolSubstitute>();
  for (const each of given) {
    const [, name, file] = /^([^=]+)=(.+)$/s.exec(each) ?? [];
    if (name === undefined || file === undefined) {
      throw new UsageError(`--with-tool ${each} cannot be read. Write --with-tool get_weather=./fake.ts`);
    }
    const names = agent?.tools.map((tool) => tool.name) ?? [];
    if (!names.includes(name)) {
      throw new UsageError(`The chain's agent has no tool ${name}. It has: ${names.join(', ') || 'none'}.`);
    }
    standIns.set(name, createStandIn(getToolFunction(await loadModule(file), name, file)));
  }
  return standIns;
}

type ToolFunction = (input: Json, context: ToolContext<string>) => unknown;

/** A tool of that name or a function exported under it; else what the module exports alone. */
function getToolFunction(exported: Readonly<Record<string, unknown>>, name: string, file: string): ToolFunction {
  // Of a module that is loaded the older way, what it exports lies below `default`.
  const below = typeof exported.default === 'object' && !isTool(exported.default) ? exported.default : {};
  const found = Object.entries({ ...exported, ...below }).flatMap(([as, value]) => {
    const run = toToolFunction(value);
    return run === null ? [] : [{ run, fits: isTool(value) ? value.name === name : as === name }];
  });
  const named = found.find(({ fits }) => fits);
  if (named !== undefined) return named.run;
  if (found.length === 1 && found[0] !== undefined) return found[0].run;
  throw new UsageError(
    `${file} exports nothing that could stand in for ${name}. Write: export async function ${name}(input) { … }`,
  );
}

function toToolFunction(value: unknown): ToolFunction | null {
  if (isTool(value)) return (input, context) => validateInput(value, input)(context);
  return typeof value === 'function' ? (value as ToolFunction) : null;
}

/** By shape: the module may have its own copy of this package. */
function isTool(value: unknown): value is Tool {
  return typeof value === 'object' && value !== null && 'parse' in value && 'snapshot' in value && 'name' in value;
}

function validateInput(tool: Tool, input: Json): ReturnType<Tool['parse']> {
  try {
    return tool.parse(input);
  } catch (error) {
    throw new NotDone(`The arguments no longer fit ${tool.name}; it was not run. ${getErrorMessage(error)}`);
  }
}

/** It is run once, without Temporal, and as long as the tool that it stands in for may take. */
function createStandIn(run: ToolFunction): ToolSubstitute {
  return async (call, agent, chainId): Promise<SubstituteResult> => {
    const timeoutMs = agent.tools.find(({ name }) => name === call.tool)?.timeoutMs ?? defaults.toolTimeoutMs;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new ToolTimeoutError()), timeoutMs);
    try {
      const running = Promise.resolve(run(call.input, createContext(call, chainId, late.signal)));
      const value = await Promise.race([running, rejectOnAbort(late.signal)]);
      return { ok: true, observation: toObservation(toJson(value), agent.maxObservationTokens) };
    } catch (error) {
      return { ok: false, failure: toFailure(error) };
    } finally {
      clearTimeout(timer);
    }
  };
}

function createContext({ id }: PendingCall, chainId: string, signal: AbortSignal): ToolContext<string> {
  const log = { debug: noop, info: noop, warn: noop, error: noop };
  const step = Number(id.split('.')[0]);
  const able = { log, heartbeat: noop, artifact: describeArtifact, secret: rejectSecret };
  return { signal, idempotencyKey: `replay-${id}`, attempt: 1, chainId, step, ...able };
}

/** What it says is not kept out of what is shown. */
function rejectSecret(name: string): never {
  throw new NotDone(`A tool that stands in for another is given no secrets; it asked for ${name}.`);
}

/** What is made in a replay is named as it would be, and not kept. */
const describeArtifact: ToolContext['artifact'] = async (
  artifact,
  content,
  { mediaType = 'application/octet-stream' } = {},
) => {
  const bytes =
    typeof content === 'string' ? [Buffer.from(content)] : content instanceof Uint8Array ? [content] : content;
  const { pieces, getSum } = toPieces(bytes, defaults.blobBytes);
  for await (const _ of pieces);
  return { artifact, ...getSum(), mediaType };
};

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}

class ToolTimeoutError extends Error {}

function noop(): void {}

/** As the tool's activity would have told it. */
function toFailure(error: unknown): FailureDetails {
  const failure = { message: getErrorMessage(error), timeoutType: null, details: null };
  if (error instanceof ToolTimeoutError) {
    return { type: 'timeout', message: 'start to close timeout', timeoutType: 'START_TO_CLOSE', details: null };
  }
  if (isNamed(error, 'NotDone')) return { ...failure, type: failureTypes.notDone };
  if (isNamed(error, 'ToolError')) {
    return { ...failure, type: failureTypes.toolError, details: { fatal: isFatal(error) } };
  }
  return { ...failure, type: error instanceof Error ? error.name : 'Error' };
}

function getErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** `--with-tool get_weather=./fake.ts`: loads functions that replace the recorded results of a tool. */

import { failureTypes } from '../../contract/index.js';
import { getRequester, readAnswer } from '../../core/engine/index.js';
import { type Json, toErrorMessage } from '../../core/lib/index.js';
import {
  type AgentSnapshot,
  type ChainState,
  computeQuestionDigest,
  defaults,
  type FailureDetails,
  type PendingCall,
} from '../../core/model/index.js';
import type { SubstituteResult, ToolSubstitute } from '../../core/record/index.js';
import { toPieces } from '../../store/index.js';
import {
  createAsk,
  isNamed,
  listErrorMarks,
  NotDone,
  type Tool,
  type ToolContext,
  toJson,
  toObservation,
} from '../../tools/define/index.js';
import { UsageError } from '../flags/usage-error.js';
import { loadModule } from '../run/load-module.js';

/** Loads the substitutes by tool name. @throws UsageError if the agent has no such tool, or the module no function for it */
export async function loadSubstitutes(
  assignments: readonly string[],
  agent: AgentSnapshot | null,
): Promise<ReadonlyMap<string, ToolSubstitute>> {
  const substitutes = new Map<string, ToolSubstitute>();
  for (const assignment of assignments) {
    const [, name, file] = /^([^=]+)=(.+)$/s.exec(assignment) ?? [];
    if (name === undefined || file === undefined) {
      throw new UsageError(`Invalid --with-tool ${assignment}. Write --with-tool get_weather=./fake.ts`);
    }
    const names = agent?.tools.map((tool) => tool.name) ?? [];
    if (!names.includes(name)) {
      throw new UsageError(`The chain's agent has no tool ${name}. It has: ${names.join(', ') || 'none'}.`);
    }
    substitutes.set(name, createSubstitute(getToolFunction(await loadModule(file), name, file)));
  }
  return substitutes;
}

type ToolFunction = (input: Json, context: ToolContext<string>) => unknown;

/** Returns the tool or exported function of that name, else the module's only export. */
function getToolFunction(exported: Readonly<Record<string, unknown>>, name: string, file: string): ToolFunction {
  // The exports of a CommonJS module are members of `default`.
  const below = typeof exported.default === 'object' && !isTool(exported.default) ? exported.default : {};
  const candidates = Object.entries({ ...exported, ...below }).flatMap(([as, value]) => {
    const run = toToolFunction(value);
    return run === null ? [] : [{ run, fits: isTool(value) ? value.name === name : as === name }];
  });
  const match = candidates.find(({ fits }) => fits);
  if (match !== undefined) return match.run;
  if (candidates.length === 1 && candidates[0] !== undefined) return candidates[0].run;
  throw new UsageError(
    `${file} exports no tool or function named ${name}. Write: export async function ${name}(input) { … }`,
  );
}

function toToolFunction(value: unknown): ToolFunction | null {
  if (isTool(value)) return (input, context) => validateInput(value, input)(context);
  return typeof value === 'function' ? (value as ToolFunction) : null;
}

/** Checks the shape, not the class: the module may load another copy of this package. */
function isTool(value: unknown): value is Tool {
  return typeof value === 'object' && value !== null && 'parse' in value && 'snapshot' in value && 'name' in value;
}

function validateInput(tool: Tool, input: Json): ReturnType<Tool['parse']> {
  try {
    return tool.parse(input);
  } catch (error) {
    throw new NotDone(`Invalid arguments for ${tool.name}; it was not executed. ${toErrorMessage(error)}`);
  }
}

/** Executes the function once, without Temporal, within the timeout of the tool that it replaces. */
function createSubstitute(run: ToolFunction): ToolSubstitute {
  return async (call, agent, state): Promise<SubstituteResult> => {
    const timeoutMs = agent.tools.find(({ name }) => name === call.tool)?.timeoutMs ?? defaults.toolTimeoutMs;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new ToolTimeoutError()), timeoutMs);
    try {
      const running = Promise.resolve(run(call.input, createContext(call, state, late.signal)));
      const value = await Promise.race([running, rejectOnAbort(late.signal)]);
      return { ok: true, observation: toObservation(toJson(value), agent.maxObservationTokens) };
    } catch (error) {
      return { ok: false, failure: toFailure(error) };
    } finally {
      clearTimeout(timer);
    }
  };
}

function createContext(call: PendingCall, state: ChainState, signal: AbortSignal): ToolContext<string> {
  const log = { debug: noop, info: noop, warn: noop, error: noop };
  const { id } = call;
  const step = Number(id.split('.')[0]);
  const silent = { log, heartbeat: noop, emit: noop, visibility: noop };
  const able = { ...silent, artifact: describeArtifact, ask: createRecordedAsk(call), secret: rejectSecret };
  const requester = { chainId: state.chainId, ...getRequester(state), step };
  return { signal, idempotencyKey: `replay-${id}`, attempt: 1, ...requester, ...able };
}

/** Secrets are rejected: the output of a replay is not masked for them. */
function rejectSecret(name: string): never {
  throw new NotDone(`A tool of --with-tool cannot read secrets; it requested ${name}.`);
}

/** Returns the recorded answers. */
function createRecordedAsk({ tool, answers = [] }: PendingCall): ToolContext['ask'] {
  return createAsk(tool, async ({ question }) => {
    const digest = computeQuestionDigest(tool, question);
    const answer = answers.find((answer) => answer.digest === digest);
    if (answer === undefined) throw new NotDone('A tool of --with-tool cannot ask what was not asked in the chain.');
    const read = readAnswer(question, answer.answer);
    return 'value' in read ? read.value : answer.answer;
  });
}

/** Describes an artifact as in a real run, but does not store it. */
const describeArtifact: ToolContext['artifact'] = async (
  name,
  content,
  { mediaType = 'application/octet-stream' } = {},
) => {
  const bytes =
    typeof content === 'string' ? [Buffer.from(content)] : content instanceof Uint8Array ? [content] : content;
  const { pieces, getSum } = toPieces(bytes, defaults.blobBytes);
  for await (const _ of pieces);
  return { name, ...getSum(), mediaType };
};

function rejectOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }));
}

class ToolTimeoutError extends Error {}

function noop(): void {}

/** Converts an error like the tool's activity does. */
function toFailure(error: unknown): FailureDetails {
  const failure = { message: toErrorMessage(error), timeoutType: null, details: null };
  if (error instanceof ToolTimeoutError) {
    return { type: 'timeout', message: 'start to close timeout', timeoutType: 'START_TO_CLOSE', details: null };
  }
  if (isNamed(error, 'NotDone')) {
    const { permanent } = listErrorMarks(error);
    return { ...failure, type: failureTypes.notDone, details: permanent ? { permanent } : null };
  }
  if (isNamed(error, 'ToolError')) {
    return { ...failure, type: failureTypes.toolError, details: listErrorMarks(error) };
  }
  return { ...failure, type: error instanceof Error ? error.name : 'Error' };
}

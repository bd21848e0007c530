/**
 * Functions before and after the calls of tools: of any tools that a worker executes, those of sources too.
 *
 * L5: what fails before the tool's own function is `NotDone` for an unsafe tool. What fails after it is no doubt about the call.
 */

import { check, computeDigest, type Json, LonghandError, toErrorMessage } from '../../core/lib/index.js';
import { toSafeErrorMessage } from '../../core/redact/index.js';
import { Unanswered } from './ask-person.js';
import type { Tool, TypedTool } from './define-tool.js';
import { isNamed, NotDone, ToolError } from './errors.js';
import { createStandaloneContext } from './standalone-context.js';
import type { ToolContext } from './tool-definition.js';
import { isToolSource, type OpenToolSource, type ToolSource } from './tool-source.js';

/** A call, as a hook sees it. */
export interface HookedCall {
  readonly tool: string;
  readonly context: ToolContext<string>;
}

export interface ToolHooks {
  /**
   * Runs before the tool, in each attempt. Returns changed arguments, which are validated again, or nothing. Where it throws, the
   * tool does not run: a `ToolError` or `NotDone` is for the model.
   */
  readonly before?: (input: Json, call: HookedCall) => unknown;
  /**
   * Runs after the tool returned. Returns another result, which the tool's `outputSchema` validates, or nothing. It does not run
   * for a failed call, or for a cached result.
   */
  readonly after?: (result: unknown, call: HookedCall & { readonly input: Json }) => unknown;
  /**
   * For tools with `cacheTtl`: results are cached only with it, and those of another version are not used. Equal functions may close over
   * different values, so no digest of them can replace it.
   */
  readonly version?: string;
}

const checkHooks = check.members<ToolHooks>({
  before: check.callable,
  after: check.callable,
  version: check.nonEmptyText,
});

/**
 * Returns the tools and sources with functions before and after each call. Wrapped twice, the last wrapping is the outer one.
 *
 * @throws {LonghandError} `invalid_options`, also for a tool whose calls no worker executes: a sub-agent, a question, a wait, an
 *   activity or a workflow of the user
 * @example
 * tools: wrapTools([getWeather, mcpTools({ … })], {
 *   before: (input, { tool, context }) => quota.check(context.tenant, tool),
 *   after: (result) => removeInternalIds(result),
 * })
 */
export function wrapTools<T extends Tool | ToolSource>(tools: readonly T[], hooks: ToolHooks): readonly T[] {
  check.assertNoProblem(checkHooks(hooks, ''), 'wrapTools');
  return tools.map((tool) => (isToolSource(tool) ? wrapSource(tool, hooks) : wrapTool(tool, hooks)) as T);
}

function wrapSource(source: ToolSource, hooks: ToolHooks): ToolSource {
  // A list that has not changed is the same array.
  const wrapped = new WeakMap<readonly Tool[], readonly Tool[]>();
  const wrapList = (tools: readonly Tool[]) => {
    const known = wrapped.get(tools) ?? tools.map((tool) => wrapTool(tool, hooks));
    wrapped.set(tools, known);
    return known;
  };
  const open: ToolSource['open'] = (context): OpenToolSource => {
    const opened = source.open(context);
    return { ...opened, list: async (options) => wrapList(await opened.list(options)) };
  };
  return { ...source, open };
}

function wrapTool(tool: Tool, hooks: ToolHooks): Tool {
  const { name, snapshot } = tool;
  if (snapshot === undefined)
    throw new LonghandError('invalid_options', `wrapTools: ${name} is an agent. Leave it out.`);
  if (snapshot.delegates !== null || snapshot.question !== null || snapshot.waits || snapshot.runs !== undefined) {
    const message = `wrapTools: no worker of Longhand executes calls of ${name}, so hooks would not see them. Leave it out.`;
    throw new LonghandError('invalid_options', message);
  }
  const parse: Tool['parse'] = (value) => {
    const enter = tool.parse(value);
    return async (context, models, storage) => {
      const call: HookedCall = { tool: name, context };
      const changed = await runBefore(tool, hooks, value as Json, call);
      const finalCall = { ...call, input: changed === undefined ? (value as Json) : changed.input };
      try {
        // A text that a model writes is a part of the result, which the hook may mask.
        const isMasked = hooks.after !== undefined && snapshot.kind === 'llm';
        const own = isMasked ? { ...context, emit: () => {} } : context;
        const returned = await (changed === undefined ? enter : changed.enter)(own, models, storage);
        return await runAfter(tool, hooks, returned, finalCall);
      } catch (error) {
        // People and the model may see what the call returned without an answer.
        if (!(error instanceof Unanswered) || error.result === undefined) throw error;
        throw new Unanswered(error.message, await runAfter(tool, hooks, error.result, finalCall));
      }
    };
  };
  const execute: TypedTool<unknown, unknown>['execute'] = async (input, context = {}) =>
    parse(input)(createStandaloneContext(context));
  const { cache, ...rest } = tool;
  const { version } = hooks;
  return {
    ...rest,
    ...('execute' in tool ? { execute } : {}),
    ...(cache === undefined || version === undefined
      ? {}
      : { cache: { ...cache, version: computeDigest(`${cache.version}\n${version}`).slice(0, 16) } }),
    parse,
  };
}

interface ChangedCall {
  readonly input: Json;
  readonly enter: ReturnType<Tool['parse']>;
}

/** Errors of hooks before calls: the tool did not run. */
const errorsBefore = new WeakSet<object>();

/** Returns whether a call of a wrapped tool failed before its tool's own function was entered. */
export function isErrorBefore(error: unknown): boolean {
  return typeof error === 'object' && error !== null && errorsBefore.has(error);
}

async function runBefore(
  tool: Tool,
  { before }: ToolHooks,
  input: Json,
  call: HookedCall,
): Promise<ChangedCall | undefined> {
  if (before === undefined) return undefined;
  try {
    const { signal } = call.context;
    const changed = await endWith(signal, before(structuredClone(input), call));
    // L5: a call that was given up must not begin, however long its hook took.
    signal.throwIfAborted();
    return changed === undefined ? undefined : { input: changed as Json, enter: parseChanged(tool, changed) };
  } catch (error) {
    const thrown = toErrorBefore(tool, error);
    if (typeof thrown === 'object' && thrown !== null) errorsBefore.add(thrown);
    throw thrown;
  }
}

function toErrorBefore({ name, snapshot }: Tool, error: unknown): unknown {
  if (snapshot.effects !== 'unsafe' || isNamed(error, 'NotDone')) return error;
  const message = toSafeErrorMessage(error);
  return new NotDone(isNamed(error, 'ToolError') ? message : `${name} did not run: ${message}`, { cause: error });
}

/** Rejects with the reason of the signal where that is first. */
function endWith<T>(signal: AbortSignal, work: T | Promise<T>): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    if (signal.aborted) stop();
    Promise.resolve(work)
      .then(resolve, reject)
      .finally(() => signal.removeEventListener('abort', stop));
  });
}

function parseChanged(tool: Tool, changed: unknown): ReturnType<Tool['parse']> {
  try {
    return tool.parse(changed);
  } catch (cause) {
    throw new NotDone(`${tool.name} did not run: its hook returned invalid arguments. ${toErrorMessage(cause)}`, {
      cause,
    });
  }
}

/** An unsafe call has happened: its result is withheld where the hook cannot return one, because the hook may mask it. */
async function runAfter(
  { name, snapshot, validateResult }: Tool,
  { after }: ToolHooks,
  returned: unknown,
  call: HookedCall & { readonly input: Json },
): Promise<unknown> {
  if (after === undefined) return returned;
  const isUnsafe = snapshot.effects === 'unsafe';
  const { log } = call.context;
  // An unsafe call must not run again, as it would with an answer.
  const ask: ToolContext['ask'] = async () => {
    throw new TypeError(`A hook after ${name} cannot ask a person: the call is unsafe, and would run again.`);
  };
  try {
    const changed = await after(returned, isUnsafe ? { ...call, context: { ...call.context, ask } } : call);
    if (changed === undefined) return returned;
    const problem = validateResult?.(changed) ?? null;
    if (problem === null) return changed;
    const message = `The hook of ${name} returned an invalid result.\n${problem}`;
    if (!isUnsafe) throw new ToolError(message);
    log.warn(message);
    return changed;
  } catch (error) {
    if (!isUnsafe) throw error;
    const message = `${name} was executed. Its result is not shown, because the hook after it failed.`;
    log.error(message, { error: toSafeErrorMessage(error) });
    return message;
  }
}

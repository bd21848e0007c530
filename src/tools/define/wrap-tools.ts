/**
 * Functions before and after the calls of tools: of any tools that a worker executes, those of sources too.
 *
 * L5: what fails before the tool's own function is `NotDone` for an unsafe tool. What fails after it is no doubt about the call.
 */

import { checkMembers, checkNonEmptyText, type ValueCheck } from '../../core/lib/check-value.js';
import { computeDigest } from '../../core/lib/digest.js';
import { LonghandError, toErrorMessage } from '../../core/lib/errors.js';
import type { Json } from '../../core/lib/json.js';
import { toSafeErrorMessage } from '../../core/redact/mask-unknown.js';
import type { Tool, TypedTool } from './define-tool.js';
import { isNamed, NotDone, ToolError } from './errors.js';
import { createLoneContext } from './lone-context.js';
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
  /** Cached results of another version are not used. Default: a digest of the source text of both functions. */
  readonly version?: string;
}

const checkFunction: ValueCheck = (value, at) => (typeof value === 'function' ? null : `${at} must be a function`);

const checkHooks = checkMembers<ToolHooks>({ before: checkFunction, after: checkFunction, version: checkNonEmptyText });

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
  const wrong = checkHooks(hooks, '');
  if (wrong !== null) throw new LonghandError('invalid_options', `wrapTools: ${wrong}.`);
  return tools.map((each) => (isToolSource(each) ? wrapSource(each, hooks) : wrapTool(each, hooks)) as T);
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
  if (snapshot.delegates !== null || snapshot.question !== null || snapshot.waits || snapshot.runs !== undefined) {
    const message = `wrapTools: no worker of Longhand executes calls of ${name}, so hooks would not see them. Leave it out.`;
    throw new LonghandError('invalid_options', message);
  }
  const parse: Tool['parse'] = (value) => {
    const enter = tool.parse(value);
    return async (context, models, storage) => {
      const call: HookedCall = { tool: name, context };
      const changed = await runBefore(tool, hooks, value as Json, call);
      const returned = await (changed === undefined ? enter : changed.enter)(context, models, storage);
      return runAfter(tool, hooks, returned, {
        ...call,
        input: changed === undefined ? (value as Json) : changed.input,
      });
    };
  };
  const version = hooks.version ?? `${hooks.before ?? ''}${hooks.after ?? ''}`;
  const execute: TypedTool<unknown, unknown>['execute'] = async (input, given = {}) =>
    parse(input)(createLoneContext(given));
  return {
    ...tool,
    ...('execute' in tool ? { execute } : {}),
    ...(tool.cache === undefined
      ? {}
      : { cache: { ...tool.cache, version: computeDigest(`${tool.cache.version}\n${version}`).slice(0, 16) } }),
    parse,
  };
}

interface ChangedCall {
  readonly input: Json;
  readonly enter: ReturnType<Tool['parse']>;
}

async function runBefore(
  tool: Tool,
  { before }: ToolHooks,
  input: Json,
  call: HookedCall,
): Promise<ChangedCall | undefined> {
  if (before === undefined) return undefined;
  try {
    const changed = await before(structuredClone(input), call);
    return changed === undefined ? undefined : { input: changed as Json, enter: parseChanged(tool, changed) };
  } catch (error) {
    if (tool.snapshot.effects !== 'unsafe' || isNamed(error, 'NotDone')) throw error;
    const message = toSafeErrorMessage(error);
    throw new NotDone(isNamed(error, 'ToolError') ? message : `${tool.name} did not run: ${message}`, { cause: error });
  }
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

/** The operations of an OpenAPI document that is loaded when a chain needs it, as a source of tools. */

import { check, computeDigest, LonghandError, toCanonicalJson, toErrorMessage } from '../../core/lib/index.js';
import { withTimeout } from '../../timing/index.js';
import type { OpenToolSource, Tool, ToolSource } from '../define/index.js';
import { type OpenApiOptions, openApiTools, validateOpenApiOptions } from './open-api-tools.js';

export interface OpenApiSourceOptions extends OpenApiOptions {
  /** Letters, digits and `_`, at most 30: the name of the source. */
  readonly name: string;
  /**
   * Returns the document, an object or its text in JSON or YAML. Called by each worker when the first chain needs it, and again after a
   * failure. It has 10 seconds; the signal is then aborted.
   */
  readonly load: (options: { readonly signal: AbortSignal }) => Promise<string | object>;
  /** Put before each name of a tool. Default: the name and `_`. */
  readonly prefix?: string;
  /** Whether chains start without its tools where the document cannot be loaded. Default false: they wait. */
  readonly optional?: boolean | undefined;
}

const loadMs = 10_000;
/** Milliseconds after a failure in which running chains do not load it again: each of their calls would wait for it. */
const pauseMs = 30_000;

/**
 * The tools of `openApiTools`, for a document that is loaded later: from a file or a server that may be missing. An agent whose document
 * cannot be loaded waits, with the reason in its chains; other agents of its module work.
 *
 * @throws {LonghandError} `invalid_options`
 * @example
 * defineAgent({
 *   name: 'clerk',
 *   tools: [openApiSource({ name: 'shop', load: () => readFile('shop.yaml', 'utf8'), only: ['list_orders'] })],
 *   …
 * })
 */
export function openApiSource(options: OpenApiSourceOptions): ToolSource {
  const { name, load, optional = false, prefix = `${name}_`, ...more } = options;
  const problem =
    (/^[A-Za-z_][A-Za-z0-9_]{0,29}$/.test(String(name))
      ? null
      : 'name must begin with a letter or _ and contain only letters, digits and _, at most 30') ??
    (typeof load === 'function' ? null : 'load must be a function that returns the document') ??
    check.boolean(optional, 'optional') ??
    validateOpenApiOptions({ ...more, prefix });
  if (problem !== null) throw new LonghandError('invalid_options', `openApiSource: ${problem}.`);
  return { name, prefix, optional, open: () => openDocument(name, load, { ...more, prefix }) };
}

function openDocument(name: string, load: OpenApiSourceOptions['load'], options: OpenApiOptions): OpenToolSource {
  const closing = new AbortController();
  let loading: Promise<readonly Tool[]> | null = null;
  let failed: { readonly at: number; readonly error: unknown } | null = null;

  const read = async (): Promise<readonly Tool[]> => {
    const signal = AbortSignal.any([closing.signal, AbortSignal.timeout(loadMs)]);
    try {
      const loaded = await withTimeout(Promise.resolve(load({ signal })), loadMs);
      if (loaded === null) throw new Error(`it took more than ${loadMs / 1_000} s`);
      return openApiTools(loaded.value, options).map((tool) => markSource(tool, name));
    } catch (error) {
      throw new Error(`The OpenAPI document of ${name} cannot be loaded: ${toErrorMessage(error)}`, { cause: error });
    }
  };

  return {
    list: async ({ isFresh }) => {
      if (failed !== null && !isFresh && Date.now() - failed.at < pauseMs) throw failed.error;
      loading ??= read();
      try {
        const tools = await loading;
        failed = null;
        return tools;
      } catch (error) {
        loading = null;
        failed = { at: Date.now(), error };
        throw error;
      }
    },
    close: async () => closing.abort(),
  };
}

/** A call runs only while its operation is the one that the chain started with. */
function markSource(tool: Tool, name: string): Tool {
  const { description, inputSchema } = tool.snapshot;
  const digest = computeDigest(toCanonicalJson([description, inputSchema]));
  return { ...tool, snapshot: { ...tool.snapshot, source: { name, digest } } };
}

/** Tools of other libraries as tools of an agent: which of them, under which names, and what the library does not state. */

import { findNearest, LonghandError } from '../../core/lib/index.js';
import { defineTool, type Tool, type ToolDefinition, type ToolSchema } from '../define/index.js';

/** What a definition may add to a tool of another library, which states neither effects nor limits. */
export type ToolOverrides = Partial<
  Pick<
    ToolDefinition<ToolSchema>,
    | 'description'
    | 'effects'
    | 'timeout'
    | 'retry'
    | 'cacheTtl'
    | 'version'
    | 'approval'
    | 'roles'
    | 'audit'
    | 'dataClass'
    | 'kind'
    | 'concurrency'
    | 'cost'
    | 'view'
  >
>;

/** Options of all functions that adapt tools. */
export interface AdaptOptions {
  /** Only these. Default: all. */
  readonly only?: readonly string[];
  /** Put before each name: `crm_` makes `crm_find` of `find`. */
  readonly prefix?: string;
  /** For all tools. Without effects, a tool is `unsafe`: it is never retried, and each call needs approval. */
  readonly all?: ToolOverrides;
  /** For single tools, by their names in the library. They precede those for all. */
  readonly tools?: { readonly [name: string]: ToolOverrides };
}

export type ExternalDefinition = Pick<ToolDefinition<ToolSchema, string>, 'description' | 'inputSchema' | 'execute'> &
  Partial<Pick<ToolDefinition<ToolSchema, string>, 'returns' | 'secrets'>> &
  ToolOverrides;

/** A tool of another library. */
export interface ExternalTool {
  readonly name: string;
  /** Called only for the tools that are taken. */
  readonly define: () => ExternalDefinition;
}

/**
 * @param by the function named in errors
 * @throws {LonghandError} `invalid_options` for the name of a tool that the library does not have; `invalid_tool`
 */
export function adaptTools(by: string, externalTools: readonly ExternalTool[], options: AdaptOptions): readonly Tool[] {
  const { only, prefix = '', all = {}, tools = {} } = options;
  const names = externalTools.map(({ name }) => name);
  for (const name of [...(only ?? []), ...Object.keys(tools)]) {
    if (names.includes(name)) continue;
    const near = findNearest(name, names);
    const hint = near === null ? `It has: ${names.join(', ')}` : `You may mean ${near}`;
    throw new LonghandError('invalid_options', `${by}: tool ${JSON.stringify(name)} not found. ${hint}.`);
  }
  return externalTools
    .filter(({ name }) => only === undefined || only.includes(name))
    .map(({ name, define }) =>
      defineTool({ effects: 'unsafe', ...define(), ...all, ...tools[name], name: `${prefix}${name}` }),
    );
}

/** An MCP source as a worker opens it, without a worker. */

import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { type McpOptions, mcpTools } from '../../src/entries/tools.js';
import type { OpenToolSource, Tool } from '../../src/index.js';
import { callOf } from './call-tool.js';

export const hostileServer = fileURLToPath(new URL('./hostile-mcp-server.mjs', import.meta.url));

/** The program of one of the official servers. */
export function findServer(name: 'everything' | 'filesystem' | 'memory'): string {
  const manifest = createRequire(import.meta.url).resolve(`@modelcontextprotocol/server-${name}/package.json`);
  return join(dirname(manifest), 'dist/index.js');
}

export interface OpenedSource extends OpenToolSource, ReturnType<typeof callOf> {
  readonly lines: { readonly level: string; readonly message: string }[];
  /** Lists the tools as for a new chain, and calls them from then on. */
  readonly refresh: () => Promise<readonly Tool[]>;
}

/** Opens a source and lists its tools. It is closed at the end of the test. */
export async function openSource(
  options: McpOptions,
  secrets: Readonly<Record<string, string>> = {},
): Promise<OpenedSource> {
  const lines: OpenedSource['lines'] = [];
  const at = (level: string) => (message: string) => void lines.push({ level, message });
  const source = mcpTools(options).open({
    secrets: { get: (name) => secrets[name] },
    log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') },
  });
  onTestFinished(source.close);
  let tools: readonly Tool[] = [];
  const refresh = async () => {
    tools = await source.list({ isFresh: true });
    return tools;
  };
  await refresh();
  return { ...source, ...callOf(() => tools), lines, refresh };
}

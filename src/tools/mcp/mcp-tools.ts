/** The tools of an MCP server as a source of tools (https://modelcontextprotocol.io). */

import { check, LonghandError } from '../../core/lib/index.js';
import { parseDuration } from '../../options/index.js';
import type { OpenToolSource, SourceContext, ToolSource } from '../define/index.js';
import { createMcpConnection } from './connection.js';
import { type McpOptions, type McpSettings, mcpDefaults, validateMcpOptions } from './options.js';
import { createToolList } from './tool-list.js';

/**
 * The tools of an MCP server, over standard input and output or over streamable HTTP. Each worker has one connection, which it
 * opens when a chain needs it, opens again after it broke, and closes when it stops. Needs the package `@modelcontextprotocol/sdk`.
 *
 * A chain has the tools that the server listed when it started. A tool whose definition changed since is blocked.
 *
 * @throws {LonghandError} `invalid_options`
 * @example
 * defineAgent({
 *   name: 'librarian',
 *   tools: [
 *     mcpTools({ name: 'files', command: 'npx', args: ['@modelcontextprotocol/server-filesystem', '/data'] }),
 *     mcpTools({ name: 'crm', url: 'https://mcp.example.com', headers: { authorization: { secret: 'CRM_TOKEN', prefix: 'Bearer ' } } }),
 *   ],
 * })
 */
export function mcpTools(options: McpOptions): ToolSource {
  check.assertNoProblem(validateMcpOptions(options), 'mcpTools');
  const { name, prefix = `${name}_`, optional = false } = options;
  const connectMs = parseDuration(options.connectTimeout ?? mcpDefaults.connectTimeoutMs, 'mcpTools: connectTimeout');
  if (connectMs > mcpDefaults.longestConnectMs) {
    const message = `mcpTools: connectTimeout must be at most ${mcpDefaults.longestConnectMs} ms: a chain is prepared in 30 s.`;
    throw new LonghandError('invalid_options', message);
  }
  return { name, prefix, optional, open: (context) => openServer({ options, prefix, connectMs }, context) };
}

function openServer(settings: McpSettings, context: SourceContext): OpenToolSource {
  const connection = createMcpConnection(settings, context);
  return { list: createToolList(settings, connection, context.log), close: connection.close };
}

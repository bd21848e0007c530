/** Tools of MCP servers, by the official client. */

export { mcpTools } from './mcp-tools.js';
export type {
  McpClientCredentials,
  McpCommandOptions,
  McpElicitation,
  McpOptions,
  McpSampling,
  McpSecret,
  McpUrlOptions,
  McpValue,
} from './options.js';

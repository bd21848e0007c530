/** The official client, loaded when a source is first opened: most workers have none. */

import { LonghandError, loadOnce, toErrorMessage } from '../../core/lib/index.js';

export type McpSdk = Awaited<ReturnType<typeof importSdk>>;

const load = loadOnce(importSdk);

/** @throws {LonghandError} `invalid_environment` where the package is not installed */
export async function loadMcpSdk(): Promise<McpSdk> {
  try {
    return await load();
  } catch (error) {
    const message = `mcpTools needs the package @modelcontextprotocol/sdk: npm install @modelcontextprotocol/sdk. ${toErrorMessage(error)}`;
    throw new LonghandError('invalid_environment', message);
  }
}

async function importSdk() {
  const [client, stdio, http, auth, credentials, types] = await Promise.all([
    import('@modelcontextprotocol/sdk/client/index.js'),
    import('@modelcontextprotocol/sdk/client/stdio.js'),
    import('@modelcontextprotocol/sdk/client/streamableHttp.js'),
    import('@modelcontextprotocol/sdk/client/auth.js'),
    import('@modelcontextprotocol/sdk/client/auth-extensions.js'),
    import('@modelcontextprotocol/sdk/types.js'),
  ]);
  return {
    Client: client.Client,
    StdioClientTransport: stdio.StdioClientTransport,
    StreamableHTTPClientTransport: http.StreamableHTTPClientTransport,
    StreamableHTTPError: http.StreamableHTTPError,
    UnauthorizedError: auth.UnauthorizedError,
    ClientCredentialsProvider: credentials.ClientCredentialsProvider,
    CreateMessageRequestSchema: types.CreateMessageRequestSchema,
    ElicitRequestSchema: types.ElicitRequestSchema,
    ErrorCode: types.ErrorCode,
    McpError: types.McpError,
    ResultSchema: types.ResultSchema,
    ToolListChangedNotificationSchema: types.ToolListChangedNotificationSchema,
  };
}

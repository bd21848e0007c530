/** Runs the gateway of `longhand gateway` until it is stopped. */

import { readFileSync } from 'node:fs';
import { isLoopbackName, omitUndefined } from '../../core/lib/index.js';
import { createGateway, type JwtIssuer, parseJwtFile, serveGateway } from '../../gateway/index.js';
import { readVisibilityConfig } from '../access/chain-viewer.js';
import { prepareReportedStore } from '../access/command-store.js';
import { createCommandLogger } from '../flags/logger.js';
import { UsageError } from '../flags/usage-error.js';
import { parsePort } from '../flags/values.js';
import { describeFileError } from '../terminal/read-text.js';
import { waitUntilStopped } from '../terminal/shutdown.js';
import { isErrorRead, type Terminal, writeError } from '../terminal/terminal.js';

export interface GatewayFlags {
  readonly host: string;
  readonly port: string;
  readonly keys?: boolean;
  readonly jwt?: string;
  readonly origin: readonly string[];
  readonly visibility?: string;
  readonly publicUrl?: string;
  readonly proxies: string;
  readonly taskQueue?: string;
}

export async function runGateway({ report }: Terminal, flags: GatewayFlags): Promise<number> {
  const { host, keys = false, jwt, origin, visibility, publicUrl, taskQueue } = flags;
  const port = parsePort(flags.port);
  if (!keys && jwt === undefined && !isLoopbackName(host.includes(':') ? `[${host}]` : host)) {
    throw new UsageError(
      `--host ${host} lets any machine that reaches it start chains. Require credentials with --keys or --jwt, or omit --host.`,
    );
  }
  const streams = { isTerminal: isErrorRead(), write: writeError };
  const log = await createCommandLogger({ command: 'gateway', env: process.env, ...streams });
  const gateway = await createGateway({
    connection: { taskQueue },
    store: await prepareReportedStore(report),
    authentication: { keys, jwt: jwt === undefined ? [] : readJwtFile(jwt) },
    origins: origin,
    proxies: parseProxies(flags.proxies),
    log,
    ...(visibility === undefined ? {} : { visibility: readVisibilityConfig(visibility) }),
    ...omitUndefined({ publicUrl }),
  });
  const server = await serveGateway(gateway, { host, port }).catch(async (error: NodeJS.ErrnoException) => {
    await gateway.close();
    const why = error.code === 'EADDRINUSE' ? 'the port is in use' : (error.code ?? error.message);
    throw new UsageError(`Cannot listen at ${host}:${port}: ${why}. Choose another --port.`);
  });
  const ways = [...(keys ? ['API keys'] : []), ...(jwt === undefined ? [] : [`tokens of ${jwt}`])];
  const lines = [
    `Gateway     ${server.url}`,
    `Callers     ${ways.length === 0 ? 'programs on this machine, with all rights' : ways.join(' and ')}`,
    `Operations  ${server.url}/openapi.json`,
    'Press Ctrl-C to stop.',
  ];
  await waitUntilStopped(() => report(lines.join('\n')));
  await server.close();
  report('\nStopped the gateway.');
  return 0;
}

/** @throws {UsageError} when the file cannot be read; {LonghandError} `invalid_environment` */
function readJwtFile(file: string): readonly JwtIssuer[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    throw new UsageError(`Cannot read --jwt ${file}: ${describeFileError(error)}.`);
  }
  return parseJwtFile(text, file);
}

function parseProxies(text: string): number {
  if (/^\d$/.test(text)) return Number(text);
  throw new UsageError(`Invalid --proxies ${text}. Use a number from 0 to 9.`);
}

/** Finds the Temporal server to use: the configured one, the one at the usual address, or a new local one. */

import type { Connection } from '@temporalio/client';
import {
  type ConnectionSettings,
  checkNamespace,
  defaultAddress,
  openConnection,
  readConnectionSettings,
  readNamespace,
} from '../../connection/index.js';
import { searchAttributes } from '../../contract/index.js';
import { toErrorMessage } from '../../core/lib/index.js';
import type { Encryption } from '../../encryption/index.js';
import { UsageError } from '../flags/usage-error.js';
import { startUiCodec } from './codec.js';
import { startDevServer } from './dev-server.js';
import { findFreePort, isPortFree, loopback } from './ports.js';

export interface TemporalServer {
  readonly address: string;
  /** Null for a server that we did not start, whose Web UI may be anywhere. */
  readonly uiUrl: string | null;
  readonly isOwn: boolean;
  /** Address at which the Web UI of our own server decodes payloads; null without encryption. */
  readonly codecUrl: string | null;
  readonly stop: () => Promise<void>;
}

const defaultPorts = { port: 7233, uiPort: 8233 } as const;

export interface ServerOptions {
  /** Receives a line when an operation takes long. */
  readonly report: (line: string) => void;
  /** Whether other programs use our server as well: it then takes the usual ports, if they are free. */
  readonly shared?: boolean;
  /** File in which our server keeps its workflows. */
  readonly dbFile?: string | undefined;
  /** Lets the Web UI of our server show encrypted payloads. */
  readonly encryption?: Encryption | null;
}

/**
 * Returns a running server, or starts one where no server is configured.
 *
 * @throws {UsageError} when the configured server cannot be used
 * @throws {NoSuchNamespaceError} when the server does not have the namespace
 */
export async function findOrStartServer({
  report,
  shared = false,
  dbFile,
  encryption = null,
}: ServerOptions): Promise<TemporalServer> {
  const settings = readConnectionSettings({}, process.env);
  const { address, namespace } = settings;
  if (await isServerReady(settings)) {
    const uiUrl =
      process.env.TEMPORAL_UI_URL ?? (address === defaultAddress ? `http://${loopback}:${defaultPorts.uiPort}` : null);
    return { address, uiUrl, isOwn: false, codecUrl: null, stop: async () => {} };
  }
  const ports = shared ? await findFreePorts(defaultPorts) : {};
  const uiPort = ports.uiPort ?? (await findFreePort());
  const codec = encryption === null ? null : await startUiCodec(encryption, uiPort, report);
  const options = { searchAttributes, namespace, report, ...ports, uiPort };
  const server = await startDevServer({
    ...options,
    ...(dbFile ? { dbFile } : {}),
    ...(codec ? { uiCodecEndpoint: codec.url } : {}),
  }).catch(async (error: unknown) => {
    await codec?.close();
    throw error;
  });
  const stop = async () => {
    await codec?.close();
    await server.stop();
  };
  return { address: server.address, uiUrl: server.uiUrl, isOwn: true, codecUrl: codec?.url ?? null, stop };
}

/** @throws {UsageError} {NoSuchNamespaceError} */
async function isServerReady(settings: ConnectionSettings): Promise<boolean> {
  let connection: Connection;
  try {
    connection = await openConnection(settings);
  } catch (error) {
    if (settings.isConfigured) throw new UsageError(toErrorMessage(error), { cause: error });
    return false;
  }
  try {
    await checkNamespace(connection.workflowService, settings);
  } finally {
    await connection.close();
  }
  return true;
}

async function findFreePorts({
  port,
  uiPort,
}: typeof defaultPorts): Promise<{ readonly port?: number; readonly uiPort?: number }> {
  return {
    ...((await isPortFree(port)) ? { port } : {}),
    ...((await isPortFree(uiPort)) ? { uiPort } : {}),
  };
}

/** Returns the page of a chain in Temporal's Web UI. */
export function buildChainUrl(uiUrl: string, chainId: string): string {
  const namespace = readNamespace(process.env);
  return `${uiUrl.replace(/\/$/, '')}/namespaces/${namespace}/workflows/${encodeURIComponent(chainId)}`;
}

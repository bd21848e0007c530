/** A Temporal server to work with: the one that was named, the one at the usual place, or one of our own. */

import { isNotFound, NoSuchNamespaceError } from '../../contract/no-such-namespace.js';
import { searchAttributes } from '../../contract/search-attributes.js';
import { maskAddress } from '../../core/lib/display.js';
import type { Encryption } from '../../encryption/encryption.js';
import { UsageError } from '../flags/usage-error.js';
import { startUiCodec } from './codec.js';
import { startDevServer } from './dev-server.js';
import { findFreePort, isPortFree, loopback } from './ports.js';
import { namedServerRemedy, tryConnect } from './server-connection.js';

export interface TemporalServer {
  readonly address: string;
  /** Null when it is not ours and may have its Web UI anywhere. */
  readonly uiUrl: string | null;
  readonly isOwn: boolean;
  /** Of one of our own, where its Web UI has payloads decoded; null where nothing is encrypted. */
  readonly codecUrl: string | null;
  readonly stop: () => Promise<void>;
}

const defaultPorts = { port: 7233, uiPort: 8233 } as const;
const defaultAddress = `${loopback}:${defaultPorts.port}`;

export interface ServerOptions {
  /** Told what takes a while. */
  readonly report: (line: string) => void;
  /** Whether one of our own is for others too: it takes the usual ports then, if they are free. */
  readonly shared?: boolean;
  /** Keeps the workflows of one of our own in this file. */
  readonly dbFile?: string | undefined;
  /** Whose Web UI shows what is encrypted, if it is one of our own. */
  readonly encryption?: Encryption | null;
}

/**
 * @throws {UsageError} when a server was named and does not answer
 * @throws {NoSuchNamespaceError} when it answers and does not know the namespace
 */
export async function findOrStartServer({
  report,
  shared = false,
  dbFile,
  encryption = null,
}: ServerOptions): Promise<TemporalServer> {
  const named = process.env.TEMPORAL_ADDRESS || undefined;
  const namespace = process.env.TEMPORAL_NAMESPACE || 'default';
  const address = named ?? defaultAddress;
  if (await isServerReady(address, namespace)) {
    const uiUrl =
      process.env.TEMPORAL_UI_URL ?? (address === defaultAddress ? `http://${loopback}:${defaultPorts.uiPort}` : null);
    return { address, uiUrl, isOwn: false, codecUrl: null, stop: async () => {} };
  }
  if (named !== undefined)
    throw new UsageError(
      `No Temporal server answers at TEMPORAL_ADDRESS (${maskAddress(named)}): ${namedServerRemedy}.`,
    );
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

/** @throws {NoSuchNamespaceError} */
async function isServerReady(address: string, namespace: string): Promise<boolean> {
  const connection = await tryConnect(address);
  if (connection === null) return false;
  try {
    await connection.workflowService.describeNamespace({ namespace });
  } catch (error) {
    // Who may not look may still run chains.
    if (isNotFound(error)) throw new NoSuchNamespaceError(namespace);
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

/** Where Temporal's Web UI shows a chain. */
export function buildChainUrl(uiUrl: string, chainId: string): string {
  const namespace = process.env.TEMPORAL_NAMESPACE || 'default';
  return `${uiUrl.replace(/\/$/, '')}/namespaces/${namespace}/workflows/${encodeURIComponent(chainId)}`;
}

/** A Temporal server to work with: the one that was named, the one at the usual place, or one of our own. */

import { isNotFound, NoSuchNamespaceError } from '../../contract/no-such-namespace.js';
import { searchAttributes } from '../../contract/search-attributes.js';
import { maskAddress } from '../../core/lib/display.js';
import type { Encryption } from '../../encryption/encryption.js';
import { UsageError } from '../flags/usage-error.js';
import { codecForUi } from './codec.js';
import { startDevServer } from './dev-server.js';
import { freePort, loopback, portIsFree } from './ports.js';
import { connectTo, namedServerRemedy } from './reachable.js';

export interface Server {
  readonly address: string;
  /** Null when it is not ours and may have its Web UI anywhere. */
  readonly uiUrl: string | null;
  readonly own: boolean;
  /** Of one of our own, where its Web UI has payloads decoded; null where nothing is encrypted. */
  readonly codecUrl: string | null;
  readonly stop: () => Promise<void>;
}

const usual = { port: 7233, uiPort: 8233 } as const;
const usualAddress = `${loopback}:${usual.port}`;

export interface ServerOptions {
  /** Told what takes a while. */
  readonly say: (line: string) => void;
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
export async function findServer({ say, shared = false, dbFile, encryption = null }: ServerOptions): Promise<Server> {
  const named = process.env.TEMPORAL_ADDRESS || undefined;
  const namespace = process.env.TEMPORAL_NAMESPACE || 'default';
  const address = named ?? usualAddress;
  if (await answersAt(address, namespace)) {
    const uiUrl =
      process.env.TEMPORAL_UI_URL ?? (address === usualAddress ? `http://${loopback}:${usual.uiPort}` : null);
    return { address, uiUrl, own: false, codecUrl: null, stop: async () => {} };
  }
  if (named !== undefined)
    throw new UsageError(
      `No Temporal server answers at TEMPORAL_ADDRESS (${maskAddress(named)}): ${namedServerRemedy}.`,
    );
  const ports = shared ? await freeOf(usual) : {};
  const uiPort = ports.uiPort ?? (await freePort());
  const codec = encryption === null ? null : await codecForUi(encryption, uiPort, say);
  const options = { searchAttributes, namespace, say, ...ports, uiPort };
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
  return { address: server.address, uiUrl: server.uiUrl, own: true, codecUrl: codec?.url ?? null, stop };
}

/** @throws {NoSuchNamespaceError} */
async function answersAt(address: string, namespace: string): Promise<boolean> {
  const connection = await connectTo(address);
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

async function freeOf({ port, uiPort }: typeof usual): Promise<{ readonly port?: number; readonly uiPort?: number }> {
  return {
    ...((await portIsFree(port)) ? { port } : {}),
    ...((await portIsFree(uiPort)) ? { uiPort } : {}),
  };
}

/** Where Temporal's Web UI shows a chain. */
export function chainUrl(uiUrl: string, chainId: string): string {
  const namespace = process.env.TEMPORAL_NAMESPACE || 'default';
  return `${uiUrl.replace(/\/$/, '')}/namespaces/${namespace}/workflows/${encodeURIComponent(chainId)}`;
}

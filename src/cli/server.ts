/** A Temporal server to work with: the one that was named, the one at the usual place, or one of our own. */

import { searchAttributes } from '../contract/search-attributes.js';
import { startDevServer } from './dev-server.js';
import { reachable } from './reachable.js';
import { UsageError } from './usage-error.js';

export interface Server {
  readonly address: string;
  /** Null when it is not ours and may have its Web UI anywhere. */
  readonly uiUrl: string | null;
  readonly own: boolean;
  readonly stop: () => Promise<void>;
}

const usual = '127.0.0.1:7233';

/**
 * @param say told what takes a while
 * @throws {UsageError} when a server was named and does not answer
 */
export async function findServer(say: (line: string) => void): Promise<Server> {
  const named = process.env.TEMPORAL_ADDRESS;
  const address = named ?? usual;
  if (await reachable(address)) {
    const uiUrl = process.env.TEMPORAL_UI_URL ?? (address === usual ? 'http://127.0.0.1:8233' : null);
    return { address, uiUrl, own: false, stop: async () => {} };
  }
  if (named !== undefined) throw new UsageError(`No Temporal server answers at TEMPORAL_ADDRESS (${named}).`);
  const server = await startDevServer({ searchAttributes, say });
  return { address: server.address, uiUrl: server.uiUrl, own: true, stop: () => server.stop() };
}

/** Where Temporal's Web UI shows a chain. */
export function chainUrl(uiUrl: string, chainId: string): string {
  const namespace = process.env.TEMPORAL_NAMESPACE ?? 'default';
  return `${uiUrl.replace(/\/$/, '')}/namespaces/${namespace}/workflows/${encodeURIComponent(chainId)}`;
}

/** A worker's side of the relay. Best effort: a worker without a socket warns and runs. */

import type { TokenPublisher } from '../contract/index.js';
import { toErrorMessage } from '../core/lib/index.js';
import type { Store } from '../store/index.js';
import { createPostgresPublisher } from './postgres-publisher.js';
import { isRelayOn, type RelayOptions, toSealer } from './relay-options.js';
import { getSocketFolder } from './socket-folder.js';
import { openSocketPublisher } from './socket-publisher.js';

export interface OpenPublisher extends TokenPublisher {
  readonly close: () => Promise<void>;
}

/** Opens a worker's side. @returns null when tokens are switched off */
export async function openTokenPublisher({
  tokens,
  encryption,
  env,
  namespaceId,
  store,
  warn,
}: RelayOptions & {
  readonly namespaceId: string;
  readonly store: Store | null;
  readonly warn: (sentence: string) => void;
}): Promise<OpenPublisher | null> {
  const own = tokens ? [tokens] : [];
  if (!isRelayOn(tokens, env)) return own.length === 0 ? null : combinePublishers(own, []);
  const socket = await openSocket(getSocketFolder(namespaceId, env), warn);
  const relay = { namespaceId, sealer: toSealer(encryption) };
  const postgres = store?.kind === 'postgres' ? createPostgresPublisher(store, relay) : null;
  const remote = [socket, postgres].filter((publisher) => publisher !== null);
  return combinePublishers(own, remote);
}

async function openSocket(folder: string, warn: (sentence: string) => void): Promise<OpenPublisher | null> {
  // Windows has no socket files that followers could find.
  if (process.platform === 'win32') return null;
  try {
    return await openSocketPublisher(folder);
  } catch (error) {
    warn(
      `Other processes on this machine receive no tokens, because the socket could not be created: ${toErrorMessage(error)}. Set XDG_DATA_HOME to a folder that this process may write, or LONGHAND_TOKENS=off to accept this.`,
    );
    return null;
  }
}

function combinePublishers(own: readonly TokenPublisher[], remote: readonly OpenPublisher[]): OpenPublisher {
  const all = [...own, ...remote];
  return {
    publish: (piece) => {
      for (const publisher of all) publisher.publish(piece);
    },
    close: async () => {
      await Promise.all(remote.map((publisher) => publisher.close()));
    },
  };
}

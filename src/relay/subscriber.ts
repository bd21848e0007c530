/**
 * A follower's side of the relay, which carries tokens of replies from workers to other processes: through a local socket and, where
 * the store is Postgres, through its notifications. Followers use all of these at the same time and ignore repeats. A chain does not
 * depend on it.
 */

import type { TokenSubscriber } from '../contract/index.js';
import {
  createPostgresListener,
  type OpenStore,
  parseStoreLocation,
  readStoreUrl,
  type StoreListener,
  toStore,
} from '../store/index.js';
import { createPostgresSubscriber } from './postgres-subscriber.js';
import { isRelayOn, type RelayOptions, toSealer } from './relay-options.js';
import { getSocketFolder } from './socket-folder.js';
import { createSocketSubscriber } from './socket-subscriber.js';

/**
 * Creates a follower's side. Nothing is opened before the first subscription.
 *
 * @param findNamespaceId called for a subscription
 * @returns null when tokens are switched off
 * @throws {LonghandError} `invalid_environment`; StoreError for an invalid address
 */
export function createTokenSubscriber({
  tokens,
  encryption,
  env,
  store,
  findNamespaceId,
}: RelayOptions & {
  readonly store: OpenStore | string | null | undefined;
  readonly findNamespaceId: () => Promise<string>;
}): TokenSubscriber | null {
  const own = tokens ? [tokens] : [];
  if (!isRelayOn(tokens, env)) return own[0] ?? null;
  const listener = createListener(store === undefined ? readStoreUrl(env) : store);
  const sealer = toSealer(encryption);
  const openRemote = (namespaceId: string): readonly TokenSubscriber[] => [
    createSocketSubscriber(getSocketFolder(namespaceId, env)),
    ...(listener === null ? [] : [createPostgresSubscriber(listener, { namespaceId, sealer })]),
  ];
  return {
    subscribe: (chainId, receive) => {
      const stops = own.map((channel) => channel.subscribe(chainId, receive));
      let isOpen = true;
      const subscribeRemote = (namespaceId: string) => {
        if (!isOpen) return;
        for (const remote of openRemote(namespaceId)) stops.push(remote.subscribe(chainId, receive));
      };
      // Without a server there is no chain to follow either, and following fails with the server's error.
      findNamespaceId().then(subscribeRemote, () => {});
      return () => {
        isOpen = false;
        for (const stop of stops.splice(0)) stop();
      };
    },
  };
}

function createListener(store: OpenStore | string | null): StoreListener | null {
  if (typeof store !== 'string') return store === null ? null : toStore(store).listener;
  const place = parseStoreLocation(store);
  return place.kind === 'postgres' ? createPostgresListener(place) : null;
}

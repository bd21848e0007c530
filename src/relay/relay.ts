/**
 * The relay: carries tokens of replies from workers to followers in other processes, through a local socket and, where the
 * store is Postgres, through its notifications. Followers use all of these at the same time and ignore repeats.
 *
 * Best effort: a chain does not depend on it. A worker without a socket warns and runs.
 */

import type { TokenChannel, TokenPublisher, TokenSubscriber } from '../contract/tokens.js';
import { LonghandError, toErrorMessage } from '../core/lib/errors.js';
import type { Encryption } from '../encryption/encryption.js';
import { createSealer, type Sealer } from '../encryption/sealer.js';
import { createPostgresListener, type StoreListener } from '../store/db/postgres-listener.js';
import type { Store } from '../store/db/store.js';
import { parseStoreLocation, readStoreUrl } from '../store/db/store-location.js';
import { createPostgresPublisher } from './postgres-publisher.js';
import { createPostgresSubscriber } from './postgres-subscriber.js';
import { getSocketFolder } from './socket-folder.js';
import { openSocketPublisher } from './socket-publisher.js';
import { createSocketSubscriber } from './socket-subscriber.js';

/** A channel in this process, used in addition to the relay; false for no tokens at all. */
export type TokenOption = TokenChannel | false;

export interface RelayOptions {
  readonly tokens: TokenOption | undefined;
  readonly encryption: Encryption | null;
  readonly env: NodeJS.ProcessEnv;
}

/** Validates `LONGHAND_TOKENS`: `on`, the default, or `off`. @throws {LonghandError} `invalid_environment` */
export function checkTokenRelay(env: NodeJS.ProcessEnv): void {
  const value = env.LONGHAND_TOKENS || 'on';
  if (value === 'on' || value === 'off') return;
  throw new LonghandError('invalid_environment', `Invalid LONGHAND_TOKENS "${value}". Use on or off.`);
}

/** Whether tokens may leave this process. @throws {LonghandError} `invalid_environment` */
export function isRelayOn(tokens: TokenOption | undefined, env: NodeJS.ProcessEnv): boolean {
  checkTokenRelay(env);
  return tokens !== false && env.LONGHAND_TOKENS !== 'off';
}

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
  readonly store: Store | string | null | undefined;
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

function createListener(store: Store | string | null): StoreListener | null {
  if (typeof store !== 'string') return store?.listener ?? null;
  const place = parseStoreLocation(store);
  return place.kind === 'postgres' ? createPostgresListener(place) : null;
}

function toSealer(encryption: Encryption | null): Sealer | null {
  return encryption === null ? null : createSealer(encryption.keys, Date.now, 'tokens');
}

/** A follower's side of the relay through Postgres: listens on the channel of the chain. */

import type { TokenSubscriber } from '../contract/index.js';
import type { StoreListener } from '../store/index.js';
import { getChannelName, parsePayload } from './postgres-channel.js';
import type { PostgresRelayOptions } from './postgres-publisher.js';

export function createPostgresSubscriber(
  listener: StoreListener,
  { namespaceId, sealer }: PostgresRelayOptions,
): TokenSubscriber {
  return {
    subscribe: (chainId, receive) =>
      listener.listen(getChannelName(namespaceId, chainId), (payload) => {
        const piece = parsePayload(payload, chainId, sealer);
        if (piece !== null) receive(piece);
      }),
  };
}

/** Streams of chains without the checks of a gateway. */

import { resolveChainSource } from '../../src/client/read/chain-source.js';
import type { ChainHandle, Longhand } from '../../src/entries/client.js';
import { createViewer } from '../../src/entries/view.js';
import { createStreams, type StreamRequest, type StreamsOptions } from '../../src/gateway/streams/streams.js';

export interface TestStreams {
  /** Default: all events, as a developer, from the start. */
  readonly open: (chain: ChainHandle, more?: Partial<StreamRequest>) => Promise<Response>;
  /** Number of open streams. */
  readonly count: () => number;
  readonly close: () => Promise<void>;
}

export function createTestStreams(longhand: Longhand, options: Partial<StreamsOptions> = {}): TestStreams {
  const streams = createStreams({ longhand, visibility: {}, ...options });
  let count = 0;
  return {
    open: async (chain, more = {}) => {
      const response = await streams.open({
        chain,
        source: await resolveChainSource(longhand.client, chain.chainId),
        viewer: createViewer('developer'),
        format: 'events',
        tokens: false,
        interim: false,
        children: false,
        lastEventId: null,
        signal: new AbortController().signal,
        onDropped: () => {},
        ...more,
        onClosed: () => {
          count -= 1;
          more.onClosed?.();
        },
      });
      if (response.body !== null) count += 1;
      return response;
    },
    count: () => count,
    close: streams.close,
  };
}

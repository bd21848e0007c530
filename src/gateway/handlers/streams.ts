/** Handlers of operations that follow a chain. */

import type { chainOperations } from '../../http/operations/chains.js';
import type { Handlers } from '../request/handler.js';

type StreamHandlers = Pick<Handlers<typeof chainOperations>, 'followChain' | 'followReasoning'>;

export const streamHandlers: StreamHandlers = {
  followChain: async ({ query: { as, tokens, interim, children, lastEventId }, headers }, context) =>
    context.streams.open({
      ...{
        chain: context.chain.handle,
        source: context.chain.source,
        visibility: context.visibility,
        signal: context.signal,
      },
      onClosed: context.onStreamClosed,
      viewer: await context.toViewer(as),
      ...{ format: 'events', tokens, interim, children },
      lastEventId: headers['last-event-id'] ?? lastEventId ?? null,
    }),

  followReasoning: async ({ query: { as, lastEventId }, headers }, context) =>
    context.streams.open({
      ...{
        chain: context.chain.handle,
        source: context.chain.source,
        visibility: context.visibility,
        signal: context.signal,
      },
      onClosed: context.onStreamClosed,
      viewer: await context.toViewer(as),
      ...{ format: 'reasoning', tokens: false, interim: false, children: false },
      lastEventId: headers['last-event-id'] ?? lastEventId ?? null,
    }),
};

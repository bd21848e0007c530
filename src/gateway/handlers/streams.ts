/** Handlers of operations that follow a chain. */

import type { chainOperations } from '../../http/index.js';
import type { HandlerContext, Handlers } from '../request/handler.js';
import type { StreamRequest } from '../streams/streams.js';

type FollowOperations = Pick<typeof chainOperations, 'followChain' | 'followReasoning'>;

export const streamHandlers: Handlers<FollowOperations> = {
  followChain: ({ query: { tokens, interim, children, ...query }, headers }, context) =>
    openStream(context, { ...query, headers }, { format: 'events', tokens, interim, children }),

  followReasoning: ({ query, headers }, context) =>
    openStream(context, { ...query, headers }, { format: 'reasoning', tokens: false, interim: false, children: false }),
};

interface FollowInput {
  readonly as?: string | undefined;
  readonly lastEventId?: string | undefined;
  /** Its id has priority: a browser sends that of the last event it got. */
  readonly headers: { readonly 'last-event-id'?: string | undefined };
}

async function openStream(
  {
    chain,
    streams,
    signal,
    onStreamClosed,
    onStreamDropped,
    toViewer,
  }: HandlerContext<FollowOperations['followChain']>,
  { as, lastEventId, headers }: FollowInput,
  streamOptions: Pick<StreamRequest, 'format' | 'tokens' | 'interim' | 'children'>,
): Promise<Response> {
  return streams.open({
    ...streamOptions,
    chain: chain.handle,
    source: chain.source,
    signal,
    onClosed: onStreamClosed,
    onDropped: (reason, error) => onStreamDropped(reason, chain.chainId, error),
    viewer: await toViewer(as),
    lastEventId: headers['last-event-id'] ?? lastEventId ?? null,
  });
}

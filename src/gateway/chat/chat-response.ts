/** A chain as the stream of a chat protocol. */

import { createLinkedAbort } from '../../client/index.js';
import type { Viewer } from '../../core/view/index.js';
import type { RequestContext } from '../request/context.js';
import { formatJsonFrame, formatTextFrame } from '../streams/sse.js';
import { createSseResponse } from '../streams/sse-response.js';
import type { ChatChain } from './chat-chains.js';
import { type ChatEncoder, encodeChat } from './chat-encoder.js';
import type { Decider } from './decidable.js';
import { followChat, readOpenRequests } from './follow-chat.js';

export interface ChatStreamOptions<Frame> {
  readonly chain: ChatChain;
  readonly viewer: Viewer;
  readonly decider: Decider;
  /** See `FollowChatOptions`. */
  readonly decidedKeys: ReadonlySet<string>;
  readonly encoder: ChatEncoder<Frame>;
  /** See `encodeChat`. */
  readonly clientCalls: ReadonlySet<string> | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text of the last frame; absent for none. */
  readonly lastFrame?: string;
}

/** The stream ends when the gateway stops: its client continues at another one. */
export function streamChat<Frame>(context: ChatStreamContext, options: ChatStreamOptions<Frame>): Response {
  const { signal, abort, unlink } = createLinkedAbort(context.signal, context.closing);
  return createSseResponse(toFrames(context, options, signal), {
    signal,
    headers: options.headers ?? {},
    // The protocols reject frames that they do not know.
    dropFrame: 'none',
    onDropped: (reason, error) => context.onStreamDropped(reason, options.chain.chainId, error),
    onClosed: () => {
      unlink();
      abort();
      context.onStreamClosed();
    },
  });
}

type ChatStreamContext = Pick<
  RequestContext,
  'longhand' | 'visibility' | 'signal' | 'closing' | 'onStreamDropped' | 'onStreamClosed'
>;

async function* toFrames<Frame>(
  { longhand, visibility, onStreamDropped }: ChatStreamContext,
  { chain, viewer, decider, decidedKeys, encoder, clientCalls, lastFrame }: ChatStreamOptions<Frame>,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  const { handle, user, chainId } = chain;
  const readRequests = () => readOpenRequests(longhand.client, chainId);
  const parts = followChat({ chain: handle, readRequests, user, viewer, visibility, decider, decidedKeys, signal });
  try {
    for await (const frames of encodeChat(parts, encoder, clientCalls)) yield toText(frames);
  } catch (error) {
    if (signal.aborted) return;
    onStreamDropped('failed', chainId, error);
    yield toText(encoder.fail('The stream of the chain failed. Connect again: the chain continues.'));
  }
  if (lastFrame !== undefined) yield formatTextFrame(lastFrame);
}

function toText(frames: readonly unknown[]): string {
  return frames.map((frame) => formatJsonFrame(frame)).join('');
}

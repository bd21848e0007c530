/** A chain as the stream of a chat protocol. */

import type { Viewer } from '../../core/view/visibility.js';
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
  readonly decided: ReadonlySet<string>;
  readonly encoder: ChatEncoder<Frame>;
  /** See `encodeChat`. */
  readonly shown: ReadonlySet<string> | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Text of the last frame; absent for none. */
  readonly lastFrame?: string;
  /** Aborted when the gateway stops: the stream ends, and its client continues at another one. */
  readonly closing?: AbortSignal;
  /** Called when a stream fails: a fault of ours, or of Temporal. */
  readonly onFailed?: (error: unknown, chainId: string) => void;
}

export function streamChat<Frame>(context: RequestContext, options: ChatStreamOptions<Frame>): Response {
  const { closing, headers = {} } = options;
  const signal = closing === undefined ? context.signal : AbortSignal.any([context.signal, closing]);
  return createSseResponse(toFrames(context, options, signal), {
    ...{ signal, headers },
    onClosed: context.onStreamClosed,
  });
}

async function* toFrames<Frame>(
  { longhand, visibility }: Pick<RequestContext, 'longhand' | 'visibility'>,
  { chain, viewer, decider, decided, encoder, shown, lastFrame, onFailed }: ChatStreamOptions<Frame>,
  signal: AbortSignal,
): AsyncGenerator<string, void> {
  const { handle, user, chainId } = chain;
  const readRequests = () => readOpenRequests(longhand.client, chainId);
  const parts = followChat({ chain: handle, readRequests, user, viewer, visibility, decider, decided, signal });
  try {
    for await (const frames of encodeChat(parts, encoder, shown)) yield toText(frames);
  } catch (error) {
    if (signal.aborted) return;
    onFailed?.(error, chainId);
    yield toText(encoder.fail('The stream of the chain failed. Connect again: the chain continues.'));
  }
  if (lastFrame !== undefined) yield formatTextFrame(lastFrame);
}

function toText(frames: readonly unknown[]): string {
  return frames.map((frame) => formatJsonFrame(frame)).join('');
}

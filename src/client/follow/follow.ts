/** A chain as it goes on: what its history tells, and, when asked for, what the model is saying at this moment. */

import type { TokenChannel } from '../../contract/tokens.js';
import type { ChainResult } from '../../core/engine/result.js';
import { computeClosedResult } from '../../core/record/closed-result.js';
import type { ChainEntry } from '../../core/state/entry.js';
import type { ChildStatus } from '../../core/view/child-status.js';
import type { ReadChain } from '../read/chain-pages.js';
import type { ChainSource } from '../read/chain-source.js';
import {
  type EventPosition,
  type FollowedEntry,
  followChain,
  followPageEvents,
  type PageOrUpdate,
  type PositionedUpdate,
} from '../read/read-chain.js';
import { followTree, type SubChainUpdate } from './follow-tree.js';
import { mergeTokens } from './merge-token-stream.js';

/** What a follower is told, in order. `runId`, `eventId` and `item` say where it stands. */
export type ChainEvent = EventPosition & {
  /** True for what is not final: it will be told again, as it then is, once a workflow task has taken it. */
  readonly provisional: boolean;
} & (
    | ChainEntry
    /**
     * A piece of the reply that `step` will hold. Only with `tokens`; forgotten once the step is told, or another `call`
     * speaks of the same step: the one before has failed.
     */
    | { readonly type: 'token'; readonly step: number; readonly call: string; readonly text: string }
    /** What a sub-chain is at, each time that it has changed, however deep it is. Only with `children`. */
    | { readonly type: 'sub-chain-changed'; readonly child: ChildStatus }
    | { readonly type: 'chain-ended'; readonly result: ChainResult }
  );

export interface FollowOptions {
  /**
   * Goes on after an event that was seen: neither a gap nor a repeat. Without `item`, after all that came of the same
   * workflow task. Default: from the start.
   */
  readonly from?: Pick<EventPosition, 'runId' | 'eventId'> & { readonly item?: number };
  /** Whether to be told of what no workflow task has taken yet, some milliseconds sooner. Default false. */
  readonly provisional?: boolean;
  /** Whether to be told what the model says while it speaks, as far as the channel of `connect` carries it. Default false. */
  readonly tokens?: boolean;
  /** Whether to be told what sub-chains are at while they run. That one begins and ends is told always. Default false. */
  readonly children?: boolean;
  /**
   * Ends the following also while it waits; it then throws the signal's reason. Nothing else ends the waiting for a server
   * that is away.
   */
  readonly signal?: AbortSignal;
}

export async function* follow(
  source: ChainSource,
  channel: TokenChannel | null,
  { tokens = false, ...options }: FollowOptions = {},
): AsyncGenerator<ChainEvent, void> {
  yield* tokens && channel !== null ? followWithTokens(source, channel, options) : followHistoryEvents(source, options);
}

async function* followHistoryEvents(source: ChainSource, options: FollowOptions): AsyncGenerator<ChainEvent, void> {
  const { signal, children } = options;
  const events: AsyncIterable<PageOrUpdate<SubChainUpdate>> = children
    ? followTree(source, signal)
    : followPageEvents(source, signal);
  const followed = followChain(source, options, events);
  for (let next = await followed.next(); ; next = await followed.next()) {
    if (!next.done) {
      yield toEvent(next.value);
      continue;
    }
    const { from } = options;
    const { runId, eventId, closed } = next.value;
    const seen = from?.runId === runId && from.eventId >= eventId;
    if (closed !== null && !seen) yield toEndEvent(next.value);
    return;
  }
}

function toEvent(told: FollowedEntry | PositionedUpdate<SubChainUpdate>): ChainEvent {
  if ('update' in told)
    return { ...told.position, provisional: true, type: 'sub-chain-changed', child: told.update.child };
  const { position, provisional, entry } = told;
  return { ...position, provisional, ...entry };
}

function toEndEvent(read: ReadChain): ChainEvent {
  const { runId, eventId } = read;
  return { runId, eventId, item: 0, provisional: false, type: 'chain-ended', result: computeClosedResult(read) };
}

/** A piece that comes after its step has been told is late, and not told. */
async function* followWithTokens(
  source: ChainSource,
  channel: TokenChannel,
  options: FollowOptions,
): AsyncGenerator<ChainEvent, void> {
  const { chainId, runId } = source;
  let place: EventPosition = { runId, eventId: 0, item: 0 };
  let steps = 0;
  const tell = (signal: AbortSignal) => followHistoryEvents(source, { ...options, signal });
  for await (const next of mergeTokens(tell, { channel, chainId, signal: options.signal })) {
    if (next.kind === 'token') {
      const { step, call, text } = next.piece;
      if (step > steps) yield { ...place, provisional: true, type: 'token', step, call, text };
      continue;
    }
    const event = next.event;
    if (event.type === 'step-added') steps = Math.max(steps, event.step.number);
    place = { runId: event.runId, eventId: event.eventId, item: event.item };
    yield event;
  }
}

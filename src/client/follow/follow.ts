/** Follows a chain: its entries from the history, and on request tokens of the model and interim results of calls. */

import type { TokenSubscriber } from '../../contract/index.js';
import type { ChainEntry } from '../../core/engine/index.js';
import { type AttemptFailure, hasResult } from '../../core/model/index.js';
import { computeClosedResult } from '../../core/record/index.js';
import type { ChainSource } from '../read/chain-source.js';
import {
  type EventPosition,
  type FollowedChain,
  type FollowedEntry,
  followChain,
  followPageEvents,
  type PageOrUpdate,
  type PositionedUpdate,
} from '../read/read-chain.js';
import type { FollowEvent } from './event.js';
import { followTree, type SubChainUpdate } from './follow-tree.js';
import { type LiveOptions, mergeTokens } from './merge-token-stream.js';

export interface FollowOptions {
  /**
   * Continues after an event, without gap or repeat. Without `item`, after all events of the same workflow task.
   * Default: from the start.
   */
  readonly from?: Pick<EventPosition, 'runId' | 'eventId'> & { readonly item?: number };
  /** Whether to emit facts that no workflow task has applied yet, some milliseconds sooner. Default false. */
  readonly provisional?: boolean;
  /** Whether to emit tokens while the model replies, from all workers that this client reaches. Default false. */
  readonly tokens?: boolean;
  /** Whether to emit the interim results of running calls, from the same workers. Default false. */
  readonly interim?: boolean;
  /** Whether to emit the status of running sub-chains. Their start and end are always emitted. Default false. */
  readonly children?: boolean;
  /**
   * Ends following, also while it waits, and throws the signal's reason. Nothing else ends the wait for an unreachable
   * server.
   */
  readonly signal?: AbortSignal;
}

export async function* follow(
  source: ChainSource,
  channel: TokenSubscriber | null,
  { tokens = false, interim = false, ...options }: FollowOptions = {},
): AsyncGenerator<FollowEvent, void> {
  const isLive = (tokens || interim) && channel !== null;
  yield* isLive
    ? followLive(source, { channel, live: { tokens, interim } }, options)
    : followHistoryEvents(source, options);
}

async function* followHistoryEvents(source: ChainSource, options: FollowOptions): AsyncGenerator<FollowEvent, void> {
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
    const { read, endEventId } = next.value;
    const isAtEnd = from?.runId === read.runId && from.eventId >= endEventId;
    if (read.closed !== null && !isAtEnd) yield toEndEvent(source.chainId, next.value);
    return;
  }
}

function toEvent(followed: FollowedEntry | PositionedUpdate<SubChainUpdate>): FollowEvent {
  if ('update' in followed)
    return { ...followed.position, provisional: true, type: 'sub-chain-changed', child: followed.update.child };
  const { position, provisional, entry, attempts } = followed;
  return { ...position, provisional, ...entry, ...findFailure(entry, attempts) };
}

function findFailure(entry: ChainEntry, attempts: FollowedEntry['attempts']): { readonly failure?: AttemptFailure } {
  const call = findFailedCall(entry);
  const failure = (call === null ? null : attempts.get(call)?.lastFailure) ?? null;
  return failure === null ? {} : { failure };
}

/** Returns the call that failed, or whose outcome is unknown because its tool failed. */
function findFailedCall(entry: ChainEntry): string | null {
  if (entry.type === 'call-completed') return hasResult(entry.result.status) ? null : entry.result.call;
  return entry.type === 'request-opened' && entry.request.kind === 'outcome' ? entry.call : null;
}

function toEndEvent(chainId: string, { read, endEventId }: FollowedChain): FollowEvent {
  return {
    chainId,
    runId: read.runId,
    eventId: endEventId,
    item: 0,
    provisional: false,
    type: 'chain-ended',
    result: computeClosedResult(read),
  };
}

/** Emits history events and pieces. Drops tokens that arrive after their step, and interim results after their call. */
async function* followLive(
  source: ChainSource,
  { channel, live }: { readonly channel: TokenSubscriber; readonly live: LiveOptions },
  options: FollowOptions,
): AsyncGenerator<FollowEvent, void> {
  const { chainId, runId } = source;
  let position: EventPosition = { chainId, runId, eventId: 0, item: 0 };
  let steps = 0;
  /** Calls of the last step that have ended. */
  const ended = new Set<string>();
  const openEvents = (signal: AbortSignal) => followHistoryEvents(source, { ...options, signal });
  for await (const next of mergeTokens(openEvents, { channel, chainId, signal: options.signal, live })) {
    if (next.kind === 'token') {
      const { step, call, text, missing } = next.piece;
      if (step > steps) yield { ...position, provisional: true, type: 'token', step, call, text, missing };
      continue;
    }
    if (next.kind === 'interim') {
      const { step, call, tool, attempt, interim } = next.piece;
      if (step < steps || ended.has(call)) continue;
      yield { ...position, provisional: true, type: 'interim-result', step, call, tool, attempt, interim };
      continue;
    }
    const event = next.event;
    if (event.type === 'step-added') {
      steps = Math.max(steps, event.step.number);
      ended.clear();
    }
    if (event.type === 'call-completed') ended.add(event.result.call);
    position = { chainId, runId: event.runId, eventId: event.eventId, item: event.item };
    yield event;
  }
}

/** A chain as it goes on: what its history tells, and, when asked for, what the model is saying at this moment. */

import type { SpokenPiece, TokenChannel } from '../contract/tokens.js';
import type { Entry } from '../core/entry.js';
import type { ChainResult } from '../core/result.js';
import { type ChainSource, type Followed, followChain, type Position, type ReadChain } from './read-chain.js';
import { resultOfRead } from './result-of-read.js';

/** What a follower is told, in order. `runId`, `eventId` and `item` say where it stands. */
export type ChainEvent = Position & {
  /** True for what is not final: it will be told again, as it then is, once a workflow task has taken it. */
  readonly provisional: boolean;
} & (
    | Entry
    /** A piece of the reply that `step` will hold. Only with `tokens`; forgotten once the step is told. */
    | { readonly type: 'spoken'; readonly step: number; readonly text: string }
    | { readonly type: 'ended'; readonly result: ChainResult }
  );

export interface FollowOptions {
  /**
   * Goes on after an event that was seen: neither a gap nor a repeat. Without `item`, after all that came of the same
   * workflow task. Default: from the start.
   */
  readonly from?: Pick<Position, 'runId' | 'eventId'> & { readonly item?: number };
  /** Whether to be told of what no workflow task has taken yet, some milliseconds sooner. Default false. */
  readonly provisional?: boolean;
  /** Whether to be told what the model says while it speaks, as far as the channel of `connect` carries it. Default false. */
  readonly tokens?: boolean;
  /** Ends the following also while it waits; it then throws the signal's reason. */
  readonly signal?: AbortSignal;
}

export async function* follow(
  source: ChainSource,
  channel: TokenChannel | null,
  { tokens = false, ...options }: FollowOptions = {},
): AsyncGenerator<ChainEvent, void> {
  const told = toldBy(source, options);
  yield* tokens && channel !== null ? withSpoken(source, channel, told) : told;
}

async function* toldBy(source: ChainSource, options: FollowOptions): AsyncGenerator<ChainEvent, void> {
  const followed = followChain(source, options);
  for (let next = await followed.next(); ; next = await followed.next()) {
    if (!next.done) {
      yield eventOf(next.value);
      continue;
    }
    const { from } = options;
    const seen = from?.runId === source.runId && from.eventId >= next.value.eventId;
    if (next.value.closed !== null && !seen) yield endOf(source, next.value);
    return;
  }
}

function eventOf({ position, provisional, entry }: Followed): ChainEvent {
  return { ...position, provisional, ...entry };
}

function endOf({ runId }: ChainSource, read: ReadChain): ChainEvent {
  return { runId, eventId: read.eventId, item: 0, provisional: false, type: 'ended', result: resultOfRead(read) };
}

/** Both at once, each as it comes. A piece that comes after its step has been told is late, and not told. */
async function* withSpoken(
  { chainId, runId }: ChainSource,
  channel: TokenChannel,
  told: AsyncGenerator<ChainEvent, void>,
): AsyncGenerator<ChainEvent, void> {
  const heard: SpokenPiece[] = [];
  let wake = () => {};
  const stop = channel.subscribe(chainId, (piece) => {
    heard.push(piece);
    wake();
  });
  let place: Position = { runId, eventId: 0, item: 0 };
  let steps = 0;
  try {
    for (let next = told.next(); ; ) {
      const spoken = new Promise<'spoken'>((resolve) => {
        wake = () => resolve('spoken');
      });
      const first = heard.length > 0 ? 'spoken' : await Promise.race([next, spoken]);
      if (first === 'spoken') {
        for (const { step, text } of heard.splice(0)) {
          if (step > steps) yield { ...place, provisional: true, type: 'spoken', step, text };
        }
        continue;
      }
      if (first.done) return;
      if (first.value.type === 'step') steps = Math.max(steps, first.value.step.number);
      place = { runId: first.value.runId, eventId: first.value.eventId, item: first.value.item };
      yield first.value;
      next = told.next();
    }
  } finally {
    stop();
  }
}

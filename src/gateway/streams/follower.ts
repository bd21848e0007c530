/**
 * One follower of a hub: hands out the frames after its place, each once, from the log or from a watch of its own.
 *
 * An iterator by hand, not a generator: `return` ends it while it waits, so that a client that has gone holds nothing.
 */

import type { Hub } from './hub.js';
import { toRunPosition } from './hub.js';
import type { RunPosition } from './position-id.js';
import { createReplay, type Replay } from './replay.js';

export interface FollowerOptions {
  /** Null from the start. */
  readonly from: RunPosition | null;
  /** The first bytes. */
  readonly opening: Uint8Array;
  /** The last bytes, where the stream is handed over. */
  readonly closing: Uint8Array;
}

const done = { done: true, value: undefined } as const;

type Phase = 'opening' | 'following' | 'handing-over' | 'over';

export class Follower implements AsyncIterableIterator<Uint8Array> {
  private phase: Phase = 'opening';
  /** Of the last recorded frame. */
  private position: RunPosition | null;
  /** The place in the log; null if unknown. */
  private sequence: number | null = null;
  private replay: Replay | null = null;
  private wake = () => {};

  /** @param hub which the caller has entered; the follower leaves it at its end */
  constructor(
    private readonly hub: Hub,
    private readonly options: FollowerOptions,
  ) {
    this.position = options.from;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.phase === 'opening') {
      this.phase = 'following';
      return { done: false, value: this.options.opening };
    }
    while (this.phase === 'following') {
      const bytes = this.replay === null ? this.readLog() : await this.readReplay(this.replay);
      if (bytes !== null) return { done: false, value: bytes };
      if (this.phase === 'following' && this.replay === null && !this.canContinue()) await this.waitForChange();
    }
    if (this.phase === 'over') return done;
    this.end();
    return { done: false, value: this.options.closing };
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.end();
    return done;
  }

  /** Ends the stream with its closing bytes. */
  handOver(): void {
    if (this.phase === 'over') return;
    this.phase = 'handing-over';
    this.replay?.stop();
    this.wake();
  }

  /** Returns null if nothing can be read now, or the follower has another place now. */
  private readLog(): Uint8Array | null {
    const { log, state } = this.hub;
    if (this.sequence === null || !log.keepsAfter(this.sequence)) {
      const place = log.locate(this.position);
      if (place.kind === 'evicted') this.replay = createReplay(this.hub, this.position);
      this.sequence = place.kind === 'kept' ? place.sequence : null;
    }
    const frame = this.sequence === null ? null : log.findAfter(this.sequence);
    if (frame !== null) {
      this.sequence = frame.sequence;
      this.position = frame.position ?? this.position;
      return frame.bytes;
    }
    if (this.replay !== null || state.kind === 'running') return null;
    this.end();
    if (state.kind === 'failed') throw state.error;
    return null;
  }

  private async readReplay(replay: Replay): Promise<Uint8Array | null> {
    const frame = await replay.next().catch((error: unknown) => {
      if (this.phase !== 'following') return null;
      this.end();
      throw error;
    });
    if (this.phase !== 'following') return null;
    if (frame === null) {
      // The watch has ended with the chain.
      this.end();
      return null;
    }
    this.position = frame.position === null ? this.position : toRunPosition(frame.position);
    if (this.hub.log.locate(this.position).kind !== 'evicted') {
      replay.stop();
      this.replay = null;
      this.sequence = null;
    }
    return frame.bytes;
  }

  /** Whether the hub has changed since the follower looked. */
  private canContinue(): boolean {
    const { log, state } = this.hub;
    if (state.kind !== 'running') return true;
    return this.sequence === null
      ? log.locate(this.position).kind !== 'ahead'
      : !log.keepsAfter(this.sequence) || log.findAfter(this.sequence) !== null;
  }

  private async waitForChange(): Promise<void> {
    await new Promise<void>((resolve) => {
      const forget = this.hub.onChange(resolve);
      this.wake = () => {
        forget();
        resolve();
      };
    });
    this.wake = () => {};
  }

  private end(): void {
    if (this.phase === 'over') return;
    this.phase = 'over';
    this.replay?.stop();
    this.wake();
    this.hub.leave();
  }
}

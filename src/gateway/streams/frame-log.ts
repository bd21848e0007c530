/**
 * The newest frames of a watched chain, within a limit of bytes. Followers read them at their own pace, each from its place.
 *
 * A frame that is not recorded is removed when a later one replaces it: a follower gets less of what is out of date.
 */

import type { Frame, Topic } from './frame.js';
import type { RunPosition } from './position-id.js';

export interface LoggedFrame extends Omit<Frame, 'replaces'> {
  /** Rises from frame to frame. */
  readonly sequence: number;
}

/** Where a position is. */
export type LogPlace =
  /** The frames after this sequence follow it. */
  | { readonly kind: 'kept'; readonly sequence: number }
  /** Frames after it are no longer kept. */
  | { readonly kind: 'evicted' }
  /** It is later than all frames so far. */
  | { readonly kind: 'ahead' };

export class FrameLog {
  private frames: LoggedFrame[] = [];
  private bytes = 0;
  private next = 0;
  /** In their order. */
  private readonly runs = new Map<string, number>();
  private newest: RunPosition | null = null;
  /** The newest frame that is no longer kept, and the newest recorded one. */
  private evicted: { readonly sequence: number; readonly position: RunPosition | null } = {
    sequence: -1,
    position: null,
  };

  /** @param getLimit bytes; the newest frame is kept regardless of its size */
  constructor(private readonly getLimit: () => number) {}

  /** Adds the frame of an event; null if the format has none. */
  append(frame: Frame | null, position: RunPosition | null): void {
    if (position !== null) {
      const { runId } = position;
      if (!this.runs.has(runId)) this.runs.set(runId, this.runs.size);
      this.newest = position;
    }
    if (frame === null) return;
    const { replaces, ...rest } = frame;
    if (replaces !== null) this.remove(replaces);
    this.frames.push({ ...rest, sequence: this.next });
    this.next += 1;
    this.bytes += rest.bytes.byteLength;
    this.evict();
  }

  /** Removes the oldest frames that exceed the limit. */
  evict(): void {
    const limit = this.getLimit();
    while (this.bytes > limit && this.frames.length > 1) {
      const oldest = this.frames.shift();
      if (oldest === undefined) return;
      this.bytes -= oldest.bytes.byteLength;
      this.evicted = { sequence: oldest.sequence, position: oldest.position ?? this.evicted.position };
    }
  }

  /** Returns the first frame after a sequence; null for none yet. */
  findAfter(sequence: number): LoggedFrame | null {
    const last = this.frames.at(-1);
    if (last === undefined || last.sequence <= sequence) return null;
    let low = 0;
    for (let high = this.frames.length - 1; low < high; ) {
      const middle = (low + high) >>> 1;
      if ((this.frames[middle]?.sequence ?? 0) > sequence) high = middle;
      else low = middle + 1;
    }
    return this.frames[low] ?? null;
  }

  /** Whether all frames after a sequence are still kept, except replaced ones. */
  keepsAfter(sequence: number): boolean {
    return sequence >= this.evicted.sequence;
  }

  /** @param position null for the start */
  locate(position: RunPosition | null): LogPlace {
    const { evicted, newest } = this;
    const floor: LogPlace = { kind: 'kept', sequence: evicted.sequence };
    if (position === null) return evicted.position === null ? floor : { kind: 'evicted' };
    if (newest === null || !this.runs.has(position.runId) || this.compare(position, newest) > 0)
      return { kind: 'ahead' };
    if (evicted.position !== null && this.compare(position, evicted.position) < 0) return { kind: 'evicted' };
    const before = this.frames.findLast(
      (frame) => frame.position !== null && this.compare(frame.position, position) <= 0,
    );
    return before === undefined ? floor : { kind: 'kept', sequence: before.sequence };
  }

  hasRun(runId: string): boolean {
    return this.runs.has(runId);
  }

  /** Returns a number below 0 for a position before the other. A run without events so far is after the others. */
  compare(one: RunPosition, other: RunPosition): number {
    const order = ({ runId }: RunPosition) => this.runs.get(runId) ?? this.runs.size;
    return order(one) - order(other) || one.eventId - other.eventId || one.item - other.item;
  }

  private remove(isReplaced: (topic: Topic) => boolean): void {
    const stays = ({ topic }: LoggedFrame) => topic === null || !isReplaced(topic);
    if (this.frames.every(stays)) return;
    this.frames = this.frames.filter(stays);
    this.bytes = this.frames.reduce((sum, { bytes }) => sum + bytes.byteLength, 0);
  }
}

/**
 * One watch of a chain, shared by all its followers with the same view. It runs while it has followers, and a little longer.
 *
 * Its log is bounded. A follower whose place is no longer in the log reads on by a watch of its own until it is.
 */

import type { WatchEvent } from '../../client/index.js';
import { type Format, isRecorded } from './frame.js';
import { FrameLog } from './frame-log.js';
import type { RunPosition } from './position-id.js';

/** The chain, as the followers of a hub see it. */
export interface HubChain {
  /** The newest run when the hub was opened. */
  readonly runId: string;
  /** With all that the followers requested. */
  readonly watch: (signal: AbortSignal) => AsyncIterable<WatchEvent>;
  /** Recorded events alone, after a position. */
  readonly replay: (from: RunPosition | null, signal: AbortSignal) => AsyncIterable<WatchEvent>;
}

export interface HubOptions {
  readonly format: Format;
  readonly getLogLimit: () => number;
  /** Milliseconds that a hub without followers stays open. */
  readonly lingerMs: number;
  /** Called when the hub takes no more followers; possibly twice. */
  readonly onStopped: () => void;
}

export type HubState =
  | { readonly kind: 'running' }
  /** The chain has ended: the log has its last event. */
  | { readonly kind: 'ended' }
  | { readonly kind: 'failed'; readonly error: unknown };

export class Hub {
  readonly log: FrameLog;
  readonly format: Format;
  /** The last run that the hub has reached, or was opened for. */
  lastRunId: string;
  state: HubState = { kind: 'running' };
  private followers = 0;
  private linger: NodeJS.Timeout | undefined;
  private readonly ending = new AbortController();
  private readonly waiting = new Set<() => void>();
  private hasReachedNewest = false;

  constructor(
    readonly chain: HubChain,
    private readonly options: HubOptions,
  ) {
    this.format = options.format;
    this.log = new FrameLog(options.getLogLimit);
    this.lastRunId = chain.runId;
    void this.read();
  }

  enter(): void {
    clearTimeout(this.linger);
    this.followers += 1;
  }

  leave(): void {
    this.followers -= 1;
    if (this.followers > 0) return;
    this.linger = setTimeout(() => this.stop(), this.options.lingerMs);
    this.linger.unref();
  }

  /** Calls `wake` once, when the log or the state has changed. @returns removes it */
  onChange(wake: () => void): () => void {
    this.waiting.add(wake);
    return () => this.waiting.delete(wake);
  }

  /** Resolves at a change, or after the time. */
  async waitForChange(timeoutMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const forget = this.onChange(() => {
        clearTimeout(timer);
        resolve();
      });
      const timer = setTimeout(() => {
        forget();
        resolve();
      }, timeoutMs);
    });
  }

  stop(): void {
    clearTimeout(this.linger);
    this.ending.abort();
    this.options.onStopped();
  }

  private async read(): Promise<void> {
    const format = this.format.create();
    try {
      for await (const event of this.chain.watch(this.ending.signal)) {
        this.enterRun(event.runId);
        this.log.append(format(event), isRecorded(event) ? toRunPosition(event) : null);
        this.wakeAll();
      }
      this.state = { kind: 'ended' };
    } catch (error) {
      this.state = { kind: 'failed', error };
      // The next follower gets a new hub.
      this.options.onStopped();
    }
    this.wakeAll();
  }

  /** Events of earlier runs arrive first. */
  private enterRun(runId: string): void {
    if (runId === this.chain.runId) this.hasReachedNewest = true;
    else if (this.hasReachedNewest) this.lastRunId = runId;
  }

  private wakeAll(): void {
    const wakes = [...this.waiting];
    this.waiting.clear();
    for (const wake of wakes) wake();
  }
}

export function toRunPosition({ runId, eventId, item }: RunPosition): RunPosition {
  return { runId, eventId, item };
}

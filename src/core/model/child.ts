/** A sub-chain as its parent knows it: while its call is open (`Child`), and for readers afterwards (`BegunChain`). */

import type { Json } from '../lib/json.js';
import type { Share } from './lineage.js';
import type { Usage } from './model.js';
import type { Outcome } from './stop-reason.js';

/** What a parent's budget is charged for a sub-chain and all below it. */
export interface ChildCharge {
  readonly tokens: number;
  /** US dollars; null where no cost was counted. */
  readonly usd: number | null;
  /** Milliseconds that it worked. */
  readonly timeMs: number;
  /** Itself included. */
  readonly chains: number;
  /** As the providers reported it. */
  readonly usage: Usage;
}

/** What a parent needs to know of a sub-chain that has ended. */
export interface ChildReport {
  /** `terminated` is seen from its history only. */
  readonly outcome: Outcome | 'terminated';
  /** As much of it as its parent is shown. */
  readonly answer: Json;
  /** What it had found, where it did not finish. */
  readonly partial: string | null;
  readonly reason: string;
  readonly steps: number;
  readonly charged: ChildCharge;
  /** Whether it, or one below it, has begun an unsafe call. */
  readonly hasUnsafeCalls: boolean;
  /** What was thought and done, where the parent is to see it. */
  readonly transcript?: string;
}

/** How a sub-chain ended, as its parent's history tells. */
export type ChildEnd =
  | { readonly type: 'reported'; readonly report: ChildReport }
  /** Its close says nothing of what it came to: its own history does. */
  | {
      readonly type: 'silent';
      readonly status: 'cancelled' | 'terminated' | 'timeout' | 'failed';
      readonly message: string;
    }
  /** A run of the parent before a reset began one of the same name. */
  | { readonly type: 'exists' }
  | { readonly type: 'not_started'; readonly message: string };

export type ChildProgress =
  /** Waits for its turn, or for the budget that others give back. */
  | 'queued'
  | 'ready'
  | 'running'
  /** Its own history is to be read, and is. */
  | 'unread'
  | 'reading'
  | 'ok'
  | 'failed';

export interface Child {
  readonly chainId: string;
  /** Its place among the tasks of its call, from 0; -1 for one that judges the others. */
  readonly index: number;
  /** From 1. */
  readonly attempt: number;
  readonly progress: ChildProgress;
  /** What is held for it until it is settled. */
  readonly share: Share | null;
  /** When it was begun, by the clock and by what its parent had worked until then; milliseconds. */
  readonly start: { readonly at: number; readonly workedMs: number } | null;
  /** What its parent's model is shown of it, once it has ended. */
  readonly observation: Json;
  /** What its close said, while its history is read for what it did. */
  readonly reported?: ChildReport;
  /** How its close was silent, while its history is read. */
  readonly silentEnd?: Extract<ChildEnd, { type: 'silent' }>;
  /** An earlier run of its parent had begun it. */
  readonly exists?: true;
}

/** Whether anything is still to come of it. */
export function hasEnded({ progress }: Child): boolean {
  return progress === 'ok' || progress === 'failed';
}

export interface StartedChain {
  readonly chainId: string;
  readonly agent: string;
  readonly task: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Null while its parent knows of no end. */
  readonly end: SubChainEnd | null;
}

export interface SubChainEnd {
  readonly at: number;
  /** `terminated` also where it said nothing; `not_begun` where the server did not start it. */
  readonly outcome: Outcome | 'terminated' | 'not_begun';
  /** Null where its parent was not told. */
  readonly steps: number | null;
  /** What it and all below it were charged; null where its parent was not told. */
  readonly charged: ChildCharge | null;
}

/** A sub-chain as its parent knows it: `Child` while its call is open, `StartedChain` for readers. */

import type { Json } from '../lib/index.js';
import type { Share } from './lineage.js';
import type { Usage } from './model.js';
import type { Outcome } from './stop-reason.js';

/** The charge to a parent's budget for a sub-chain and all below it. */
export interface ChildCharge {
  readonly tokens: number;
  /** US dollars; null if no cost was counted. */
  readonly usd: number | null;
  /** The part of `tokens` that models without a price used: `usd` does not contain its cost. Absent for none. */
  readonly unpricedTokens?: number;
  /** Milliseconds of work. */
  readonly timeMs: number;
  /** Chains started, the sub-chain itself included. */
  readonly chains: number;
  /** As the providers reported it. */
  readonly usage: Usage;
}

/** The end of a sub-chain, as its parent needs it. */
export interface ChildReport {
  /** `terminated` comes only from the sub-chain's history. */
  readonly outcome: Outcome | 'terminated';
  /** Clipped to what the parent's model may see. */
  readonly answer: Json;
  /** Findings of a sub-chain that did not finish. */
  readonly partial: string | null;
  readonly reason: string;
  readonly steps: number;
  readonly charged: ChildCharge;
  /** Whether it, or a chain below it, started an unsafe call. */
  readonly hasUnsafeCalls: boolean;
  /** Classes of the data that it has read. Absent for none. */
  readonly dataClasses?: readonly string[];
  /** Its thoughts and calls, where the parent's model sees them. */
  readonly transcript?: string;
}

/** How a sub-chain ended, as the parent's history records it. */
export type ChildEnd =
  | { readonly type: 'reported'; readonly report: ChildReport }
  /** The close carries no report: the sub-chain's own history has it. */
  | {
      readonly type: 'silent';
      readonly status: 'cancelled' | 'terminated' | 'timeout' | 'failed';
      readonly message: string;
    }
  /** A chain with this id exists: a run of the parent from before a reset started it. */
  | { readonly type: 'exists' }
  | { readonly type: 'not_started'; readonly message: string };

export type ChildProgress =
  /** Waits for its turn, or for budget that other sub-chains release. */
  | 'queued'
  | 'ready'
  | 'running'
  /** Ended without a report: its history must be read, or is being read. */
  | 'unread'
  | 'reading'
  | 'ok'
  | 'failed';

export interface Child {
  readonly chainId: string;
  /** Its position among the tasks of its call, from 0; -1 for the judge. */
  readonly index: number;
  /** Counted from 1. */
  readonly attempt: number;
  readonly progress: ChildProgress;
  /** The part of the parent's budget that is held until the sub-chain is settled. */
  readonly share: Share | null;
  /** Milliseconds: the clock, and the parent's worked time, when it was started. */
  readonly start: { readonly at: number; readonly workedMs: number } | null;
  /** What its parent's model sees of it, once it has ended. */
  readonly observation: Json;
  /** The report in its close, while its history is read for its steps. */
  readonly reported?: ChildReport;
  /** The close without a report, while its history is read. */
  readonly silentEnd?: Extract<ChildEnd, { type: 'silent' }>;
  /** Started by an earlier run of its parent. */
  readonly exists?: true;
}

/** Returns whether a sub-chain has ended and been settled. */
export function hasEnded({ progress }: Child): boolean {
  return progress === 'ok' || progress === 'failed';
}

export interface StartedChain {
  readonly chainId: string;
  readonly agent: string;
  readonly task: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Null while the parent knows no end. */
  readonly end: SubChainEnd | null;
}

export interface SubChainEnd {
  readonly at: number;
  /** `terminated` also where it left no report; `not_started` where the server did not start it. */
  readonly outcome: Outcome | 'terminated' | 'not_started';
  /** Null if the parent received no report. */
  readonly steps: number | null;
  /** The charge for it and all chains below it; null if the parent received no report. */
  readonly charged: ChildCharge | null;
}

/** The chain's next operations. `decide` computes actions, the workflow performs them. */

import type { Json } from '../lib/index.js';
import type { ChainInput, TimerName } from './fact.js';
import type { ModelCallPurpose, PendingCall } from './state.js';
import type { Reservation } from './usage.js';

export type Action =
  | { readonly type: 'prepare' }
  | {
      readonly type: 'callModel';
      readonly call: string;
      readonly purpose: ModelCallPurpose;
      readonly attempt: number;
      readonly reservation: Reservation;
      /** The models that it may use, the preferred one first. Absent for an agent with one model. */
      readonly models?: readonly string[];
      readonly timeoutMs: number;
    }
  | {
      readonly type: 'runCalls';
      readonly calls: readonly PendingCall[];
      /** Only where all of them are local calls (state/local-calls.ts). */
      readonly local?: true;
    }
  | ChildrenAction
  | { readonly type: 'startTimer'; readonly timer: TimerName; readonly ms: number }
  /** Of a wait that ended before its time. */
  | { readonly type: 'cancelTimer'; readonly timer: Extract<TimerName, 'retry' | 'wait'> }
  /** Cancels the operations under way. */
  | { readonly type: 'interrupt' }
  /** Starts the next run of the chain (engine/continue-as-new.ts). Like `end`, the only action of its workflow task. */
  | { readonly type: 'continueAsNew' }
  | { readonly type: 'end' };

export interface ChildStart {
  readonly chainId: string;
  readonly input: ChainInput;
}

export interface ChildReadTarget {
  readonly chainId: string;
  /** Whether the report has its thoughts and calls. */
  readonly includesTranscript: boolean;
  /** Most tokens of the report: no more than the close of the sub-chain would have carried. */
  readonly maxTokens: number;
}

/** An answer to score. */
export interface ScoreCandidate {
  readonly task: string;
  readonly answer: Json;
}

export type ChildrenAction =
  | { readonly type: 'startChildren'; readonly starts: readonly ChildStart[] }
  | { readonly type: 'readChildren'; readonly children: readonly ChildReadTarget[] }
  | {
      readonly type: 'score';
      readonly call: string;
      readonly tool: string;
      readonly candidates: readonly ScoreCandidate[];
    };

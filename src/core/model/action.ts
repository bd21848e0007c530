/** What a chain needs next. `decide` computes actions, the workflow performs them. */

import type { Json } from '../lib/json.js';
import type { ResultDetail } from './delegation.js';
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
      readonly timeoutMs: number;
    }
  | { readonly type: 'runCalls'; readonly calls: readonly PendingCall[] }
  | ChildrenAction
  | { readonly type: 'startTimer'; readonly timer: TimerName; readonly ms: number }
  /** Tell what is running to stop. */
  | { readonly type: 'interrupt' }
  /** Go on in a new run (engine/continue-as-new.ts): the only one of its task, as an end is. */
  | { readonly type: 'continueAsNew' }
  | { readonly type: 'end' };

export interface ChildStart {
  readonly chainId: string;
  readonly input: ChainInput;
}

export interface ChildReadTarget {
  readonly chainId: string;
  readonly sees: ResultDetail;
  /** Tokens of what it is read for: no more than a close would have carried. */
  readonly maxTokens: number;
}

/** An answer that is to be scored. */
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

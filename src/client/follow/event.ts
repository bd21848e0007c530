/**
 * Events of `follow` and `watch`, in order. Each type has one shape. `chainId`, `runId`, `eventId` and `item` are the
 * position.
 */

import type { ChainEntry, ChainResult } from '../../core/engine/index.js';
import type { AttemptFailure, InterimResult } from '../../core/model/index.js';
import type { ChildStatus, PlanView, ReasoningState, ReasoningView, StepView } from '../../core/view/index.js';
import type { EventPosition } from '../read/read-chain.js';

export type ChainEvent = FollowEvent | WatchEvent;

/** Events of `follow`: the entries of the chain as recorded, without redaction for a viewer. */
export type FollowEvent = EventPosition & {
  /** True until a workflow task has applied the fact: the event is then emitted again, in its final form. */
  readonly provisional: boolean;
} & (EntryEvent | LiveEvent | { readonly type: 'chain-ended'; readonly result: ChainResult });

/** An entry of the chain. */
export type EntryEvent =
  | Exclude<ChainEntry, CallEntry>
  /** `failure` is that of the last attempt, with the tool's stack, where the tool failed. */
  | (CallEntry & { readonly failure?: AttemptFailure });

type CallEntry = Extract<ChainEntry, { type: 'call-completed' | 'request-opened' }>;

/** Events of `watch`: what a viewer may see. */
export type WatchEvent = EventPosition &
  (
    | {
        /** First event, once the agent is known: the view's head, without steps. */
        readonly type: 'view-opened';
        readonly view: ReasoningView;
      }
    | {
        readonly type: 'step-changed';
        readonly step: StepView;
        readonly state: ReasoningState;
        /** Progress in a few lines; empty when the viewer wants none. */
        readonly progress: readonly string[];
        /** That the chain is unusually long, with the steps so far. Absent otherwise. */
        readonly warning?: string;
      }
    | LiveEvent
    /** The last event of each turn. Only with `turns`. */
    | {
        readonly type: 'turn-completed';
        readonly state: ReasoningState;
        /** Whether nothing runs until a person decides a request. */
        readonly awaitsPeople: boolean;
        /** Of this chain, without those below it. */
        readonly tokens: number;
        /** US dollars; null without a price. */
        readonly costUsd: number | null;
        /** Absent without a plan, and where the viewer may not see it. */
        readonly plan?: PlanView;
      }
    /** The complete view at the end of the chain. */
    | { readonly type: 'view-completed'; readonly view: ReasoningView }
  );

/** Events that are not recorded, except the start and the end of a sub-chain: both streams emit them. */
type LiveEvent =
  /**
   * A piece of the reply for `step`; for a viewer some words late. Only with `tokens`. Discard the pieces when the step
   * arrives, or when another `call` sends tokens for the same step: the previous call failed. `missing` is the number of
   * characters directly before `text` that were not received; a viewer whose view has masks then gets no more tokens of
   * that call.
   */
  | {
      readonly type: 'token';
      readonly step: number;
      readonly call: string;
      readonly text: string;
      readonly missing: number;
    }
  /**
   * The newest interim result of a running call: it replaces the one before. Only with `interim`, and only for a viewer
   * who may see the call's result in full. Null when the attempt has ended: discard the last one, as when the call ends.
   */
  | {
      readonly type: 'interim-result';
      readonly step: number;
      readonly call: string;
      readonly tool: string;
      readonly attempt: number;
      readonly interim: InterimResult | null;
    }
  /**
   * Changed status of a sub-chain at any depth. `watch` also emits its start and end; the rest only with `children`, from the
   * sub-chain's own history: then it is `provisional`, and a reader cannot continue from its position.
   */
  | { readonly type: 'sub-chain-changed'; readonly child: ChildStatus; readonly provisional?: true };

/** A chain as readers and strategies see it: its bounded state, and the steps it has taken. */

import type { Json } from '../lib/json.js';
import type { StartedChain } from './child.js';
import type { ReplyBlock, Usage } from './model.js';
import type { Notice } from './notice.js';
import type { Plan, PlanGuidance } from './plan.js';
import type { CallRequest } from './request.js';
import type { ChainState } from './state.js';
import type { StoredParts } from './stored-content.js';
import type { Reservation } from './usage.js';

export type CallStatus =
  /** Asked for; its result is not known yet. */
  | 'pending'
  | 'ok'
  /** It failed, or was refused before it ran: the model is told why. */
  | 'error'
  /** Answered from an earlier call with the same arguments. */
  | 'reused'
  /** Not run, because the chain ended first. */
  | 'not_run'
  /** Stopped by a cancel or the time limit. */
  | 'cancelled'
  /** Told to stop, and not heard of within the grace: it may still be running. */
  | 'abandoned'
  /** An effect that may or may not have happened. */
  | 'unknown'
  /** Not run, because a person said no, or nobody said yes in time. */
  | 'denied'
  /** Answered by a person: a question, in the tool's stead, or what a call in doubt came to. */
  | 'answered';

export interface Call extends StoredParts {
  /** Step and place: `3.1` is the first call of step 3. */
  readonly id: string;
  /** The provider's id of the call, or null in a text protocol. */
  readonly useId: string | null;
  readonly tool: string;
  readonly input: Json;
  readonly status: CallStatus;
  /** What the model is shown; null while pending. A reused call shows that of `reusedFrom`. */
  readonly observation: Json;
  /** Bytes of the whole observation where the model is shown a part. */
  readonly clippedFrom: number | null;
  /** Id of the call whose observation answers this one. */
  readonly reusedFrom: string | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** The arguments that the model asked for, where a person changed them. */
  readonly changedFrom?: Json;
  /** What people were asked about it, and said. Absent where they were not asked. */
  readonly requests?: readonly CallRequest[];
  /** Id of the task that it was made for. Absent where there is no plan. */
  readonly task?: string;
  /** The sub-chains that it began, in that order. Absent where it began none. */
  readonly chains?: readonly StartedChain[];
}

export interface Step {
  readonly number: number;
  readonly thought: string | null;
  /** In the order in which the model asked for them. */
  readonly calls: readonly Call[];
  readonly answer: Json;
  readonly problem: string | null;
  /** What the assistant said, as the conversation goes on with it. */
  readonly content: readonly ReplyBlock[];
  /** What was said before the provider paused the turn, if it did. */
  readonly pausedContent: readonly ReplyBlock[];
  /** Which call of the model said it, counted over the chain: what lies between two steps' were attempts and pauses. */
  readonly modelCall: number;
  readonly model: string;
  readonly usage: Usage;
  readonly costUsd: number | null;
  /** What its call was charged where the provider reported no plausible usage; absent otherwise. */
  readonly charged?: Reservation;
  readonly startedAt: number;
  readonly endedAt: number;
  /** The plan as the step left it. Absent where it left it as it was. */
  readonly plan?: Plan;
}

/** What a person said to the chain, for the model to hear. */
export interface PersonMessage {
  readonly text: string;
  /** Null for nobody in particular. */
  readonly by: string | null;
  /** The step behind which the model hears it. */
  readonly afterStep: number;
  readonly at: number;
}

export interface Chain {
  readonly state: ChainState;
  readonly steps: readonly Step[];
  readonly notices: readonly Notice[];
  readonly messages: readonly PersonMessage[];
  /** What a paused turn has said so far; goes before the next reply. */
  readonly pausedContent: readonly ReplyBlock[];
  /** What the model was told of its plan. */
  readonly guidance: readonly PlanGuidance[];
}

/** A chain as readers and strategies see it: its bounded state, and its steps. */

import type { Json } from '../lib/index.js';
import type { ModelCharge } from './call-cost.js';
import type { StartedChain } from './child.js';
import type { ReplyBlock, Usage } from './model.js';
import type { Notice } from './notice.js';
import type { Plan, PlanGuidance } from './plan.js';
import type { AnswerRepair } from './reading.js';
import type { CallRequest } from './request.js';
import type { AnsweringModel } from './routing.js';
import type { ChainState } from './state.js';
import type { StoredParts } from './stored-content.js';
import type { Reservation } from './usage.js';

export type CallStatus =
  /** Requested by the model; no result yet. */
  | 'pending'
  | 'ok'
  /** Failed, or rejected before it ran; the model sees why. */
  | 'error'
  /** Answered from an earlier call with the same arguments. */
  | 'reused'
  /** Not run, because the chain ended first. */
  | 'not_run'
  /** Stopped by a cancel or the time limit. */
  | 'cancelled'
  /** Cancelled, but not ended within the grace: it may still be running. */
  | 'abandoned'
  /** The effect may or may not have happened. */
  | 'unknown'
  /** Not run: a person denied it, or the approval expired. */
  | 'denied'
  /** Not run: the tool requires a role that the chain does not have. */
  | 'not_permitted'
  /** Answered by a person: a question, instead of the tool, or the outcome of an uncertain call. */
  | 'answered';

const resultStatuses: ReadonlySet<string> = new Set<CallStatus>(['ok', 'reused', 'answered']);

/** Returns whether a call with this status has a result: its tool's, that of an earlier call, or a person's. */
export function hasResult(status: string | null): boolean {
  return status !== null && resultStatuses.has(status);
}

export interface Call extends StoredParts {
  /** Step and position: `3.1` is the first call of step 3. */
  readonly id: string;
  /** The provider's id of the call, or null in a text protocol. */
  readonly useId: string | null;
  readonly tool: string;
  readonly input: Json;
  readonly status: CallStatus;
  /** What the model sees; null while pending. A reused call shows the observation of `reusedFrom`. */
  readonly observation: Json;
  /** Bytes of the full observation where the model sees a clipped one. */
  readonly clippedFrom: number | null;
  /** Id of the call whose observation answers this one. */
  readonly reusedFrom: string | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
  /** The model's arguments, where a person changed them. */
  readonly changedFrom?: Json;
  /** Requests to people about the call, with their decisions. Absent where there were none. */
  readonly requests?: readonly CallRequest[];
  /** Id of the plan task that the call serves. Absent without a plan. */
  readonly task?: string;
  /** Of all its attempts, in their order. Absent if it asked no model. */
  readonly charges?: readonly ModelCharge[];
  /** Sub-chains that the call started, in order. Absent if it started none. */
  readonly chains?: readonly StartedChain[];
}

export interface Step extends AnsweringModel {
  readonly number: number;
  readonly thought: string | null;
  /** In the order of the reply. */
  readonly calls: readonly Call[];
  readonly answer: Json;
  /** The repairs of an answer with a schema. Absent if it needed none. */
  readonly repairs?: readonly AnswerRepair[];
  readonly problem: string | null;
  /** The assistant's blocks, as the conversation continues with them. */
  readonly content: readonly ReplyBlock[];
  /** The whole reply, where it could not be parsed and `content` is only a part of it. Absent otherwise. */
  readonly received?: readonly ReplyBlock[];
  /** Blocks of the same turn from before the provider paused it. */
  readonly pausedContent: readonly ReplyBlock[];
  /** Number of the model call behind the step, counted over the chain. Gaps are failed attempts and paused turns. */
  readonly modelCall: number;
  readonly usage: Usage;
  readonly costUsd: number | null;
  /** The reservation charged where the provider reported no plausible usage; absent otherwise. */
  readonly charged?: Reservation;
  readonly startedAt: number;
  readonly endedAt: number;
  /** The plan after the step. Absent if the step did not change it. */
  readonly plan?: Plan;
}

/** A person's message to the chain. The model sees it. */
export interface PersonMessage {
  readonly text: string;
  /** Null for an unnamed sender. */
  readonly by: string | null;
  /** The step after which the model sees it. */
  readonly afterStep: number;
  readonly at: number;
}

export interface Chain {
  readonly state: ChainState;
  readonly steps: readonly Step[];
  readonly notices: readonly Notice[];
  readonly messages: readonly PersonMessage[];
  /** Blocks of a paused turn so far; they precede the next reply. */
  readonly pausedContent: readonly ReplyBlock[];
  /** Guidance about the plan that the model saw. */
  readonly guidance: readonly PlanGuidance[];
}

/** What activities are given and give back. Inputs are of constant size: what is long is referred to (L2). */

import type { Json } from '../core/lib/json.js';
import type { ScoreCandidate } from '../core/model/action.js';
import type { AgentSnapshot } from '../core/model/agent.js';
import type { ChainInput, FirstCall, ModelFailure, ModelReply } from '../core/model/fact.js';
import type { Origin } from '../core/model/origin.js';
import type { RequestRules } from '../core/model/request.js';
import type { ModelCallPurpose } from '../core/model/state.js';
import type { Reservation } from '../core/model/usage.js';

/** Of a branch: the parent whose first steps it begins with. */
export interface BranchParent {
  readonly chainId: string;
  readonly runId: string;
  readonly steps: number;
}

export interface PrepareAgentInput {
  readonly agent: string;
  readonly branchOf?: BranchParent;
  readonly model: ChainInput['model'];
  readonly limits: ChainInput['limits'];
}

/** Of a branch that begins with steps of its parent's, these with the agent; else the agent alone. */
export type PrepareAgentResult = AgentSnapshot | { readonly agent: AgentSnapshot; readonly origin: Origin };

export interface ReadChildInput {
  readonly chainId: string;
  /** Whether what it thought and did is to be told. */
  readonly transcript: boolean;
  /** Tokens that its answer, what it found and its story may each cost. */
  readonly maxTokens: number;
}

/** A run of the activity's own chain, which has ended. */
export interface ArchiveInput {
  readonly runId: string;
}

export interface ScoreInput {
  /** Whose function it is, together with the tool's name. */
  readonly agent: string;
  readonly tool: string;
  readonly candidates: readonly ScoreCandidate[];
}

export interface CallModelInput {
  readonly agent: string;
  /** Digest of the agent's snapshot, which is in the history. */
  readonly snapshotDigest: string;
  /** The conversation, by reference: how many facts it is made of, and the head over them. */
  readonly facts: number;
  readonly head: string;
  /** Events that the history held when the call was decided on: how far back there is to read. */
  readonly events: number;
  readonly purpose: ModelCallPurpose;
  readonly attempt: number;
  readonly reservation: Reservation;
  /** Milliseconds that the provider has. */
  readonly timeoutMs: number;
  /** Of a sub-chain's first call: the agent is prepared on the way. */
  readonly prepare?: Omit<PrepareAgentInput, 'branchOf'>;
}

export type CallModelResult =
  | ModelAttemptResult
  | { readonly status: 'prepared'; readonly agent: AgentSnapshot; readonly first: FirstCall | null };

export type ModelAttemptResult =
  | { readonly status: 'replied'; readonly reply: ModelReply }
  | { readonly status: 'failed'; readonly failure: ModelFailure };

export interface RunToolInput {
  /** Together with the activity's type, which is the tool's name, finds the tool. */
  readonly agent: string;
  readonly input: Json;
  readonly step: number;
  /** Tokens that its observation may cost the model. */
  readonly maxObservationTokens: number;
  /** The chain's first run: what the call's idempotency key is made from, besides the call. */
  readonly firstRunId: string;
  /** Whether a person has said that an attempt at it did not happen. */
  readonly retryApproved: boolean;
  /** A person set these arguments, where the call was approved by these rules. */
  readonly changedUnder?: RequestRules;
}

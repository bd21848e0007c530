/** Inputs and results of activities. Inputs have constant size: long content is referred to (L2). */

import type { Json } from '../core/lib/index.js';
import type {
  AgentSnapshot,
  CallAnswer,
  ChainInput,
  CheckResult,
  CostPart,
  Effects,
  ModelCallPurpose,
  ModelFailure,
  ModelReply,
  Origin,
  Requester,
  RequestRules,
  Reservation,
  ScoreCandidate,
  ToolOrigin,
} from '../core/model/index.js';

/** The parent of a branch, whose first steps it starts with. */
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
  /** Number of files of the task, which the preparation stores. Absent for none. */
  readonly files?: number;
  /** Only where the start set no search attributes: whether the server knows them is then in the result. */
  readonly searchAttributes?: 'missing';
  /** Whether the provider counts the tokens of the first request. Absent if its bytes are a good enough bound. */
  readonly countTokens?: true;
}

/** The agent alone, or with the first steps of a branch's parent, or with what the start did not know. */
export type PrepareAgentResult =
  | AgentSnapshot
  | {
      readonly agent: AgentSnapshot;
      readonly origin?: Origin;
      /** The server knows the search attributes, so the chain may set them. */
      readonly searchAttributes?: 'registered';
    };

export interface ReadChildInput {
  readonly chainId: string;
  /** Whether the report includes its thoughts and actions. */
  readonly transcript: boolean;
  /** Maximum tokens each of its answer, its findings and its transcript. */
  readonly maxTokens: number;
}

/** The chain that a workflow of the user ran. */
export interface ReadResultInput {
  readonly chainId: string;
}

/** A closed run of the activity's own chain. */
export interface ArchiveInput {
  readonly runId: string;
}

export interface ScoreInput {
  /** The agent of the tool with the scoring function. */
  readonly agent: string;
  readonly tool: string;
  readonly candidates: readonly ScoreCandidate[];
}

export interface CallModelInput {
  readonly agent: string;
  /** Digest of the agent's snapshot in the history. */
  readonly snapshotDigest: string;
  /** The conversation, by reference: the number of facts, and the head over them. */
  readonly facts: number;
  readonly head: string;
  /** Number of events in the history at the decision: how far to read back. */
  readonly events: number;
  readonly purpose: ModelCallPurpose;
  readonly attempt: number;
  readonly reservation: Reservation;
  /** The provider's time in milliseconds. */
  readonly timeoutMs: number;
}

export type CallModelResult =
  | ModelAttemptResult
  /** The agent's check ended the chain; no request was sent. */
  | { readonly status: 'checked'; readonly check: CheckResult };

export type ModelAttemptResult =
  | { readonly status: 'replied'; readonly reply: ModelReply }
  | { readonly status: 'failed'; readonly failure: ModelFailure };

export interface RunToolInput {
  /** Finds the tool, together with the activity's type, its name. */
  readonly agent: string;
  readonly input: Json;
  /** Only of a local call: its id. The activity id of any other is the call's. */
  readonly call?: string;
  readonly step: number;
  /** Maximum tokens of its observation. */
  readonly maxObservationTokens: number;
  /** The chain's first run: part of the call's idempotency key. */
  readonly firstRunId: string;
  /** Whether a person resolved an attempt as not happened. */
  readonly retryApproved: boolean;
  /** Whether an attempt before the call went back to the task queue may have executed the tool. */
  readonly attempted?: boolean;
  /** Whether the policies are evaluated before the tool runs: the worker of the model call lacked it. */
  readonly unchecked?: true;
  /** Only checks the call, which has these effects: its activity or workflow is the user's, and starts after it. */
  readonly check?: Effects;
  /** Rules of the approval, if a person changed the arguments. */
  readonly changedUnder?: RequestRules;
  /** Answers of people to what the tool asked in its runs so far. Absent for none. */
  readonly answers?: readonly CallAnswer[];
  /** Absent if the start named none. */
  readonly requester?: Requester;
  /** Only of a tool from a source: its definition when the chain started. */
  readonly source?: ToolOrigin;
  /** Only of a call that asks models: those that it may ask, each with its reservation. */
  readonly models?: readonly CostPart[];
  /** Only of a call whose result is summarized above this size. Unpaid: the budget cannot pay for a summary. */
  readonly summary?: { readonly aboveTokens: number; readonly part: CostPart; readonly unpaid?: true };
  /** Only of a call with a price of its own: the most that it costs, in US dollars. */
  readonly fee?: number;
  /** Only of a call that asks models, in a chain with marked data: the classes of all its data. */
  readonly dataClasses?: readonly string[];
}

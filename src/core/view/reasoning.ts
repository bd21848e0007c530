/**
 * A chain as people read it: thoughts, calls, observations and conclusions in order. `build-reasoning.ts` builds it;
 * `view.ts` limits it to what a viewer may see (L8).
 */

import type { ChainStatus, RetryWait, StepProgress } from '../engine/index.js';
import type { Json, JsonObject } from '../lib/index.js';
import type {
  ActivityAttempts,
  AnsweringModel,
  AnswerRepair,
  CallInterim,
  CallStatus,
  Decision,
  EarlierMessages,
  ModelCharge,
  Notice,
  Outcome,
  Plan,
  PromptRef,
  ReplyBlock,
  RequestKind,
  RequestRules,
  Reservation,
  ReservedCharges,
  SeenTool,
  StepVisibility,
  StoredFile,
  StoredParts,
  ThreadRef,
  Usage,
} from '../model/index.js';
import type { CallWaitView } from './call-waits.js';
import type { ResultSource } from './sources.js';

/** Status of a tool call; `pending` while it waits or runs. */
export type ReasoningStatus = CallStatus;

interface StepBase {
  /**
   * `3` for a thought, `3.1` for a call, `3.1p1` for a request about it, `3.1r` for its result, `3a` for an answer,
   * `3n1` for a notice.
   */
  readonly id: string;
  /** The chain's step, from 1; parallel calls and their results share it. 0 before the first. */
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** The model call of a step, an operation like the calls of tools: on the thought, or, without a thought, on the answer. */
export interface ModelCallStats extends AnsweringModel {
  /** As kinds of tools: rules for the kind `llm` apply to it. */
  readonly kind: 'llm';
  /** Its id, which `chain show --prompt` takes: `model-3`. */
  readonly call: string;
  readonly usage: Usage;
  readonly costUsd: number | null;
  /** The charge where the provider reported no plausible usage; absent otherwise. */
  readonly charged?: Reservation;
  /** Milliseconds from the request to the reply, retries and their waits included. */
  readonly durationMs: number;
  /** Attempts at the model call; the failed ones have a notice each. */
  readonly attempts: number;
}

export interface ThinkingStep extends StepBase {
  readonly kind: 'thinking';
  readonly thought: string | null;
  /** The problem of the reply, or null. */
  readonly problem: string | null;
  /** The whole reply, where it could not be parsed. Views for end users have none. */
  readonly reply?: readonly ReplyBlock[];
  /** From 0 to 1, as the thought states it; null if it states none. */
  readonly confidence: number | null;
  /** Null in a view whose rules hide the kind `llm`. */
  readonly modelCall: ModelCallStats | null;
}

export interface ToolCallStep extends StepBase {
  readonly kind: 'tool_call';
  /** Links the call and its result; also the id of its activity. */
  readonly correlationId: string;
  readonly tool: string;
  /** Kind of the tool; `external` by default. */
  readonly toolKind: string;
  /** The arguments in use: a person may have changed them. */
  readonly input: Json;
  /** The model's arguments, where a person changed them. */
  readonly changedFrom?: Json;
  readonly status: ReasoningStatus;
  /** Null without an activity: rejected, reused, not run, or unknown to this reader. */
  readonly attempts: ActivityAttempts | null;
  /** Id of its plan task. Absent without a plan. */
  readonly task?: string;
  /** The description of that task at the time of the call. A view has it as the call's reason. */
  readonly taskText?: string;
  /** The most that an attempt at the call may cost. Absent for a tool whose calls are free. */
  readonly cost?: Reservation;
  /** Set by the tool while it ran. Absent if it set none. */
  readonly visibility?: Pick<StepVisibility, 'level'>;
  /** Ids of earlier calls whose results the arguments repeat. Only where a whole chain is read; absent for none. */
  readonly repeats?: readonly string[];
}

/** Status of a request. */
export type ApprovalStatus =
  | 'waiting'
  | Exclude<Decision['kind'], 'expired'>
  /** No decision in time; then `onExpiry` applied. */
  | 'expired'
  /** The chain ended first. */
  | 'not_decided';

/** A request about a call, with its decisions. Between the call and its result; `at` is the time of the request. */
export interface ApprovalStep extends StepBase, Pick<RequestRules, 'reason' | 'risk' | 'approvers' | 'onExpiry'> {
  readonly kind: 'approval';
  /** Of the call. */
  readonly correlationId: string;
  readonly tool: string;
  readonly toolKind: string;
  /** `approval`: may the call run? `outcome`: did it happen? `question`: what is the answer? */
  readonly request: RequestKind;
  /** Roles that may decide; empty for any person. After an escalation, all roles. */
  readonly roles: readonly string[];
  /** Of the tool and its current arguments. */
  readonly digest: string;
  /** The arguments at the time of the request; with `byTool`, the question. */
  readonly input: Json;
  /** Only of a question that the tool asks while it runs. */
  readonly byTool?: true;
  /** The arguments that a person set. Absent if unchanged. */
  readonly changedInput?: Json;
  readonly status: ApprovalStatus;
  /** Decisions in order. The last one counts. */
  readonly decisions: readonly Decision[];
  /** Milliseconds since 1970; null for never. */
  readonly expiresAt: number | null;
  /** Milliseconds until the decision; null without one. */
  readonly durationMs: number | null;
  /** Of the call. */
  readonly visibility?: Pick<StepVisibility, 'level'>;
}

export interface ToolResultStep extends StepBase, StoredParts {
  readonly kind: 'tool_result';
  /** Of the models that the call asked, in all its attempts. Absent if it asked none. */
  readonly charges?: readonly ModelCharge[];
  readonly correlationId: string;
  readonly tool: string;
  readonly toolKind: string;
  readonly status: ReasoningStatus;
  /** What the model saw. For a reused call, the earlier observation. */
  readonly observation: Json;
  /** Bytes of the complete result, where this is a part. */
  readonly clippedFrom: number | null;
  /** Id of the call that answered this one, or null. */
  readonly reusedFrom: string | null;
  /** Without the time spent waiting for people; null if nothing ran. */
  readonly durationMs: number | null;
}

export interface SynthesisStep extends StepBase {
  readonly kind: 'synthesis';
  readonly conclusion: Json;
  /** What was changed to make the answer match its schema. Absent if nothing was. */
  readonly repairs?: readonly AnswerRepair[];
  /** Results that the answer cites or repeats. */
  readonly sources: readonly ResultSource[];
  /** From 0 to 1, as the answer states it, in its member `confidence` or its text; null if it states none. */
  readonly confidence: number | null;
  /** Null after a thought, which has them, and in a view whose rules hide the kind `llm`. */
  readonly modelCall: ModelCallStats | null;
}

export interface NoticeStep extends StepBase, Pick<Notice, 'usage' | 'limits' | 'asked'> {
  readonly kind: 'notice';
  /** `message` is a person's message; the others are codes of notices. */
  readonly notice: Notice['code'] | 'message';
  readonly text: string;
}

export type ReasoningStep = ThinkingStep | ToolCallStep | ApprovalStep | ToolResultStep | SynthesisStep | NoticeStep;

export type StepKind = ReasoningStep['kind'];

/**
 * `waiting`: for a person, a time or a signal, a retry, or to start. `completed` and `failed`: from the turn that decides the
 * outcome, after which no step follows.
 */
export type ReasoningState = 'thinking' | 'tool_calling' | 'waiting' | 'completed' | 'failed';

/** The charges of chains. */
export interface Spending {
  readonly chains: number;
  readonly tokens: number;
  /** US dollars; null without a price. */
  readonly costUsd: number | null;
  /** The part of `tokens` that models without a price used: `costUsd` does not contain its cost. Absent for none. */
  readonly unpricedTokens?: number;
}

/**
 * `queued`: waits for its turn or for budget. `running`, `waiting`, `sleeping`, `paused`: `waiting` for a person, also in a
 * chain below; `sleeping` only for a time or a signal. `abandoned`: its parent ended without knowing its outcome. `not_started`: the server did not start it.
 */
export type SubChainState = ChainStatus | 'queued' | 'completed' | 'failed' | 'abandoned' | 'not_started';

/** A chain that a call started. */
export interface SubChain {
  readonly chainId: string;
  readonly agent: string;
  readonly task: string;
  readonly state: SubChainState;
  readonly outcome: Reasoning['outcome'];
  /** Null if unknown. */
  readonly steps: number | null;
  /** Its own charge; null if only the total is known, or nothing. */
  readonly own: Spending | null;
  /** Its charge with all sub-chains; null if unknown. */
  readonly total: Spending | null;
  /** The chain; null if it was not opened. */
  readonly chain: Reasoning | null;
}

/** Calls above a sub-chain, which decide its level under its own id (L8). Views do not contain it. */
export interface Ancestry {
  /** Place in its tree, as rules name it: `3.1/`. */
  readonly place: string;
  /** From the root's call to its parent's. */
  readonly calls: readonly AncestorCall[];
  /** Sensitive texts of chains above that its start contains. */
  readonly sensitive: readonly string[];
}

/** A call that started a sub-chain. */
export interface AncestorCall {
  readonly chainId: string;
  readonly agent: string;
  /** Place of its chain: empty for the root. */
  readonly place: string;
  readonly call: string;
  readonly tool: string;
  readonly view: SeenTool;
}

export interface Reasoning {
  readonly chainId: string;
  /** Of a sub-chain: chain ids from the root down to it. Absent otherwise. */
  readonly path?: readonly string[];
  /** Of a sub-chain: what a reader of it alone needs to know of the chains above. Absent otherwise. */
  readonly ancestry?: Ancestry;
  readonly agent: string;
  /** Null for an agent without a version, or one that is not prepared yet. */
  readonly agentVersion: string | null;
  /** Name of the agent for people. Absent for none, or while the agent is not prepared yet. */
  readonly agentTitle?: string;
  /** The prompt of its agent. Absent for none, or while the agent is not prepared yet. */
  readonly agentPrompt?: PromptRef;
  readonly model: string;
  readonly task: string;
  /** Free data that its start stated. Absent without any. */
  readonly metadata?: JsonObject;
  /** Of the task. Absent without files. */
  readonly files?: readonly StoredFile[];
  readonly tenant: string | null;
  readonly user: string | null;
  /** Roles of the user, as the start states them. */
  readonly roles: readonly string[];
  /** Place of a follow-up in its thread. Absent otherwise. */
  readonly thread?: ThreadRef;
  /** The messages before the task. Absent without any. */
  readonly earlier?: EarlierMessages;
  /** Origin of a fork: the first steps are another chain's and cost nothing here. */
  readonly origin: { readonly chainId: string; readonly steps: number } | null;
  readonly state: ReasoningState;
  /** The step under way; null before the agent is known, with a plan, and once the chain ends. */
  readonly currentStep: StepProgress | null;
  /** Null unless the last attempt at its current model call has failed. */
  readonly retryWait: RetryWait | null;
  /** Calls that wait for a time or a signal. Absent without any. */
  readonly waits?: readonly CallWaitView[];
  readonly outcome: Outcome | 'terminated' | null;
  readonly reason: string | null;
  readonly answer: Json;
  readonly partial: string | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly usage: Usage;
  readonly tokens: number;
  readonly costUsd: number | null;
  /** The part of `tokens` that models without a price used: `costUsd` does not contain its cost. Absent for none. */
  readonly unpricedTokens?: number;
  /** Kinds and views of the agent's tools by name; null while the agent is unknown. */
  readonly tools: { readonly [tool: string]: SeenTool } | null;
  readonly steps: readonly ReasoningStep[];
  /** The plan so far. Absent without one. */
  readonly plan?: Plan;
  /** The part of `tokens` and `costUsd` that is whole reservations. Absent where every call reported its usage. */
  readonly reservedCharges?: ReservedCharges;
  /** Charges of all chains below it, as far as known; `tokens` and `costUsd` are its own. Absent without sub-chains. */
  readonly below?: Spending;
  /** Interim results of running calls, where a reader has them: they are not recorded. Absent otherwise. */
  readonly interims?: readonly CallInterim[];
  /** Sub-chains by the correlation id of their call, in order of their start. */
  readonly children: { readonly [correlationId: string]: readonly SubChain[] };
}

/**
 * A chain as people read it: what was thought, asked for, observed and concluded, one after the other.
 * `build-reasoning.ts` makes it from a chain, `view.ts` shows as much of it as a viewer may see (L8).
 */

import type { Json } from '../lib/json.js';
import type { ActivityAttempts } from '../model/activity.js';
import type { ToolView } from '../model/agent.js';
import type { CallStatus } from '../model/chain.js';
import type { Usage } from '../model/model.js';
import type { Notice } from '../model/notice.js';
import type { Plan } from '../model/plan.js';
import type { Decision, RequestKind, RequestRules } from '../model/request.js';
import type { Outcome } from '../model/stop-reason.js';
import type { StoredParts } from '../model/stored-content.js';
import type { Reservation } from '../model/usage.js';
import type { ChainStatus } from '../state/due-requests.js';

/** What has become of a tool call; a call that waits or runs is `pending`. */
export type ReasoningStatus = CallStatus;

interface StepBase {
  /**
   * `3` for a thought, `3.1` for a call, `3.1p1` for what a person was asked about it, `3.1r` for its result, `3a` for an
   * answer, `3n1` for a notice.
   */
  readonly id: string;
  /** The chain's step, from 1; parallel calls and their results share it. 0 before the first. */
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** What a call of the model took. On the thought, or, where nothing was thought, on the answer. */
export interface ModelCallStats {
  readonly model: string;
  readonly usage: Usage;
  readonly costUsd: number | null;
  /** What it was charged where the provider reported no plausible usage; absent otherwise. */
  readonly charged?: Reservation;
  /** Milliseconds from the request to the reply, retries and their waits included. */
  readonly durationMs: number;
  /** Attempts at the model call; the failed ones have a notice each. */
  readonly attempts: number;
}

export interface ThinkingStep extends StepBase {
  readonly kind: 'thinking';
  readonly thought: string | null;
  /** What could not be read in the reply, or null. */
  readonly problem: string | null;
  readonly spoken: ModelCallStats;
}

export interface ToolCallStep extends StepBase {
  readonly kind: 'tool_call';
  /** Links the call and its result; also the id of its activity. */
  readonly correlationId: string;
  readonly tool: string;
  /** As the tool says: `external` where it says nothing. */
  readonly toolKind: string;
  /** As it is made: a person may have changed the arguments. */
  readonly input: Json;
  /** The arguments that the model asked for, where a person changed them. */
  readonly changedFrom?: Json;
  readonly status: ReasoningStatus;
  /** Null where no activity was made for it: refused, reused, not run, or not known to this reader. */
  readonly attempts: ActivityAttempts | null;
  /** Id of the task that it was made for. Absent where there is no plan. */
  readonly task?: string;
}

/** What has become of a request to a person. */
export type ApprovalStatus =
  | 'waiting'
  | Exclude<Decision['kind'], 'expired'>
  /** Nobody decided in time; then it went as `onExpiry` says. */
  | 'expired'
  /** The chain ended first. */
  | 'not_decided';

/** What a person was asked about a call, and what people said. Between the call and its result; `at` is when it was asked. */
export interface ApprovalStep extends StepBase, Pick<RequestRules, 'reason' | 'risk' | 'approvers' | 'onExpiry'> {
  readonly kind: 'approval';
  /** Of the call. */
  readonly correlationId: string;
  readonly tool: string;
  readonly toolKind: string;
  /** `approval`: may it be run? `outcome`: did it happen? `question`: what is the answer? */
  readonly request: RequestKind;
  /** Any one of them may decide; empty for anybody. Of a request that was escalated, all that could in the end. */
  readonly roles: readonly string[];
  /** Of the tool and its arguments as they stand. */
  readonly digest: string;
  /** The arguments with which it was asked. */
  readonly input: Json;
  /** What a person changed them to. Absent where nobody did. */
  readonly changedInput?: Json;
  readonly status: ApprovalStatus;
  /** What was said of it, in the order in which it came. Of several people's words the last one decided. */
  readonly decisions: readonly Decision[];
  /** Milliseconds since 1970; null for never. */
  readonly expiresAt: number | null;
  /** How long it waited; null while it does, and where the chain ended first. */
  readonly durationMs: number | null;
}

export interface ToolResultStep extends StepBase, StoredParts {
  readonly kind: 'tool_result';
  readonly correlationId: string;
  readonly tool: string;
  readonly toolKind: string;
  readonly status: ReasoningStatus;
  /** What the model was shown. Of a reused call, the earlier observation. */
  readonly observation: Json;
  /** Bytes of the whole, where this is a part. */
  readonly clippedFrom: number | null;
  /** Id of the call that answered this one, or null. */
  readonly reusedFrom: string | null;
  /** Without the time in which people were waited for; null where nothing was run. */
  readonly durationMs: number | null;
}

export interface SynthesisStep extends StepBase {
  readonly kind: 'synthesis';
  readonly conclusion: Json;
  /** Ids of the results that were there to draw on. */
  readonly sources: readonly string[];
  /** From 0 to 1, where the answer carries a `confidence` of its own; else null. */
  readonly confidence: number | null;
  /** Null where a thought stands before it and carries what the call took. */
  readonly spoken: ModelCallStats | null;
}

export interface NoticeStep extends StepBase {
  readonly kind: 'notice';
  /** `message` is what a person said; the others, what became of the chain. */
  readonly notice: Notice['code'] | 'message';
  readonly text: string;
}

export type ReasoningStep = ThinkingStep | ToolCallStep | ApprovalStep | ToolResultStep | SynthesisStep | NoticeStep;

export type StepKind = ReasoningStep['kind'];

/** `waiting`: for a person, or for what comes first. */
export type ReasoningState = 'thinking' | 'tool_calling' | 'waiting' | 'completed' | 'failed';

/** What chains were charged. */
export interface Spending {
  readonly chains: number;
  readonly tokens: number;
  /** US dollars; null where none of them had a price. */
  readonly costUsd: number | null;
}

/**
 * `queued`: waits for its turn, or for budget that others give back. `running`, `waiting`, `paused`: `waiting` for a person,
 * also where a chain below it does. `abandoned`: what began it has ended without knowing what became of it. `not_begun`: the
 * server did not start it.
 */
export type SubChainState = ChainStatus | 'queued' | 'completed' | 'failed' | 'abandoned' | 'not_begun';

/** A chain that a call began. */
export interface SubChain {
  readonly chainId: string;
  readonly agent: string;
  readonly task: string;
  readonly state: SubChainState;
  readonly outcome: Reasoning['outcome'];
  /** Null where it is not known. */
  readonly steps: number | null;
  /** What it was charged itself; null where only the whole is known, or nothing. */
  readonly own: Spending | null;
  /** The same with all below it; null where it is not known. */
  readonly whole: Spending | null;
  /** All of it; null where it was not opened. */
  readonly chain: Reasoning | null;
}

/** What decides how much of a sub-chain is shown under its own id (L8). Views do not contain it. */
export interface Ancestry {
  /** Place in its tree, as rules name it: `3.1/`. */
  readonly place: string;
  /** From the root's call to its parent's. */
  readonly calls: readonly AncestorCall[];
  /** What is sensitive in a chain above, and was given to it. */
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
  readonly view: ToolView;
}

export interface Reasoning {
  readonly chainId: string;
  /** Of a sub-chain: from the outermost chain down to it, by their ids. Absent of every other. */
  readonly path?: readonly string[];
  /** Of a sub-chain: what a reader of it alone needs of the chains above. Absent of every other. */
  readonly ancestry?: Ancestry;
  readonly agent: string;
  readonly model: string;
  readonly task: string;
  readonly tenant: string | null;
  readonly user: string | null;
  /** Where it was forked: its first steps are those of another chain, and cost nothing here. */
  readonly origin: { readonly chainId: string; readonly steps: number } | null;
  readonly state: ReasoningState;
  readonly outcome: Outcome | 'terminated' | null;
  readonly reason: string | null;
  readonly answer: Json;
  readonly partial: string | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly usage: Usage;
  readonly tokens: number;
  readonly costUsd: number | null;
  /** What the agent's tools say of how they are shown, by their names; null where the agent is not known. */
  readonly tools: { readonly [tool: string]: ToolView } | null;
  readonly steps: readonly ReasoningStep[];
  /** As far as it has come. Absent where there is none. */
  readonly plan?: Plan;
  /** What its sub-chains were charged, and all below them, as far as it is known; `tokens` and `costUsd` are its own. Absent where it began none. */
  readonly below?: Spending;
  /** Sub-chains by the correlation id of the call that began them, in the order in which they were begun. */
  readonly children: { readonly [correlationId: string]: readonly SubChain[] };
}

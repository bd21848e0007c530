/**
 * One thing that happened to a chain. Facts are all that changes a chain; each is exactly one event of
 * the workflow's history, and carries nothing that the history does not hold.
 */

import type { Json } from '../lib/json.js';
import type { AgentSnapshot } from './agent.js';
import type { ChildEnd, ChildReport } from './child.js';
import type { ReceivedCommand } from './command.js';
import type { PartialLimits } from './limits.js';
import type { Lineage, VisibilitySource } from './lineage.js';
import type { Reply, Usage } from './model.js';
import type { Origin } from './origin.js';
import type { PlannedTask, PlanTemplate } from './plan.js';
import type { QuotedReading } from './reading.js';
import type { RequestRules } from './request.js';
import type { StopReason } from './stop-reason.js';
import type { StoredParts } from './stored-content.js';
import type { Reservation } from './usage.js';

/** What a chain is started with. */
export interface ChainInput {
  /** The version of the rules in `advance` and `decide` that the chain runs by; see `currentRules`. */
  readonly rules: number;
  readonly agent: string;
  readonly task: string;
  /** What this chain has differently from its agent's definition. */
  readonly model: string | null;
  readonly limits: PartialLimits;
  readonly tenant: string | null;
  readonly user: string | null;
  readonly roles: readonly string[];
  /** Of a chain that was forked off another; left out in all others. */
  readonly origin?: Origin;
  /** The plan that it begins with, by the strategy `plan`; left out where it makes its own. */
  readonly plan?: PlanTemplate;
  /** Of a sub-chain; left out in all others. */
  readonly lineage?: Lineage;
  /** Of a fork of a sub-chain, and of the chains below it: whose path decides how much of it is shown. Left out in all others. */
  readonly shownAs?: VisibilitySource;
}

/** A failed activity, reduced to what both sides of its history can know. */
export interface FailureDetails {
  /** The failure's own type (`ToolError`, `NotDone` …), or `timeout`, `cancelled`, `lost`. */
  readonly type: string;
  readonly message: string;
  /** Which of Temporal's timeouts it was (`HEARTBEAT`, `START_TO_CLOSE` …), or null. */
  readonly timeoutType: string | null;
  readonly details: Json;
}

/** Why a call of the model gave no reply. One row of the table in engine/provider-failure.ts each. */
export type ModelFailureKind =
  | 'bad_request'
  | 'authentication'
  | 'billing'
  | 'permission'
  | 'not_found'
  | 'too_large'
  | 'context_overflow'
  | 'rate_limit'
  | 'overloaded'
  | 'server_error'
  | 'timeout'
  | 'connection'
  | 'cut'
  | 'lost'
  | 'cancelled'
  | 'not_called'
  | 'invalid_result'
  | 'internal';

export interface ModelFailure {
  readonly kind: ModelFailureKind;
  readonly message: string;
  readonly status: number | null;
  /** Milliseconds that the provider asks to wait, or null. */
  readonly retryAfterMs: number | null;
  /** What the attempt is charged: nothing, the usage it reported, or its whole reservation. */
  readonly settle: 'nothing' | 'usage' | 'reservation';
  readonly usage: Usage | null;
}

/** What the agent's own check said of a reply. */
export interface CheckResult {
  readonly reason: string;
  readonly answer: Json;
}

export interface ModelReply extends Omit<Reply, 'content'> {
  readonly reading: QuotedReading;
  /** Set when the agent's check ends the chain. */
  readonly check: CheckResult | null;
  /** By which rules a person must approve each call, in the order of the reading's calls; null for one that may run, or where all may. */
  readonly approvals: readonly (RequestRules | null)[] | null;
  /** The plan of an earlier chain with the same goal: the model was not asked, and said nothing. */
  readonly reusedPlan?: readonly PlannedTask[];
}

/** The call that a sub-chain begins with. */
export interface FirstCall {
  readonly reservation: Reservation;
  readonly result:
    | { readonly status: 'replied'; readonly reply: ModelReply }
    | { readonly status: 'failed'; readonly failure: ModelFailure };
}

/** What a tool gave back, as the model is shown it. */
export interface Observation extends StoredParts {
  readonly content: Json;
  /** Bytes of the whole, when `content` is a clipped part of it. */
  readonly clippedFrom: number | null;
}

/** `ask`: something becomes of a request to a person by itself. */
export type TimerName = 'deadline' | 'retry' | 'grace' | 'request';

/** Times (`at`) are whole milliseconds since 1970: when the workflow task that delivered the fact began. */
export type Fact =
  | { readonly type: 'started'; readonly at: number; readonly chainId: string; readonly input: ChainInput }
  /** A later run has begun, and goes on where the one before ended. */
  | { readonly type: 'continued'; readonly at: number; readonly runId: string }
  | {
      readonly type: 'prepared';
      readonly at: number;
      readonly agent: AgentSnapshot;
      /** Of a branch: the steps of its parent that it begins with, where there are any. */
      readonly origin?: Origin;
    }
  /** A sub-chain's agent, and what its first call of the model came to; null where none was to be made. */
  | {
      readonly type: 'subChainPrepared';
      readonly at: number;
      readonly call: string;
      readonly agent: AgentSnapshot;
      readonly first: FirstCall | null;
    }
  | { readonly type: 'prepareFailed'; readonly at: number; readonly failure: FailureDetails }
  | { readonly type: 'modelReplied'; readonly at: number; readonly call: string; readonly reply: ModelReply }
  | { readonly type: 'modelFailed'; readonly at: number; readonly call: string; readonly failure: ModelFailure }
  | { readonly type: 'toolReturned'; readonly at: number; readonly call: string; readonly observation: Observation }
  | { readonly type: 'toolFailed'; readonly at: number; readonly call: string; readonly failure: FailureDetails }
  | { readonly type: 'childEnded'; readonly at: number; readonly chainId: string; readonly end: ChildEnd }
  /** What its own history tells of a sub-chain that has ended; null where it could not be read. */
  | {
      readonly type: 'childReportRead';
      readonly at: number;
      readonly chainId: string;
      readonly report: ChildReport | null;
    }
  /** What the answers of a call's sub-chains are worth, in their order; none where they could not be scored. */
  | {
      readonly type: 'answersScored';
      readonly at: number;
      readonly call: string;
      readonly scores: readonly (number | null)[];
    }
  | { readonly type: 'timerFired'; readonly at: number; readonly timer: TimerName }
  | {
      readonly type: 'cancelRequested';
      readonly at: number;
      /** The request's own id; null for Temporal's own cancel. */
      readonly id: string | null;
      readonly by: string | null;
      readonly reason: string | null;
      /** Whether one short call of the model is to sum up what was found. */
      readonly summarize: boolean;
    }
  /** Somebody decided, said or set something. */
  | ({ readonly type: 'commandReceived'; readonly at: number } & ReceivedCommand);

/**
 * The version of the rules in `advance` and `decide`. A chain runs by the version that it was started with, to its end:
 * from the first release on, a change that a stored history would notice is a new version, beside the old one.
 */
export const currentRules = 1;

export function isKnownRules(rules: unknown): boolean {
  return rules === currentRules;
}

export function toUnknownRulesReason(rules: unknown): StopReason {
  return { code: 'unknown_rules', version: JSON.stringify(rules ?? null), known: String(currentRules) };
}

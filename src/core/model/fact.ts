/**
 * Facts: everything that can happen to a chain. Only facts change a chain. Each fact is one event of the workflow's
 * history and contains nothing that the history does not, so the workflow and every reader fold the same chain (L1).
 */

import type { Json, JsonObject } from '../lib/index.js';
import type { AgentSnapshot } from './agent.js';
import type { BudgetRejection } from './budget-rejection.js';
import type { ModelUse } from './call-cost.js';
import type { ChildEnd, ChildReport } from './child.js';
import type { ReceivedCommand } from './command.js';
import type { ModelFailureKind } from './failure-kind.js';
import type { PartialLimits } from './limits.js';
import type { Lineage, VisibilitySource } from './lineage.js';
import type { Reply, Usage } from './model.js';
import type { Origin } from './origin.js';
import type { PlanTemplate, ReusedPlan } from './plan.js';
import type { CompactReading } from './reading.js';
import type { RequestRules, ToolQuestion } from './request.js';
import type { AnsweringModel, CallRoute } from './routing.js';
import type { StopReason } from './stop-reason.js';
import type { StoredFile, StoredParts } from './stored-content.js';
import type { EarlierMessages, ThreadRef } from './thread.js';

/** For whom a chain runs, as stated by the program that starts it. */
export interface Requester {
  readonly tenant: string | null;
  readonly user: string | null;
  /** Roles of the user. Tools and policies compare them exactly. */
  readonly roles: readonly string[];
}

/** The input of a chain's workflow. A start needs only `agent` and `task`; the first rule of a chain adds the defaults. */
export interface ChainInput extends Requester {
  /** Version of the rules in `advance` and `decide` for this chain; see `currentRules`. */
  readonly rules: number;
  readonly agent: string;
  readonly task: string;
  /** Overrides the model of the agent's definition. */
  readonly model: string | null;
  /** Override the limits of the agent's definition. */
  readonly limits: PartialLimits;
  /** Classes of the data in the task, and in a sub-chain of all that its parent has read. Absent for none. */
  readonly dataClasses?: readonly string[];
  /** Free data for readers, which no model sees. Absent without any. */
  readonly metadata?: JsonObject;
  /** Files of the task. Absent if it has none. */
  readonly files?: readonly StoredFile[];
  /** Absent if a worker is expected to have the agent: a new chain waits minutes for one. `true`: days, as the agent is deployed later. */
  readonly awaitAgent?: boolean;
  /** Messages before the task: of the chains that a follow-up follows, or given at the start. Absent without any. */
  readonly earlier?: EarlierMessages;
  /** Only in a follow-up: its place in its thread. */
  readonly thread?: ThreadRef;
  /** Only in a fork: the chain and the steps that it starts with. */
  readonly origin?: Origin;
  /** Only for the strategy `plan`, and only where the chain starts with a given plan. */
  readonly plan?: PlanTemplate;
  /** Only in a sub-chain: its path from the root, and its share of the budget. */
  readonly lineage?: Lineage;
  /** Only in a fork of a sub-chain, and in the chains below it: the sub-chain whose path decides its visibility. */
  readonly shownAs?: VisibilitySource;
}

/** A failed activity, reduced to what the workflow and the readers of its history both know. */
export interface FailureDetails {
  /** The failure's own type (`ToolError`, `NotDone` …), or `timeout`, `cancelled`, `lost`. */
  readonly type: string;
  readonly message: string;
  /** Temporal's type of the timeout (`HEARTBEAT`, `START_TO_CLOSE` …), or null. */
  readonly timeoutType: string | null;
  readonly details: Json;
}

export interface ModelFailure {
  readonly kind: ModelFailureKind;
  readonly message: string;
  /** HTTP status, or null if there was no response. */
  readonly status: number | null;
  /** Milliseconds that the provider requests to wait, or null. */
  readonly retryAfterMs: number | null;
  /** The charge for the attempt: nothing, its reported usage, or its whole reservation. */
  readonly settle: 'nothing' | 'usage' | 'reservation';
  readonly usage: Usage | null;
  /** Only for agents with several models. */
  readonly route?: CallRoute;
  /** As in a reply. */
  readonly dataClasses?: readonly string[];
  /** Only of the kind `budget`. */
  readonly budget?: BudgetRejection;
  /** As in a reply. */
  readonly budgetAlerts?: readonly string[];
}

/** The result of the agent's own check of a reply: the chain ends with this answer. */
export interface CheckResult {
  readonly outcome: 'custom' | 'failure';
  readonly reason: string;
  /** With `failure`, the findings. */
  readonly answer: Json;
  /** Absent for the agent's own check. */
  readonly by?: 'policy';
}

export interface ModelReply extends Omit<Reply, 'content'>, AnsweringModel {
  /** SHA-256 of the request as it was sent, as canonical JSON; null where none was sent. */
  readonly request: string | null;
  readonly reading: CompactReading;
  /** Null unless the agent's check or a policy ends the chain. */
  readonly check: CheckResult | null;
  /** Approval rules for each call of the reading, in order; null for a call that needs none. Null if no call needs approval. */
  readonly approvals: readonly (RequestRules | null)[] | null;
  /**
   * Positions of calls that the worker of the model call could not check, because it lacks their tools. The worker that runs
   * one validates its arguments and evaluates its approval policies. Absent for none.
   */
  readonly unchecked?: readonly number[];
  /** The plan of an earlier chain. No model call was made; the reply is empty. */
  readonly reusedPlan?: ReusedPlan;
  /** Classes that the worker's detectors found in the chain before the request. Absent for none, and for those that it had. */
  readonly dataClasses?: readonly string[];
  /** Budgets of which a stated part is used, for the first time in their windows. Absent for none. */
  readonly budgetAlerts?: readonly string[];
}

/** The result of a tool as the model sees it. */
export interface Observation extends StoredParts {
  readonly content: Json;
  /** Bytes of the full result where `content` is clipped; null if it is not. */
  readonly clippedFrom: number | null;
  /** Only of a call that costs: the models that it asked. Without it, the whole reservation is charged. */
  readonly uses?: readonly ModelUse[];
}

/**
 * `deadline`: the time limit. `retry`: the wait before an attempt. `grace`: the time for cancelled operations to end.
 * `request`: a request to a person expires or escalates. `wait`: the wait of a call ends. `messages`: the next turn takes
 * deferred messages.
 */
export type TimerName = 'deadline' | 'retry' | 'grace' | 'request' | 'wait' | 'messages';

/** `at` is in whole milliseconds since 1970: the start of the workflow task that delivered the fact. */
export type Fact =
  /** The chain started. */
  | { readonly type: 'started'; readonly at: number; readonly chainId: string; readonly input: ChainInput }
  /** The next run started, where the previous one continued as new. */
  | { readonly type: 'continued'; readonly at: number; readonly runId: string }
  /** The agent's snapshot was taken. */
  | {
      readonly type: 'prepared';
      readonly at: number;
      readonly agent: AgentSnapshot;
      /** Only in a branch: the steps of its parent that it starts with. */
      readonly origin?: Origin;
      /** Only where the start set no search attributes: the server knows them. */
      readonly searchAttributes?: 'registered';
    }
  /** The agent could not be prepared. */
  | { readonly type: 'prepareFailed'; readonly at: number; readonly failure: FailureDetails }
  /** The worker that took an activity lacks the chain's agent, the tool, the model's provider or a source of tools: nothing was run. */
  | {
      readonly type: 'requeued';
      readonly at: number;
      readonly activity: string;
      /** As in `prepared`: a chain without search attributes sets them before any worker has its agent. */
      readonly searchAttributes?: 'registered';
      /** Agents of a worker that lacks the agent, the nearest names first. */
      readonly agents?: readonly string[];
      /** All workers of the queue are known, and none has the agent: `agents` are those of all. */
      readonly nowhere?: true;
      /** Name of the provider that the worker lacks. Absent if it lacks the agent or the tool. */
      readonly provider?: string;
      /** Name of the source of tools that the worker cannot reach. */
      readonly source?: string;
      /** Name of the own strategy whose parser the worker lacks. */
      readonly strategy?: string;
      /** An earlier attempt at the tool call, on another worker, may have executed the tool. */
      readonly attempted?: true;
      /** A local call or preparation failed, for any reason: it runs as an activity (state/local-calls.ts). */
      readonly local?: true;
    }
  /** A model call returned a reply. */
  | { readonly type: 'modelReplied'; readonly at: number; readonly call: string; readonly reply: ModelReply }
  /** The agent's check ended the chain before a model call was made: no request was sent. */
  | { readonly type: 'checkEnded'; readonly at: number; readonly call: string; readonly check: CheckResult }
  /** A model call failed. */
  | { readonly type: 'modelFailed'; readonly at: number; readonly call: string; readonly failure: ModelFailure }
  /** A tool returned a result. */
  | { readonly type: 'toolReturned'; readonly at: number; readonly call: string; readonly observation: Observation }
  /** A call passed the checks before its foreign activity or workflow. */
  | { readonly type: 'callChecked'; readonly at: number; readonly call: string }
  /** The policies of an unchecked call require approval: it did not run. */
  | { readonly type: 'approvalRequired'; readonly at: number; readonly call: string; readonly rules: RequestRules }
  /** A tool asks a person. Its call ended, and runs again with the answer. */
  | {
      readonly type: 'questionAsked';
      readonly at: number;
      readonly call: string;
      readonly question: ToolQuestion;
      readonly rules: RequestRules;
      /** What the models that it asked have cost. Absent if it asked none. */
      readonly uses?: readonly ModelUse[];
    }
  /** A tool failed, timed out or was cancelled. */
  | { readonly type: 'toolFailed'; readonly at: number; readonly call: string; readonly failure: FailureDetails }
  /** A sub-chain ended, or could not be started. */
  | { readonly type: 'childEnded'; readonly at: number; readonly chainId: string; readonly end: ChildEnd }
  /** The report of a sub-chain, read from its history; null if the history could not be read. */
  | {
      readonly type: 'childReportRead';
      readonly at: number;
      readonly chainId: string;
      readonly report: ChildReport | null;
    }
  /** Scores of the answers of a call's sub-chains, in their order; empty where scoring failed. */
  | {
      readonly type: 'answersScored';
      readonly at: number;
      readonly call: string;
      readonly scores: readonly (number | null)[];
    }
  /** A timer of the chain fired. */
  | { readonly type: 'timerFired'; readonly at: number; readonly timer: TimerName }
  /** A person, the parent or Temporal requested the cancel. */
  | {
      readonly type: 'cancelRequested';
      readonly at: number;
      /** Id of the request; null for Temporal's own cancel. */
      readonly id: string | null;
      readonly by: string | null;
      readonly reason: string | null;
      /** Whether one last model call sums up the findings. */
      readonly summarize: boolean;
    }
  /** A command of a person arrived. */
  | ({ readonly type: 'commandReceived'; readonly at: number } & ReceivedCommand);

/**
 * Version of the rules in `advance` and `decide`. A chain keeps the version that it started with. From the first release
 * on, a change that alters the replay of a stored history is a new version; the old one remains.
 */
export const currentRules = 1;

/** The version of a start that names none. Fixed: stored histories must replay under later versions too. */
export const firstRules = 1;

export function isKnownRules(rules: unknown): boolean {
  return rules === currentRules;
}

export function toUnknownRulesReason(rules: unknown): StopReason {
  return { code: 'unknown_rules', version: JSON.stringify(rules ?? null), known: String(currentRules) };
}

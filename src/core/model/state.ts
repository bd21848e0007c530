/**
 * All that `decide` reads: bounded however long the chain is, plain data, ready to be carried into a
 * next run. What grows (thoughts, observations) is in the chain's steps, which only readers keep.
 */

import type { Json } from '../lib/json.js';
import type { AgentSnapshot, Effects } from './agent.js';
import type { Child } from './child.js';
import type { Breakpoint, ReceivedCommand } from './command.js';
import type { ChainInput } from './fact.js';
import type { RunStart } from './limits.js';
import type { Usage } from './model.js';
import type { OriginRef } from './origin.js';
import type { Plan, PlanningState } from './plan.js';
import type { PersonRequest, RequestRules, Vote } from './request.js';
import type { Outcome, StopReason } from './stop-reason.js';
import { noUsage, type Reservation } from './usage.js';

/** `first`: a sub-chain's, whose agent is prepared on the way (core/delegation/sub-chain-start.ts). */
export type ModelCallPurpose = 'step' | 'closing' | 'first';

/** A call of the step under way. */
export interface PendingCall {
  readonly id: string;
  readonly tool: string;
  readonly input: Json;
  readonly effects: Effects;
  /** Digest of tool and arguments. */
  readonly key: string;
  /** Whether its result may answer an equal call later. */
  readonly reusable: boolean;
  /** `waiting` for a person. */
  readonly progress: 'waiting' | 'ready' | 'running' | 'ok' | 'failed';
  /** UTF-8 bytes that its observation adds to the conversation. */
  readonly bytes: number;
  /** What a person is asked about it, while it waits. */
  readonly request?: PersonRequest;
  /** By which rules it was approved: those of the question whether it happened, should that come up. */
  readonly approvedUnder?: RequestRules;
  /** A person set its arguments, who was asked by these rules: others may hold for them. */
  readonly changedUnder?: RequestRules;
  /** Who approved all later calls with it, until it is known whether policies let its changed arguments through. */
  readonly standingVotes?: readonly Vote[];
  /** Whether a person has said that an attempt at it did not happen. */
  readonly retryApproved: boolean;
  /** Id of the task that it is made for; absent where there is none. */
  readonly task?: string;
  /** Of a call that delegates: the chains that it began, or will. */
  readonly children?: readonly Child[];
  /** Whether its answers are to be scored, and what they are worth, where somebody says which is the best. */
  readonly judging?: 'wanted' | 'scoring' | readonly (number | null)[];
}

/** What the chain is doing now. At most one thing, though that may be several calls. */
export type Flight =
  | { readonly kind: 'idle' }
  | { readonly kind: 'preparing' }
  | {
      readonly kind: 'model';
      /** Which call of the model, counted over the chain: a late result of an abandoned one is not taken for its own. */
      readonly call: string;
      readonly purpose: ModelCallPurpose;
      readonly reservation: Reservation;
      readonly startedAt: number;
      /** Of a `first`: how much of what people had said by then it was asked with; what came later is of the next. */
      readonly messageCount?: number;
    }
  | { readonly kind: 'calls'; readonly calls: readonly PendingCall[] }
  /** Before the next attempt at a call of the model, or at a task of the plan. */
  | { readonly kind: 'retry'; readonly waitMs: number; readonly running: boolean; readonly task?: string };

/** Why the chain is ending. The first reason stays. */
export interface Stop {
  readonly outcome: Outcome;
  readonly reason: StopReason;
  /** Effects that may have happened, and faults on the way to the end: named after the reason. */
  readonly additional: readonly StopReason[];
  readonly answer: Json;
  readonly partial: string | null;
  /** Whether a last call should sum up what was found. */
  readonly closing: boolean;
  /** Whether what is in flight is to be stopped, and has been told. */
  readonly interrupt: 'none' | 'wanted' | 'sent';
  /** Whether Temporal's own cancel is still to come, so that the close tells the truth. */
  readonly awaitsCancel: boolean;
}

export interface Pause {
  readonly by: string | null;
  readonly reason: string | null;
  readonly at: number;
}

export interface ActiveBreakpoint {
  readonly breakpoint: Breakpoint;
  readonly by: string | null;
}

/** Counts for calls that its giver could have approved; what takes somebody else's word is still asked about. */
export interface StandingApproval {
  readonly tool: string;
  readonly by: string | null;
  readonly roles: readonly string[];
}

export interface HistorySize {
  readonly events: number;
  readonly bytes: number;
  /** Whether the server suggests to go on in a new run. */
  readonly continueSuggested: boolean;
}

export interface ChainState {
  /** Without what it carries of an origin: a state is bounded. */
  readonly input: ChainInput | null;
  /** Null for a chain that was not forked off another. */
  readonly origin: OriginRef | null;
  readonly chainId: string;
  readonly agent: AgentSnapshot | null;
  /** Facts so far, and the SHA-256 head over them. */
  readonly facts: number;
  readonly head: string;
  readonly startedAt: number;
  /** When the last workflow task with facts began, and what the history held then. */
  readonly now: number;
  readonly history: HistorySize;
  /** How far it had come when its present run began. */
  readonly run: RunStart;

  readonly flight: Flight;
  /** The most that the next call of the model may cost: for a step, or for the last call. Null where none is to be made. */
  readonly reservation: Reservation | null;
  readonly stop: Stop | null;
  /** Temporal's own cancel has come. */
  readonly temporalCancelled: boolean;
  /** The timers that are started once in a chain, as far as they have been. */
  readonly timers: {
    readonly deadline: boolean;
    readonly grace: boolean;
    /** When the next one for what people are asked fires; null when none is set. */
    readonly request: number | null;
  };

  /** What people said before the agent was known, which names who may. */
  readonly pendingCommands: readonly ReceivedCommand[];
  /** Who paused it and why, while it is paused. */
  readonly paused: Pause | null;
  /** Whether a person has said something that the model has not been asked with. */
  readonly hasUnreadMessages: boolean;
  readonly breakpoints: readonly ActiveBreakpoint[];
  /** Who has approved all further calls of a tool, newest last. */
  readonly standingApprovals: readonly StandingApproval[];
  /** Ids of what people have said lately, newest last: what comes twice is taken once. */
  readonly seenCommandIds: readonly string[];
  /** How long nothing but people and sub-chains was waited for: until now, and since when it is so again. */
  readonly waitingTime: { readonly ms: number; readonly since: number | null };

  /** Replies that were read, those of the origin's steps included. */
  readonly steps: number;
  /** Calls of the model so far, whatever came of them. */
  readonly modelCalls: number;
  /** Attempt at the next model call, from 1. */
  readonly attempt: number;
  readonly continuations: number;
  /** Replies in a row that could not be read. */
  readonly unreadableReplies: number;
  readonly usage: Usage;
  /** What the budget is charged: reported usage, and whole reservations where nothing was reported. */
  readonly charged: { readonly tokens: number; readonly usd: number | null };
  /** What the first reply without plausible usage was charged, and what was wrong with it. Null where there was none. */
  readonly unreportedUsage: { readonly charged: Reservation; readonly problem: string } | null;
  /** What sub-chains that have ended used, and all below them. */
  readonly subChainTotals: {
    readonly chains: number;
    readonly tokens: number;
    readonly usd: number | null;
    readonly usage: Usage;
  };
  /** Whether an unsafe call was begun, here or below: to begin the chain again may repeat it. */
  readonly hasUnsafeCalls: boolean;
  /** Bound of the next request: tokens at the last usage, and UTF-8 bytes of what has come since. */
  readonly context: { readonly tokens: number; readonly newBytes: number };

  /** Digests of the last step's calls, and how many steps in a row made the same ones. */
  readonly repetition: { readonly calls: string; readonly steps: number };
  /** Digests of recent outcomes, newest last, and steps in a row without a new one. */
  readonly novelty: { readonly outcomes: readonly string[]; readonly steps: number; readonly hasNews: boolean };
  /** Read calls that may still answer an equal one: digest, call id, bytes; newest last. */
  readonly reusableCalls: readonly ReusableCall[];

  readonly scratchpad: string;
  /** The last thought and the last good observation, shortened: what a stopped chain has to show. */
  readonly partialFindings: { readonly thought: string; readonly observation: string };

  /** Of a chain by the strategy `plan`, once there is a plan; null in every other. */
  readonly plan: Plan | null;
  /** What the rules of planning keep in mind; null without the strategy `plan`. */
  readonly planning: PlanningState | null;
}

export interface ReusableCall {
  readonly key: string;
  readonly call: string;
  readonly bytes: number;
}

export const emptyState: ChainState = {
  input: null,
  origin: null,
  chainId: '',
  agent: null,
  facts: 0,
  head: '',
  startedAt: 0,
  now: 0,
  history: { events: 0, bytes: 0, continueSuggested: false },
  run: { runs: 0, steps: 0, facts: 0 },
  flight: { kind: 'idle' },
  reservation: null,
  stop: null,
  temporalCancelled: false,
  timers: { deadline: false, grace: false, request: null },
  pendingCommands: [],
  paused: null,
  hasUnreadMessages: false,
  breakpoints: [],
  standingApprovals: [],
  seenCommandIds: [],
  waitingTime: { ms: 0, since: null },
  steps: 0,
  modelCalls: 0,
  attempt: 1,
  continuations: 0,
  unreadableReplies: 0,
  usage: noUsage,
  charged: { tokens: 0, usd: null },
  unreportedUsage: null,
  subChainTotals: { chains: 0, tokens: 0, usd: null, usage: noUsage },
  hasUnsafeCalls: false,
  context: { tokens: 0, newBytes: 0 },
  repetition: { calls: '', steps: 0 },
  novelty: { outcomes: [], steps: 0, hasNews: false },
  reusableCalls: [],
  scratchpad: '',
  partialFindings: { thought: '', observation: '' },
  plan: null,
  planning: null,
};

/**
 * The agent's snapshot: the part of its definition that a chain records when it starts. Later deploys change neither
 * the requests nor the rules of a running chain.
 */

import { check, type JsonObject } from '../lib/index.js';
import type { PromptRef } from './agent-prompt.js';
import type { BlockRule } from './block.js';
import type { CallCost } from './call-cost.js';
import type { CommandPermissions } from './command.js';
import type { Delegation } from './delegation.js';
import type { VisibilityLevel } from './level.js';
import type { Limits, RunLimits } from './limits.js';
import type { Price } from './price.js';
import type { PromptPart } from './prompt-part.js';
import type { ReactExample } from './react-example.js';
import type { RequestRules } from './request.js';
import type { ToolRun } from './tool-run.js';

/**
 * What executing a call twice does. `pure`: nothing, and equal arguments have equal results, so a result is reused. `read`:
 * nothing, but the result may have changed since. `idempotent`: its effect happens once. `unsafe`: its effect happens twice.
 */
export type Effects = 'pure' | 'read' | 'idempotent' | 'unsafe';

/** Returns whether calls change nothing. */
export function isWithoutEffect(effects: Effects): boolean {
  return effects === 'pure' || effects === 'read';
}

/** How viewers see a tool's calls. The model does not see these options. */
export interface ToolView {
  readonly level?: VisibilityLevel;
  /** The line for `summary`, with members of arguments and result in braces: `Queried {table}, returned {rowCount} rows`. */
  readonly summary?: string;
  /**
   * The line of a call for those who may see all of it, in place of its arguments, with members of them in braces: `{query}`.
   */
  readonly request?: string;
  /** The line of its result, with members of the result: `{rowCount} rows`. A failure has its message. */
  readonly response?: string;
  /** Lays out its result or its arguments as a table or a diff, for those who may see all of them. */
  readonly block?: BlockRule;
  /** Why the tool is called, with members of its arguments in braces: `To find the credit score of {name}`. */
  readonly why?: string;
  /** Paths in arguments and results that are never shown: `user.ssn`, `items.*.price`. */
  readonly sensitive?: readonly string[];
  /** Level of the sub-chain that the call starts. */
  readonly childChain?: VisibilityLevel;
}

/** A tool as the rules for viewers know it: its kind, and how it is shown. */
export interface SeenTool extends ToolView {
  /** Default `external`. */
  readonly kind?: string;
}

export interface ToolSnapshot {
  readonly name: string;
  /** A word that rules can match: `external`, `database`, `skill` … */
  readonly kind: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** Describes the result; empty if the tool does not. */
  readonly returns: string;
  readonly effects: Effects;
  /** Whether the chain itself waits for its calls: until a time, or for a signal (state/waits.ts). Repeating them is not a stall. */
  readonly waits: boolean;
  /** Milliseconds for one attempt, from its start. */
  readonly timeoutMs: number;
  /** Milliseconds without a heartbeat after which an attempt counts as lost. */
  readonly heartbeatMs: number;
  /** Most attempts, the first included; always 1 for `unsafe`. */
  readonly attempts: number;
  /** Milliseconds before the second attempt; doubles with each further one. */
  readonly backoffMs: number;
  readonly view: ToolView;
  /** Calls run only in chains with one of these roles; empty: in all chains. */
  readonly roles: readonly string[];
  /** How much of the calls the audit log holds; null for the worker's level. */
  readonly audit: AuditLevel | null;
  /** Rules for the answer, for a tool whose calls are questions to people. Null for other tools. */
  readonly question: RequestRules | null;
  /** For a tool whose calls start chains of an agent. Null for other tools. */
  readonly delegates: Delegation | null;
  /** Classes of the data in its results. Absent for none. */
  readonly dataClasses?: readonly string[];
  /** What its calls cost; absent where they are free. */
  readonly cost?: CallCost;
  /** The task queue of its calls; absent for the chain's own. */
  readonly queue?: ToolQueue;
  /** Absent without a limit. */
  readonly concurrency?: ToolConcurrency;
  /** For a read: how long its result answers equal calls of the chain, in milliseconds or until a call with an effect ran. */
  readonly reuse?: { readonly ms: number } | 'until_effect';
  /** Only where its calls may be local (state/local-calls.ts). */
  readonly local?: true;
  /** What its calls run instead of a tool of Longhand's workers; absent for a tool of theirs. */
  readonly runs?: ToolRun;
  /** Where its definition is from. Absent for a tool that the agent's own definition has. */
  readonly source?: ToolOrigin;
}

/** Returns the name of the tool that asks a person; null without one. */
export function findQuestionTool(tools: readonly Pick<ToolSnapshot, 'name' | 'question'>[]): string | null {
  return tools.find(({ question }) => question !== null)?.name ?? null;
}

/** How many calls of a tool may run at the same time in a worker. */
export interface ToolConcurrency {
  /** Tools of one group share their slots. */
  readonly group: string;
  readonly perWorker: number;
  /** Milliseconds that a call waits for a slot, at most. They do not count for its timeout. */
  readonly slotTimeoutMs: number;
}

export interface ToolQueue {
  readonly name: string;
  /** Milliseconds that a call waits there for a worker, at most. */
  readonly queueTimeoutMs: number;
}

/** A tool that a source listed: a call runs only while the source lists the same definition. */
export interface ToolOrigin {
  /** Name of the source. */
  readonly name: string;
  /** SHA-256 of the definition as the source listed it, in hexadecimal. */
  readonly digest: string;
}

/** Which files a model reads; the limits are those of its provider. */
export type FileRule =
  | {
      readonly kind: 'image';
      readonly mediaTypes: readonly string[];
      readonly maxBytes: number;
      readonly maxSide: number;
    }
  | { readonly kind: 'pdf'; readonly maxBytes: number; readonly maxPages: number };

/** Requests that may carry a schema for the provider to enforce: all, or only those without tools. */
export type StructuredOutput = 'with_tools' | 'without_tools';

export interface ModelSnapshot {
  /** As chosen: an alias, or an id. */
  readonly name: string;
  /** Name of the provider that is called. */
  readonly provider: string;
  /** The model's id in requests to the provider. */
  readonly id: string;
  /** Null if the catalogue has no price: no cost is counted and no cost limit can be enforced. */
  readonly price: Price | null;
  /** Most output tokens of one model call. */
  readonly maxTokens: number;
  /** Tokens of the context window; null if the catalogue does not have it. */
  readonly contextTokens: number | null;
  /** The files that it reads, over its provider's wire. Absent if it reads none. */
  readonly files?: readonly FileRule[];
  /**
   * For an agent with an output schema: whether the provider makes replies match it, also in requests with tools or only
   * without. Absent if it does not.
   */
  readonly structuredOutput?: StructuredOutput;
  /** Requests ask for one call per reply. Absent if a reply may have several. */
  readonly asksForOneCall?: true;
  /** Part of the window, from 0 to 1, at which the oldest steps are summarized. */
  readonly compactAt: number;
  readonly temperature: number | null;
  readonly effort: 'low' | 'medium' | 'high' | 'xhigh' | 'max' | null;
  /** The provider's `thinking` parameter, sent unchanged; null for the model's default. */
  readonly thinking: JsonObject | null;
  /** Stop sequences of the agent, in addition to the strategy's. */
  readonly stopSequences: readonly string[];
  /** Milliseconds for one model call, and without a heartbeat from its worker. */
  readonly timeoutMs: number;
  readonly heartbeatMs: number;
  readonly retry: ModelRetry;
  /** What a failure does that a person has to repair: the chain waits for the repair, or ends. */
  readonly onProviderError: 'hold' | 'fail';
}

/** How long a failed model call is repeated. Whichever comes first ends the chain. */
export interface ModelRetry {
  /** Most attempts at one call, the first included; null for no limit. */
  readonly attempts: number | null;
  /** Milliseconds since the first failed attempt. */
  readonly forMs: number;
  /** Most milliseconds between two attempts, unless the provider requests more. */
  readonly maxIntervalMs: number;
}

/**
 * What a model call is for. `planner`: makes and reviews the plan, with the strategy `plan`. `reasoner`: every other step.
 * `summarizer`: the last call, which sums up. `judge`: judges answers: the chain that chooses the best of several, and the end of an agent
 * with `judge`.
 * `observer`: interprets the last steps, for an agent with `reflection`. `compaction`: writes the notes that replace the oldest steps, for an
 * agent with `compaction: 'model'`. The written policy of the worker has a model of its own.
 */
export type ModelRole = (typeof modelRoles)[number];

export const modelRoles = ['planner', 'reasoner', 'summarizer', 'judge', 'observer', 'compaction'] as const;

/** The part of an agent's snapshot about its other models. Models are named as the definition names them. */
export interface Routing {
  /** All models but the agent's own, each once. */
  readonly others: readonly ModelSnapshot[];
  /** Models of roles; the agent's own for the others. */
  readonly roles: { readonly [role in ModelRole]?: string };
  /** Models for a call that another model failed or refused, in order. */
  readonly fallbacks: readonly string[];
  /** Whether the agent's `route` policy chooses among all models. Absent without a policy. */
  readonly policy?: true;
}

export interface ReactOptions {
  readonly name: 'react';
  /** The instruction for the thought, shown before each one. */
  readonly thoughtPrompt: string;
  readonly requireThought: boolean;
  /** Characters that a thought must have. A character that represents a word or a syllable counts as three. */
  readonly minThoughtLength: number;
  readonly thoughtTag: string;
  readonly actionTag: string;
  readonly observationTag: string;
  /** Whether the model keeps working notes between steps. */
  readonly scratchpad: boolean;
  /** Whether one reply may contain several calls. */
  readonly multipleActions: boolean;
  /** Shown in the system prompt. */
  readonly examples: readonly ReactExample[];
  /** Whether the model may end the chain as a failure: `Cannot Complete: reason`. Absent for no. */
  readonly canFail?: boolean;
}

export interface ToolsOptions {
  readonly name: 'tools';
  /** Whether the model may end the chain as a failure, with the tool `cannot_complete`. Absent for no. */
  readonly canFail?: boolean;
}

export interface AutonomousOptions {
  readonly name: 'autonomous';
  readonly finishToolName: string;
  readonly finishToolDescription: string;
  /** Whether the model also has the tool `cannot_complete`. Absent for no. */
  readonly canFail?: boolean;
}

/** A suggestion for a failed task. The n-th failure of a task gets the n-th of the agent's list. */
export type TaskFallback = 'retry' | 'simplify' | 'other_tool' | 'ask_user' | 'skip';

export interface PlanOptions {
  readonly name: 'plan';
  /** Whether the model makes the plan. If not, the goal is the first and only task. */
  readonly planning: boolean;
  /** Whether the model is asked to reflect: every `reflectEvery` steps of work, and after a task failed. */
  readonly reflection: boolean;
  readonly reflectEvery: number;
  /** Tasks that may be in progress at the same time. */
  readonly parallel: number;
  readonly fallbacks: readonly TaskFallback[];
  /** Key for plans that worked: agents with equal instructions, tools and version reuse them. Null disables reuse. */
  readonly reuse: string | null;
  /** From 0 to 1: how similar the goal of a reused plan must be. 1: only the same words. */
  readonly reuseSimilarity: number;
  /** Whether a reply with calls but without a thought is corrected. Absent for no. */
  readonly requireThought?: boolean;
  /** Whether a person must approve a plan before it is reused. If it is denied, the model makes one. */
  readonly confirmReuse: boolean;
}

/** A suggestion after a call failed. The n-th failure in a row gets the n-th of the list. */
export type CallFallback = 'retry' | 'other_tool' | 'other_way' | 'ask_user' | 'partial_answer';

/** How an observer interprets the steps of a chain. */
export interface Reflection {
  /** Steps from one reflection to the next. */
  readonly every: number;
  /** `rule`: from the calls of the step, without a model call. `model`: by a call of the model of the role `observer`. */
  readonly observer: 'rule' | 'model';
  readonly fallbacks: readonly CallFallback[];
}

/** A text protocol of an author. Only workers have its parser: facts have what it read. */
export interface CustomOptions {
  readonly name: 'custom';
  /** The name that its author chose. */
  readonly strategy: string;
  /** How the model replies. `{tools}` is the place of the list of tools. */
  readonly prompt: string;
  /** The version that its definition states. Absent for none. */
  readonly version?: string;
  readonly stopSequences: readonly string[];
}

export type StrategyOptions = ReactOptions | ToolsOptions | AutonomousOptions | PlanOptions | CustomOptions;

/** Returns the name of a strategy for people and lists: of an author's own, the name that the author chose. */
export function getStrategyName(strategy: StrategyOptions): string {
  return strategy.name === 'custom' ? strategy.strategy : strategy.name;
}

export interface AgentSnapshot {
  readonly name: string;
  /** The version that the definition states; null for none. */
  readonly version: string | null;
  /** Its name for people. Absent for none. */
  readonly title?: string;
  readonly instructions: string;
  /** The prompt that its instructions are from. Absent for none. */
  readonly prompt?: PromptRef;
  readonly model: ModelSnapshot;
  /** Its other models, and their use. Absent for an agent with one model. */
  readonly routing?: Routing;
  readonly strategy: StrategyOptions;
  /** Absent for none, and with the strategy `plan`, which has reviews. */
  readonly reflection?: Reflection;
  /** The written policy of the worker, which a model compares each step with. Absent without one. */
  readonly policy?: { readonly text: string; readonly model: ModelSnapshot; readonly roles?: readonly string[] };
  /** A model writes notes on the oldest steps before the context window is full. Absent: they are summarized by rule. */
  readonly compaction?: 'model';
  /** What a model judges the end of the chain by. Absent for none. */
  readonly judge?: { readonly criteria: string };
  /** In their own order. Absent without any. */
  readonly promptParts?: readonly PromptPart[];
  /** JSON Schema of the answer. Absent if the answer is a text. */
  readonly outputSchema?: JsonObject;
  readonly tools: readonly ToolSnapshot[];
  readonly limits: Limits;
  /** Phrases that end the chain when a reply contains them. */
  readonly successPhrases: readonly string[];
  readonly failurePhrases: readonly string[];
  /** Most tokens of an observation in a request; longer ones are clipped. */
  readonly maxObservationTokens: number;
  /** UTF-8 bytes of a request before the task: the bound of the first reservation. */
  readonly promptBytes: number;
  /** Tokens of the first request by the provider's own count. Absent where they were not counted. */
  readonly countedTokens?: number;
  /** Roles that may send commands to its chains; anybody may where a member is absent. */
  readonly permissions: CommandPermissions;
  /** Tenants whose chains may delegate to this agent; null for all. */
  readonly tenants: readonly string[] | null;
  /** Whether the time spent only waiting for people counts towards the time limit. */
  readonly waitingCounts: boolean;
  /** How its chains ask a person at a limit; an `expiresMs` of null never expires. Absent: they end there. */
  readonly onLimit?: { readonly expiresMs: number | null; readonly roles?: readonly string[] };
  /** When a chain continues as new, from its worker's options; absent if the server's suggestion is enough. */
  readonly continueAfter?: RunLimits;
  /** SHA-256 of the snapshot without this member, `countedTokens` and `continueAfter`, in hexadecimal. */
  readonly digest: string;
}

/** Formats an agent for people: `Invoice clerk (clerk)`, or its name alone. */
export function formatAgent({ name, title }: Pick<AgentSnapshot, 'name' | 'title'>): string {
  return title === undefined ? name : `${title} (${name})`;
}

/**
 * How much of a tool's calls the audit log holds. `none`: no entries for calls, though decisions of people are logged.
 * `basic`: tool, status, digests of arguments and result. `full`: arguments and result as well.
 */
export type AuditLevel = 'none' | 'basic' | 'full';

const auditLevels: readonly AuditLevel[] = ['none', 'basic', 'full'];

export const checkAuditLevel = check.oneOf(auditLevels);

export function chooseLowerLevel(a: AuditLevel, b: AuditLevel): AuditLevel {
  return auditLevels.indexOf(a) <= auditLevels.indexOf(b) ? a : b;
}

export function chooseHigherLevel(a: AuditLevel, b: AuditLevel): AuditLevel {
  return auditLevels.indexOf(a) >= auditLevels.indexOf(b) ? a : b;
}

/** Returns whether an agent or a tool may have the name: providers accept it for a tool, and Temporal for an activity. */
export const checkName = check.pattern(
  /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/,
  'must begin with a letter or _ and contain only letters, digits, _ and -, at most 64',
);
export const isName = checkName.is;

/**
 * An agent as a chain remembers it: plain data, taken once when the chain starts, so that a later
 * deploy changes neither what the model sees nor the rules that the chain runs by.
 */

import { checkOneOf, type ValueCheck } from '../lib/check-value.js';
import type { JsonObject } from '../lib/json.js';
import type { CommandPermissions } from './command.js';
import type { Delegation } from './delegation.js';
import type { Limits, RunLimits } from './limits.js';
import type { RequestRules } from './request.js';

/** What happens when a call is made twice. `unsafe`: something that must not. */
export type Effects = 'read' | 'idempotent' | 'unsafe';

/** How much of a thing a viewer sees: all of it, a line about it, or that it is there. */
export type VisibilityLevel = 'full' | 'summary' | 'hidden';

/** How a tool's calls are shown to people. The model sees nothing of it. */
export interface ToolView {
  /** What kind of tool it is, for rules about many: `external`, `database`, `skill` …; any word. Default `external`. */
  readonly kind?: string;
  readonly level?: VisibilityLevel;
  /** One line for `summary`, with members of arguments and result in braces: `Queried {table}, returned {rowCount} rows`. */
  readonly summary?: string;
  /** What of arguments and results is never shown, as paths: `user.ssn`, `items.*.price`. */
  readonly sensitive?: readonly string[];
  /** The level of the chain that the call began. */
  readonly childChain?: VisibilityLevel;
}

export interface ToolSnapshot {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: JsonObject;
  /** What it gives back, in words; empty when the tool does not say. */
  readonly returns: string;
  readonly effects: Effects;
  /** Whether the same question may have another answer a moment later; such a call is never answered from an earlier one. */
  readonly volatile: boolean;
  /** Milliseconds for one attempt, from its start. */
  readonly timeoutMs: number;
  /** Milliseconds without a sign of life after which an attempt is taken for lost. */
  readonly heartbeatMs: number;
  /** Attempts in all; always 1 for `unsafe`. */
  readonly attempts: number;
  /** Milliseconds before the second attempt; doubles after. */
  readonly backoffMs: number;
  readonly view: ToolView;
  /** How much of its calls the audit log holds; null where the worker's level counts. */
  readonly audit: AuditLevel | null;
  /** Of a tool that nobody runs: its calls are questions, answered by a person under these rules. Else null. */
  readonly question: RequestRules | null;
  /** Of a tool whose calls are chains of an agent. Else null. */
  readonly delegates: Delegation | null;
}

/** US dollars per token. */
export interface Price {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
}

export interface ModelSnapshot {
  readonly name: string;
  /** Null where the catalogue has no price: no cost is counted and no cost limit can be kept. */
  readonly price: Price | null;
  /** Output tokens that a call may use at most. */
  readonly maxTokens: number;
  readonly temperature: number | null;
  readonly effort: 'low' | 'medium' | 'high' | 'xhigh' | 'max' | null;
  /** The provider's `thinking` parameter, as it is sent; null leaves it to the model. */
  readonly thinking: JsonObject | null;
  /** Stop sequences of the agent's own, besides the strategy's. */
  readonly stopSequences: readonly string[];
  /** Milliseconds for one model call, and without a sign of life from its worker. */
  readonly timeoutMs: number;
  readonly heartbeatMs: number;
}

export interface ReactOptions {
  readonly name: 'react';
  /** Shown before every thought: what to think about. */
  readonly thoughtPrompt: string;
  readonly requireThought: boolean;
  /** Characters below which a thought says too little; one that stands for a word or a syllable counts as three. */
  readonly minThoughtLength: number;
  readonly thoughtTag: string;
  readonly actionTag: string;
  readonly observationTag: string;
  /** Whether the model keeps working notes between steps. */
  readonly scratchpad: boolean;
  /** Whether one reply may ask for several actions. */
  readonly multipleActions: boolean;
}

export interface ToolsOptions {
  readonly name: 'tools';
}

export interface AutonomousOptions {
  readonly name: 'autonomous';
  readonly finishToolName: string;
  readonly finishToolDescription: string;
  /** JSON Schema of the finish tool's arguments. */
  readonly resultSchema: JsonObject;
}

/** What is proposed for a task that failed: the first failure of a task gets the first of an agent's list, and so on. */
export type Fallback = 'retry' | 'simplify' | 'other_tool' | 'ask_user' | 'skip';

export interface PlanOptions {
  readonly name: 'plan';
  /** Whether the model is asked for a plan; if not, the goal is the one task to begin with. */
  readonly planning: boolean;
  /** Whether it is asked to look back: after so many steps at work, and after a task has failed. */
  readonly reflection: boolean;
  readonly reflectEvery: number;
  /** Tasks that may be at work at once. */
  readonly parallel: number;
  readonly fallbacks: readonly Fallback[];
  /** Plans that worked are used again by agents of the same words, tools and version: this one. Null: they are not. */
  readonly reuse: string | null;
}

export type StrategyOptions = ReactOptions | ToolsOptions | AutonomousOptions | PlanOptions;

export interface AgentSnapshot {
  readonly name: string;
  readonly instructions: string;
  readonly model: ModelSnapshot;
  readonly strategy: StrategyOptions;
  readonly tools: readonly ToolSnapshot[];
  readonly limits: Limits;
  /** Texts whose appearance in a reply ends the chain. */
  readonly successPhrases: readonly string[];
  readonly failurePhrases: readonly string[];
  /** Tokens that an observation may cost the model; longer ones are clipped. */
  readonly maxObservationTokens: number;
  /** UTF-8 bytes of everything that every request carries before the task: the first reservation's bound. */
  readonly promptBytes: number;
  /** Who may direct its chains: anybody, where a member is left out. */
  readonly permissions: CommandPermissions;
  /** Whose chains may delegate to it; null where everybody's may. */
  readonly tenants: readonly string[] | null;
  /** Whether time in which only people are waited for counts towards the time limit. */
  readonly waitingCounts: boolean;
  /** When its chains go on in a new run, as their worker has it; absent where the server's suggestion is enough. */
  readonly continueAfter?: RunLimits;
  /** SHA-256 of the snapshot without this member and `continueAfter`, in hexadecimal. */
  readonly digest: string;
}

/**
 * How much of a tool's calls the audit log holds. `none`: no entry of them, though what people decide about them is told all
 * the same. `basic`: which tool, how it ended, digests of arguments and result. `full`: these themselves as well.
 */
export type AuditLevel = 'none' | 'basic' | 'full';

const auditLevels: readonly AuditLevel[] = ['none', 'basic', 'full'];

export const checkAuditLevel: ValueCheck = (value, at) => checkOneOf(auditLevels, value, at);

export function chooseHigherLevel(a: AuditLevel, b: AuditLevel): AuditLevel {
  return auditLevels.indexOf(a) >= auditLevels.indexOf(b) ? a : b;
}

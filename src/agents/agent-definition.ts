/**
 * The definition of an agent as a user writes it, and the checked agent. One file: an agent may have others among its tools.
 */

import type { z } from 'zod';
import { isObject, type Json, type JsonObject } from '../core/lib/json.js';
import type { AgentSnapshot, PlanOptions, ReactOptions, StrategyOptions } from '../core/model/agent.js';
import type { Step } from '../core/model/chain.js';
import type { CommandPermissions } from '../core/model/command.js';
import type { CheckResult } from '../core/model/fact.js';
import type { PartialLimits } from '../core/model/limits.js';
import type { ToolApprovals } from '../tools/approval/approval.js';
import type { Tool } from '../tools/define/define-tool.js';

type PartialOptions<T> = { readonly [K in keyof T]?: T[K] | undefined };

/**
 * How the model is talked to. `react`: a text protocol that any model can follow. `tools`: native tool
 * use, until it answers without a call. `autonomous`: native tool use, until it calls a finish tool. `plan`: native tool
 * use by a plan of tasks that it makes first, and again when it has to.
 */
export type StrategyChoice =
  | 'react'
  | 'tools'
  | 'autonomous'
  | 'plan'
  | ({ readonly name: 'react' } & PartialOptions<Omit<ReactOptions, 'name'>>)
  | { readonly name: 'tools' }
  | {
      readonly name: 'autonomous';
      readonly finishToolName?: string;
      readonly finishToolDescription?: string;
      /** What the finish tool takes, and so what the answer is. Default: one text. */
      readonly result?: z.ZodType;
    }
  | ({ readonly name: 'plan' } & PartialOptions<Omit<PlanOptions, 'name'>>);

/** Looks at the steps taken, the newest last; ends the chain as `custom` by giving a verdict. */
export type ReplyCheck = (
  steps: readonly Step[],
) => ReplyCheckResult | null | undefined | Promise<ReplyCheckResult | null | undefined>;

export interface ReplyCheckResult {
  /** One sentence for a person. */
  readonly reason: string;
  readonly answer?: Json;
}

export interface AgentDefinition {
  readonly name: string;
  /** For the models of other agents, which may delegate to it: what it is good for. */
  readonly description?: string;
  /** Who the agent is and how it works; goes before everything else that the model reads. */
  readonly instructions?: string;
  /** As the provider names it. */
  readonly model: string;
  readonly strategy?: StrategyChoice;
  /** An agent among them is one that it may delegate to; `delegate` says how. */
  readonly tools?: readonly (Tool | Agent)[];
  readonly limits?: PartialLimits;
  /** Which calls a person has to approve, besides what its tools say: by tool, or a policy that looks at each call. */
  readonly approval?: ToolApprovals;
  /** Roles that may steer its chains, pause and resume them, raise their limits, cancel them. Default anybody. */
  readonly permissions?: CommandPermissions;
  /** Whose agent it is: chains of other tenants do not delegate to it, unless it is shared with them. Default everybody's. */
  readonly tenant?: string;
  readonly sharedWith?: readonly string[];
  /** Whether time in which nothing but people is waited for counts towards the time limit. Default false. */
  readonly waitingCounts?: boolean;
  /** Output tokens of one call, thinking included. Default 16,000. */
  readonly maxTokens?: number;
  /** Only for models that take it; Claude's no longer do. */
  readonly temperature?: number;
  readonly effort?: AgentSnapshot['model']['effort'];
  /** The Messages API's `thinking` parameter. */
  readonly thinking?: JsonObject;
  readonly stopSequences?: readonly string[];
  /** Texts in a reply that end the chain as `success`, with the reply as the answer, or as `failure`. */
  readonly successPhrases?: readonly string[];
  readonly failurePhrases?: readonly string[];
  /** Asked after every reply, in the worker; it may do I/O. */
  readonly check?: ReplyCheck;
  /** Tokens of an observation that the model is shown; the rest is left out of the middle. Default 2,000. */
  readonly maxObservationTokens?: number;
  /** Milliseconds for one call of the model, and without a sign of life from its worker. */
  readonly modelTimeoutMs?: number;
  readonly modelHeartbeatMs?: number;
}

/** An agent that was checked. */
export interface Agent {
  readonly name: string;
  readonly definition: AgentDefinition;
  readonly strategy: StrategyOptions;
  readonly limits: PartialLimits;
  readonly tool: (name: string) => Tool | undefined;
  readonly tools: readonly Tool[];
  /** The agents that it delegates to, as far as they are defined with it. */
  readonly subAgents: readonly Agent[];
  /** Whose chains may delegate to it; null for everybody's. */
  readonly tenants: readonly string[] | null;
  /** Says what is wrong with a call, for the model, or null. */
  readonly validateCall: (tool: string, input: Json) => string | null;
  readonly check: ((steps: readonly Step[]) => Promise<CheckResult | null>) | null;
}

/** Whether a value is an agent, by its shape: a module may have its own copy of this package. */
export function isAgent(value: unknown): value is Agent {
  return isObject(value) && 'validateCall' in value && 'definition' in value;
}

/** All of them and those that they delegate to, each once, however deep. */
export function collectAgents(given: readonly Agent[]): readonly Agent[] {
  const all = new Set<Agent>();
  const add = (agent: Agent) => {
    if (all.has(agent)) return;
    all.add(agent);
    for (const colleague of agent.subAgents) add(colleague);
  };
  for (const agent of given) add(agent);
  return [...all];
}

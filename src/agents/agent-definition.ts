/** The definition of an agent, and the validated agent. One file: the tools of an agent may include other agents. */

import { isObject, type Json, type JsonObject } from '../core/lib/index.js';
import type {
  AgentPrompt,
  AgentSnapshot,
  AutonomousOptions,
  CheckResult,
  CommandPermissions,
  ModelRole,
  PartialLimits,
  PlanOptions,
  PromptPart,
  ReactOptions,
  Reflection,
  Step,
  StrategyOptions,
  ToolsOptions,
} from '../core/model/index.js';
import type { Duration, LimitOptions, RateOptions } from '../options/index.js';
import type { ObservationSummaryOptions, Tool, ToolApprovals, ToolSchema, ToolSource } from '../tools/define/index.js';
import type { OwnStrategy } from './define-strategy.js';
import type { RoutePolicy } from './route-policy.js';

type PartialOptions<T> = { readonly [K in keyof T]?: T[K] | undefined };

/**
 * The strategy of an agent. `tools`: native tool use until the model answers without a call. `react`: a text protocol for
 * models without tool calling. `autonomous`: native tool use until it calls a finish tool. `plan`: native tool use with a plan of tasks,
 * which the model makes first and revises when necessary. Or an own one of `defineStrategy`.
 */
export type StrategyChoice =
  | 'react'
  | 'tools'
  | 'autonomous'
  | 'plan'
  | ({ readonly name: 'react' } & PartialOptions<Omit<ReactOptions, 'name'>>)
  | ({ readonly name: 'tools' } & PartialOptions<Omit<ToolsOptions, 'name'>>)
  | ({ readonly name: 'autonomous' } & PartialOptions<Omit<AutonomousOptions, 'name'>>)
  | ({ readonly name: 'plan' } & PartialOptions<Omit<PlanOptions, 'name'>>)
  | OwnStrategy;

/**
 * Checks the steps so far, the newest last: after each reply, while its calls are pending, and after their observations. A
 * result ends the chain.
 */
export type StepCheck = (
  steps: readonly Step[],
) => StepCheckResult | null | undefined | Promise<StepCheckResult | null | undefined>;

export interface StepCheckResult {
  /** One sentence for a person. */
  readonly reason: string;
  /** With the outcome `failure`, the findings. */
  readonly answer?: Json;
  /** Default `custom`. A `failure` also ends a chain whose reply is an answer. */
  readonly outcome?: 'custom' | 'failure';
}

export interface AgentDefinition {
  readonly name: string;
  /** Its name for people, such as `Invoice clerk`, shown next to `name`. The model does not see it. */
  readonly title?: string;
  /** The version of the definition, such as `1.4.0`. Chains record it; lists filter by it. */
  readonly version?: string;
  /** From 1, first, to 5: the order of its chains' tasks in a backlog, for starts with this definition and not by name. Default 3. */
  readonly priority?: number;
  /** When to delegate to it, for the models of other agents. */
  readonly description?: string;
  /** The start of the system prompt: the agent's role and how it works. */
  readonly instructions?: string;
  /** Its instructions as a prompt with a version, of `loadPrompts`, in place of `instructions`. */
  readonly prompt?: AgentPrompt;
  /** The provider's name of the model. Default: the worker's default model, `LONGHAND_MODEL`. */
  readonly model?: string;
  /** Models of roles, where they differ from `model`: `{ planner: 'strong', summarizer: 'fast' }`. */
  readonly models?: { readonly [role in ModelRole]?: string };
  /**
   * Models for a call that another one failed or refused, in order. Each gets the call at once, as a paid attempt of its own,
   * before the chain waits or is held.
   */
  readonly fallbacks?: readonly string[];
  /** Chooses the model of each call, among `model`, `models`, `fallbacks` and `candidates`. */
  readonly route?: RoutePolicy;
  /** Further models that `route` may choose. */
  readonly candidates?: readonly string[];
  /** Default `tools`. */
  readonly strategy?: StrategyChoice;
  /**
   * Parts added to its prompts: `accomplished`, `justification`, `step_by_step`, `specific` and `example` in the system prompt;
   * `steps`, `tasks` (only with the strategy `plan`) and `progress` at the end of each request. Default: none.
   */
  readonly promptParts?: readonly PromptPart[];
  /**
   * A model judges the end of the chain by these criteria: an answer, and a failure that the model states. Its verdict allows the end, returns
   * the answer with reasons, ends the chain as `failure`, or asks a person. The model is that of the role `judge`. At most 8,000 characters.
   */
  readonly judge?: { readonly criteria: string };
  /**
   * An observer interprets the steps: what came out, what was learned, whether the goal is nearer, what comes next. It is in the chain and in
   * the next prompts, with a suggestion after failures. `observer: 'rule'` (the default) needs no model call; `'model'` calls the model
   * of the role `observer` after every `every` steps (default 1). `true` for the defaults. Not with the strategy `plan`, which has reviews.
   */
  readonly reflection?: true | PartialOptions<Reflection>;
  /**
   * Schema of the answer, an object: of zod 4, of `fromJsonSchema`, or of another library with Standard Schema. An answer that
   * does not match is repaired, or the model is asked again, at most twice in a row. Where the model and its provider offer
   * structured output, requests carry the schema. Default: a text.
   */
  readonly outputSchema?: ToolSchema;
  /**
   * Whether the answer states its findings, each with a reason and its sources, and the criteria of its decision: members `findings`
   * and `decision` of its schema. Without an `outputSchema`, the text is its member `answer`. Default false.
   */
  readonly findings?: boolean;
  /** Whether the answer has a member `confidence`, from 0 to 1, as the model estimates it. Default false. */
  readonly confidence?: boolean;
  /** Tools, agents to delegate to, and sources of tools, such as `mcpTools`. `delegate` sets options for an agent. */
  readonly tools?: readonly (Tool | Agent | ToolSource)[];
  readonly limits?: LimitOptions;
  /** Which calls a person must approve, in addition to the tools' own rules: by tool, or a policy for each call. */
  readonly approval?: ToolApprovals;
  /** Roles that may steer its chains, pause and resume them, raise their limits, cancel them. Default: everyone. */
  readonly permissions?: CommandPermissions;
  /** The owner: chains of other tenants may delegate to it only if it is shared with them. Default: all tenants. */
  readonly tenant?: string;
  readonly sharedWith?: readonly string[];
  /** Whether the time limit includes time spent waiting only for people. Default false. */
  readonly waitingCounts?: boolean;
  /**
   * What its chains do at a limit of steps, tokens, cost or time. `end`: they end. `ask`: they pause with a question to a person, who
   * raises the limit or cancels the chain; after 7 days, or `expires`, they end. Sub-chains end. Default `end`.
   */
  readonly onLimit?: 'end' | 'ask' | AskOptions;
  /** False: each call of a tool is an activity, also of tools with `local`. Default true. */
  readonly localCalls?: boolean;
  /** Output tokens of one call, thinking included. Default 16,000. */
  readonly maxTokens?: number;
  /**
   * Only for models that accept it; current Claude models do not. Null sends none. Default 0 for models that do not think and of
   * which the catalogue lists that they take a temperature; else none.
   */
  readonly temperature?: number | null;
  readonly effort?: AgentSnapshot['model']['effort'];
  /** The `thinking` parameter of the Messages API, and of some servers of Chat Completions. */
  readonly thinking?: JsonObject;
  readonly stopSequences?: readonly string[];
  /** Texts in a reply that end the chain as `success`, with the reply as the answer, or as `failure`. */
  readonly successPhrases?: readonly string[];
  readonly failurePhrases?: readonly string[];
  /** Called after every reply, in the worker; may do I/O. */
  readonly check?: StepCheck;
  /** Tokens of an observation that the model sees; the middle of a longer one is omitted. Default 2,000. */
  readonly maxObservationTokens?: number;
  /**
   * A small model summarizes long results for the agent, and their calls pay for it: `{ model: 'claude-haiku-5-5', above: 8_000 }` tokens.
   * The whole result is in the store, behind `readMore`. Not for results of sub-agents, people, and tools that cost. Default: clipped.
   */
  readonly summarizeObservations?: ObservationSummaryOptions;
  /** Part of the model's context window at which the oldest steps are summarized: above 0, at most 1. Default 0.8. */
  readonly compactAt?: number;
  /**
   * How the oldest steps are summarized. `rule`: a line for each, without a model call. `model`: the model of the role `compaction` writes
   * notes, a call that the chain pays for; by rule where the budget does not allow it or the call fails. Default `rule`.
   */
  readonly compaction?: 'rule' | 'model';
  /**
   * How long a reply of a model may serve equal requests of the same tenant, in milliseconds or as `'1h'`. Such a reply is free, and no
   * model is asked. Needs a store. Default: each call asks a model.
   */
  readonly cacheReplies?: Duration;
  /**
   * Most model calls, or tokens of them, in any period, over all its chains and all workers of the store: `{ requests: 10, per: '1m' }`.
   * A call over it waits. Default: none.
   */
  readonly rate?: RateOptions;
  /** The time limit of one model call: milliseconds or `'10m'`. Default 10 minutes. */
  readonly modelTimeout?: Duration;
  /** The longest time without a heartbeat of its worker: milliseconds or `'10s'`. Default 10 seconds. */
  readonly modelHeartbeatTimeout?: Duration;
  /** How long a failed model call is repeated. Default: for 7 days, at most a minute apart. */
  readonly modelRetry?: ModelRetryOptions;
  /**
   * What a failure of the provider does that a person has to repair, such as a rejected key. `hold`: the chain waits in the
   * inbox and tries again every 5 minutes, as long as `modelRetry` allows. `fail`: it ends. Default `hold`. An outage is
   * retried with both; with `hold`, one of an hour is in the inbox.
   */
  readonly onProviderError?: OnProviderError;
}

/** How a chain asks at a limit. */
export interface AskOptions {
  /** Milliseconds or `'2 days'`; null never expires. Default 7 days. */
  readonly expires?: Duration | null;
  /** A person with any of these roles may answer. Default: those that may raise limits. */
  readonly roles?: readonly string[];
}

/** Whichever comes first ends the chain. Waits double from a second; the provider's `retry-after` is obeyed. */
export interface ModelRetryOptions {
  /** Attempts at one model call, the first included. Default: no limit. */
  readonly attempts?: number;
  /** Time from the first failed attempt: milliseconds or `'2h'`. Default 7 days. */
  readonly for?: Duration;
  /** The longest wait between two attempts: milliseconds or `'30s'`. Default a minute. */
  readonly maxInterval?: Duration;
}

export type OnProviderError = AgentSnapshot['model']['onProviderError'];

/** A validated agent. */
export interface Agent<Answer = unknown, Name extends string = string> {
  readonly name: Name;
  /** Only a type, of the answer: a text without an output schema; `unknown` where the definition's type does not state it. */
  readonly answer?: Answer;
  readonly definition: AgentDefinition;
  readonly strategy: StrategyOptions;
  /** JSON Schema of the answer; null if it is a text. */
  readonly outputSchema: JsonObject | null;
  readonly limits: PartialLimits;
  readonly tool: (name: string) => Tool | undefined;
  /** Without those of its sources, which its worker loads. */
  readonly tools: readonly Tool[];
  readonly sources: readonly ToolSource[];
  /** The agents that it delegates to, without those given by name. */
  readonly subAgents: readonly Agent[];
  /** Tenants whose chains may delegate to it; null for all. */
  readonly tenants: readonly string[] | null;
  /** Returns what is wrong with a call, for the model, or null. */
  readonly validateCall: (tool: string, input: Json) => string | null;
  /** Returns what is wrong with an answer, for the model, or null. */
  readonly validateAnswer: (answer: Json) => string | null;
  readonly check: ((steps: readonly Step[]) => Promise<CheckResult | null>) | null;
}

/** Whether a value is an agent. By shape, not by class: another copy of this package may have created it. */
export function isAgent(value: unknown): value is Agent {
  return isObject(value) && 'validateCall' in value && 'definition' in value;
}

/** Returns the agents and all agents below them, each once. */
export function collectAgents(agents: readonly Agent[]): readonly Agent[] {
  const all = new Set<Agent>();
  const add = (agent: Agent) => {
    if (all.has(agent)) return;
    all.add(agent);
    for (const subAgent of agent.subAgents) add(subAgent);
  };
  for (const agent of agents) add(agent);
  return [...all];
}

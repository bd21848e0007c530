/** What a user writes to define an agent. Checked here, so that a bad definition never reaches a worker. */

import { z } from 'zod';
import type { AgentSnapshot, ReactOptions, StrategyOptions } from '../core/agent.js';
import type { Step } from '../core/chain.js';
import { problemWithLimits } from '../core/check-limits.js';
import type { CheckVerdict } from '../core/fact.js';
import type { Json, JsonObject } from '../core/json.js';
import type { SomeLimits } from '../core/limits.js';
import { autonomousDefaults } from '../core/strategies/autonomous.js';
import { reactDefaults } from '../core/strategies/react-defaults.js';
import { toolsDefaults } from '../core/strategies/tools.js';
import { problemWith, schemaOf, type Tool } from '../tools/define-tool.js';

type Partly<T> = { readonly [K in keyof T]?: T[K] | undefined };

/**
 * How the model is talked to. `react`: a text protocol that any model can follow. `tools`: native tool
 * use, until it answers without a call. `autonomous`: native tool use, until it calls a finish tool.
 */
export type StrategyChoice =
  | 'react'
  | 'tools'
  | 'autonomous'
  | ({ readonly name: 'react' } & Partly<Omit<ReactOptions, 'name'>>)
  | { readonly name: 'tools' }
  | {
      readonly name: 'autonomous';
      readonly finishToolName?: string;
      readonly finishToolDescription?: string;
      /** What the finish tool takes, and so what the answer is. Default: one text. */
      readonly result?: z.ZodType;
    };

/** Looks at the steps taken, the newest last; ends the chain as `custom` by giving a verdict. */
export type Check = (steps: readonly Step[]) => Verdict | null | undefined | Promise<Verdict | null | undefined>;

export interface Verdict {
  /** One sentence for a person. */
  readonly reason: string;
  readonly answer?: Json;
}

export interface AgentDefinition {
  readonly name: string;
  /** Who the agent is and how it works; goes before everything else that the model reads. */
  readonly instructions?: string;
  /** As the provider names it. */
  readonly model: string;
  readonly strategy?: StrategyChoice;
  readonly tools?: readonly Tool[];
  readonly limits?: SomeLimits;
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
  readonly check?: Check;
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
  readonly limits: SomeLimits;
  readonly tool: (name: string) => Tool | undefined;
  readonly tools: readonly Tool[];
  /** Says what is wrong with a call, for the model, or null. */
  readonly problemWithCall: (tool: string, input: Json) => string | null;
  readonly check: ((steps: readonly Step[]) => Promise<CheckVerdict | null>) | null;
}

/**
 * Defines an agent.
 *
 * @throws {TypeError} saying what to write instead
 * @example
 * export const meteorologist = defineAgent({
 *   name: 'meteorologist',
 *   instructions: 'You compare weather.',
 *   model: 'claude-sonnet-5-5',
 *   strategy: 'react',
 *   tools: [getWeather],
 *   limits: { steps: 10, costUsd: 0.5 },
 * });
 */
export function defineAgent(definition: AgentDefinition): Agent {
  const { name, tools = [], limits = {} } = definition;
  if (!/^[A-Za-z_][A-Za-z0-9_-]{0,63}$/.test(name)) {
    throw new TypeError(
      `defineAgent: the name ${JSON.stringify(name)} must begin with a letter and hold only letters, digits, _ and -, 64 at most.`,
    );
  }
  const complain = (what: string) => new TypeError(`defineAgent: ${name}: ${what}`);
  if (typeof definition.model !== 'string' || definition.model === '') {
    throw complain("name the model, for example model: 'claude-sonnet-5-5'.");
  }
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  const twice = tools.find((tool) => byName.get(tool.name) !== tool);
  if (twice !== undefined) throw complain(`two of its tools are named ${twice.name}. Rename one.`);
  checkNumbers(definition, limits, complain);
  if (
    [...(definition.successPhrases ?? []), ...(definition.failurePhrases ?? [])].some((phrase) => phrase.trim() === '')
  ) {
    throw complain('an empty phrase is in every reply. Leave it out.');
  }
  const strategy = strategyOptions(definition.strategy ?? 'react', complain);
  const finish = finishSchema(definition.strategy);
  if (strategy.name === 'autonomous' && byName.has(strategy.finishToolName)) {
    throw complain(`${strategy.finishToolName} is the tool that ends the chain. Rename yours, or set finishToolName.`);
  }
  return {
    name,
    definition,
    strategy,
    limits,
    tools,
    tool: (wanted) => byName.get(wanted),
    problemWithCall: (wanted, input) => {
      if (strategy.name === 'autonomous' && wanted === strategy.finishToolName) {
        return explain(wanted, problemWith(finish, input));
      }
      const tool = byName.get(wanted);
      if (tool === undefined) return noSuchTool(wanted, [...byName.keys()]);
      return explain(wanted, tool.problemWith(input));
    },
    check: checkOf(definition.check),
  };
}

function checkNumbers(definition: AgentDefinition, limits: SomeLimits, complain: (what: string) => Error): void {
  const numbers = {
    maxTokens: definition.maxTokens,
    maxObservationTokens: definition.maxObservationTokens,
    modelTimeoutMs: definition.modelTimeoutMs,
    modelHeartbeatMs: definition.modelHeartbeatMs,
  };
  for (const [what, value] of Object.entries(numbers)) {
    if (value !== undefined && (!Number.isInteger(value) || value < 1)) {
      throw complain(`\`${what}\` must be a whole number from 1.`);
    }
  }
  const wrong = problemWithLimits(limits);
  if (wrong !== null) throw complain(wrong);
}

function strategyOptions(choice: StrategyChoice, complain: (what: string) => Error): StrategyOptions {
  const options = typeof choice === 'string' ? { name: choice } : choice;
  switch (options.name) {
    case 'react':
      return checkTags({ ...reactDefaults, ...given(options), name: 'react' }, complain);
    case 'tools':
      return toolsDefaults;
    case 'autonomous': {
      const { result, ...rest } = options as Extract<StrategyChoice, { name: 'autonomous' }>;
      const resultSchema = result === undefined ? autonomousDefaults.resultSchema : schemaOf(result, complain);
      return { ...autonomousDefaults, ...given(rest), resultSchema, name: 'autonomous' };
    }
    default:
      throw complain("`strategy` must be 'react', 'tools' or 'autonomous', or one of these with options.");
  }
}

function checkTags(options: ReactOptions, complain: (what: string) => Error): ReactOptions {
  const { thoughtTag, actionTag, observationTag } = options;
  const wrong = [thoughtTag, actionTag, observationTag].find((tag) => !/^\p{L}[\p{L}\p{N} _-]{0,30}$/u.test(tag));
  if (wrong === undefined) return options;
  throw complain(`the tag ${JSON.stringify(wrong)} must be a word or two, without the colon.`);
}

function given<T extends object>(options: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const set = Object.entries(options).filter(([, value]) => value !== undefined);
  return Object.fromEntries(set) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

function finishSchema(choice: StrategyChoice | undefined): z.ZodType {
  const own = typeof choice === 'object' && choice.name === 'autonomous' ? choice.result : undefined;
  return own ?? z.object({ result: z.string() });
}

function noSuchTool(wanted: string, names: readonly string[]): string {
  const has = names.length === 0 ? 'You have no tools.' : `You have: ${names.join(', ')}.`;
  return `There is no tool named ${wanted}. ${has}`;
}

function explain(tool: string, problem: string | null): string | null {
  return problem === null ? null : `The arguments of ${tool} are not right; it was not run.\n${problem}`;
}

function checkOf(check: Check | undefined): Agent['check'] {
  if (check === undefined) return null;
  return async (steps) => {
    const verdict = await check(steps);
    return verdict ? { reason: verdict.reason, answer: verdict.answer ?? null } : null;
  };
}

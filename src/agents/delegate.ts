/**
 * Agents as tools of another: each call is a chain of its own, which runs as a child workflow. Nobody runs these tools:
 * the chain that calls them does.
 */

import { type Duration, msToNumber } from '@temporalio/common/lib/time.js';
import { z } from 'zod';
import type { ToolView } from '../core/agent.js';
import { limitsCheck } from '../core/check-limits.js';
import { type Check, membersOf, oneOf, wholeFrom, words } from '../core/check-value.js';
import type { Delegation, Judge, Sees, Spread } from '../core/delegate/delegation.js';
import type { SomeLimits } from '../core/limits.js';
import type { Approval } from '../tools/approval.js';
import { defineTool, type Score, type Tool } from '../tools/define-tool.js';
import { duration } from '../tools/duration.js';
import { NotDone } from '../tools/errors.js';
import type { Agent } from './agent-definition.js';
import { isAgent } from './is-agent.js';

/** A tool whose calls are chains of an agent. */
export interface DelegateTool extends Tool {
  /** The agents that it needs; those that are known by name alone are defined elsewhere. */
  readonly colleagues: readonly Agent[];
}

interface Common {
  /** What the model calls it by. */
  readonly name?: string;
  /** For the model: when to use it. Default: the agent's `description`. */
  readonly description?: string;
  /** What the model is shown of each chain. Default `'answer'`. */
  readonly sees?: Sees;
  /** Time that each chain may work; waiting for people is no work. Milliseconds or `'5m'`. */
  readonly timeout?: Duration;
  /** How often a chain that fails is begun anew. Default 1 attempt: none. */
  readonly retry?: { readonly attempts: number };
  /** What each chain may use at most. Default: an equal part of what its parent has left. */
  readonly limits?: SomeLimits;
  /** Whether a person has to approve a call. Default false: a sub-chain asks for what it does itself. */
  readonly approval?: Approval;
  readonly view?: ToolView;
}

/** Who chooses the best of several answers: the majority, an agent, or a function that says what each is worth. */
export type JudgeChoice = 'vote' | Agent | Score;

export interface DelegateOptions extends Common {
  /** What the model writes. Default `{ task: string }`. */
  readonly input?: z.ZodObject;
  /** The task made of it: `Research {topic} for {audience}`. Default `{task}`. */
  readonly task?: string;
  /** How many chains are given the same task; then one answer is chosen. Default 1. */
  readonly samples?: number;
  /** Default `'vote'`, where there are samples. */
  readonly judge?: JudgeChoice;
}

export interface MapOptions extends Common {
  /** Chains that run at once. Default 5. */
  readonly atOnce?: number;
  /** Tasks of one call. Default 100. */
  readonly most?: number;
  /** Chooses one of the answers. Default: all are shown. */
  readonly judge?: JudgeChoice;
}

export interface ExploreOptions extends Omit<Common, 'sees'> {
  /** Hypotheses of one call. Default 5. */
  readonly most?: number;
  /** Default `'vote'`. */
  readonly judge?: JudgeChoice;
}

const judge: Check = (value, at) =>
  value === 'vote' || typeof value === 'function' || isAgent(value)
    ? null
    : `${at} must be 'vote', an agent, or a function that gives each answer a number`;

const common = {
  name: words,
  description: words,
  sees: (value: unknown, at: string) => oneOf(['answer', 'summary', 'chain'], value, at),
  timeout: duration,
  retry: membersOf<{ attempts: number }>({ attempts: wholeFrom(1) }),
  limits: limitsCheck,
  approval: () => null,
  view: () => null,
} as const satisfies { readonly [member in keyof Required<Common>]: Check };

const delegateCheck = membersOf<DelegateOptions>({
  ...common,
  input: (value, at) => (value instanceof z.ZodObject ? null : `${at} must be a z.object({ … })`),
  task: words,
  samples: wholeFrom(1),
  judge,
});

const mapCheck = membersOf<MapOptions>({ ...common, atOnce: wholeFrom(1), most: wholeFrom(1), judge });

const { sees: _, ...ofBranches } = common;
const exploreCheck = membersOf<ExploreOptions>({ ...ofBranches, most: wholeFrom(2), judge });

const whole = z.object({
  task: z.string().min(1).describe('All that it needs to know: it sees nothing else of this conversation'),
});

/**
 * An agent as a tool of another. An agent in `tools` is the same without options.
 *
 * @param agent or its name, where it is defined elsewhere and served by other workers
 * @throws {TypeError} saying what to write instead
 * @example
 * defineAgent({ name: 'editor', tools: [researcher, delegate(critic, { sees: 'summary', limits: { costUsd: 0.1 } })], … })
 */
export function delegate(agent: Agent | string, options: DelegateOptions = {}): DelegateTool {
  const name = nameOf(agent, 'delegate');
  check(delegateCheck, options, `delegate: ${name}`);
  const { input = whole, task = '{task}', samples = 1 } = options;
  const unknown = [...task.matchAll(/\{(\w+)\}/g)].find(([, member = '']) => !Object.hasOwn(input.shape, member));
  if (unknown !== undefined) {
    throw new TypeError(
      `delegate: ${name}: the task names ${unknown[0]}, which the input does not have. It has: ${Object.keys(input.shape).join(', ')}.`,
    );
  }
  const spread: Spread = samples === 1 ? { kind: 'one' } : { kind: 'samples', count: samples };
  const chosen = options.judge ?? (samples === 1 ? undefined : 'vote');
  return toolOf(agent, options, { name, input, task, spread, judge: chosen, description: descriptionOf(agent) });
}

/**
 * A tool that gives each of many tasks to a chain of its own, some at once, and comes back with a summary and all answers.
 *
 * @throws {TypeError} saying what to write instead
 * @example
 * defineAgent({ name: 'reviewer', tools: [map(fileReviewer, { atOnce: 10 })], … })
 */
export function map(agent: Agent | string, options: MapOptions = {}): DelegateTool {
  const name = nameOf(agent, 'map');
  check(mapCheck, options, `map: ${name}`);
  const { atOnce = 5, most = 100 } = options;
  const input = z.object({
    tasks: z
      .array(z.string().min(1))
      .min(1)
      .max(most)
      .describe(`One text for each task, ${most} at most; each is all that its chain knows`),
  });
  return toolOf(agent, options, {
    name: `map_${name}`,
    input,
    task: '{task}',
    spread: { kind: 'map', atOnce, most },
    judge: options.judge,
    description: `Gives each of many tasks to ${name}, ${atOnce} at once, and comes back with all answers. ${descriptionOf(agent)}`,
  });
}

/**
 * A tool with which an agent tries several ways at once: the chain goes on with each, from where it stands, as a sub-chain
 * of its own; then one is chosen. The others can be read.
 *
 * @throws {TypeError} saying what to write instead
 * @example
 * defineAgent({ name: 'debugger', tools: [...tools, explore({ judge: ({ answer }) => score(answer) })], … })
 */
export function explore(options: ExploreOptions = {}): DelegateTool {
  check(exploreCheck, options, 'explore');
  const { most = 5 } = options;
  const input = z.object({
    hypotheses: z
      .array(z.string().min(1))
      .min(2)
      .max(most)
      .describe('What each branch is to try, in a sentence or two'),
  });
  return toolOf(null, options, {
    name: 'explore',
    input,
    task: '{task}',
    spread: { kind: 'branches', most },
    judge: options.judge ?? 'vote',
    description: `Tries several hypotheses at once: you go on with each of them separately, from here, knowing all that you know now, and the best answer comes back. For when it is open which way is right. ${most} at most.`,
  });
}

interface Parts {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly task: string;
  readonly spread: Spread;
  readonly judge: JudgeChoice | undefined;
}

/** @param agent null for the agent that has the tool: its name is known when that is defined */
function toolOf(agent: Agent | string | null, options: Common, parts: Parts): DelegateTool {
  const { judge: chosen, spread, task } = parts;
  const tool = defineTool({
    name: options.name ?? parts.name,
    description: options.description ?? parts.description,
    input: parts.input,
    returns: 'what it answers; if it does not finish, why, and what it had found',
    effects: 'idempotent',
    view: { kind: 'agent', ...options.view },
    run: () => {
      throw new NotDone('A chain begins it as a sub-chain; nobody runs it.');
    },
  });
  const delegation: Delegation = {
    agent: agent === null ? '' : nameOf(agent, 'delegate'),
    spread,
    judge: judgeOf(chosen),
    task,
    sees: options.sees ?? 'answer',
    attempts: options.retry?.attempts ?? 1,
    limits: { ...options.limits, ...(options.timeout === undefined ? {} : { timeMs: msToNumber(options.timeout) }) },
    tenants: isAgent(agent) ? agent.tenants : null,
  };
  return {
    ...tool,
    ...(options.approval === undefined ? {} : { approval: options.approval }),
    snapshot: { ...tool.snapshot, delegates: delegation },
    colleagues: [agent, chosen].filter(isAgent),
    ...(typeof chosen === 'function' ? { score: chosen } : {}),
  };
}

function judgeOf(chosen: JudgeChoice | undefined): Judge | null {
  if (chosen === undefined) return null;
  if (chosen === 'vote') return { by: 'vote' };
  return typeof chosen === 'function' ? { by: 'score' } : { by: 'agent', agent: chosen.name };
}

function nameOf(agent: Agent | string, by: string): string {
  const name: unknown = typeof agent === 'string' ? agent : isAgent(agent) ? agent.name : null;
  if (typeof name === 'string' && name.trim() !== '') return name;
  throw new TypeError(`${by}: write the agent that it delegates to, as defineAgent made it, or its name.`);
}

function descriptionOf(agent: Agent | string): string {
  const said = typeof agent === 'string' ? undefined : agent.definition.description;
  return (
    said ??
    `Gives a task to the agent ${nameOf(agent, 'delegate')}, who works on it alone and comes back with the answer.`
  );
}

function check(members: Check, options: object, who: string): void {
  const wrong = members(options, '');
  if (wrong !== null) throw new TypeError(`${who}: ${wrong}.`);
}

export function isDelegateTool(tool: Tool): tool is DelegateTool {
  return 'colleagues' in tool;
}

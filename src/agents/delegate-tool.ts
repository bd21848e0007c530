/**
 * What the tools that delegate have in common. Nobody runs them: the chain that calls one begins a chain of its own for it,
 * which runs as a child workflow.
 */

import type { z } from 'zod';
import { type Check, membersOf, oneOf, wholeFrom, words } from '../core/lib/check-value.js';
import type { ToolView } from '../core/model/agent.js';
import type { Delegation, Judge, Sees, Spread } from '../core/model/delegation.js';
import { limitsCheck, type SomeLimits } from '../core/model/limits.js';
import type { Approval } from '../tools/approval/approval.js';
import { type Duration, duration, milliseconds } from '../tools/approval/duration.js';
import { defineTool, type Score, type Tool } from '../tools/define/define-tool.js';
import { NotDone } from '../tools/define/errors.js';
import { type Agent, isAgent } from './agent-definition.js';

/** A tool whose calls are chains of an agent. */
export interface DelegateTool extends Tool {
  /** The agents that it needs; those that are known by name alone are defined elsewhere. */
  readonly colleagues: readonly Agent[];
}

export interface DelegationOptions {
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

export const judgeCheck: Check = (value, at) =>
  value === 'vote' || typeof value === 'function' || isAgent(value)
    ? null
    : `${at} must be 'vote', an agent, or a function that gives each answer a number`;

export const optionChecks = {
  name: words,
  description: words,
  sees: (value: unknown, at: string) => oneOf(['answer', 'summary', 'chain'], value, at),
  timeout: duration,
  retry: membersOf<{ attempts: number }>({ attempts: wholeFrom(1) }),
  limits: limitsCheck,
  approval: () => null,
  view: () => null,
} as const satisfies { readonly [member in keyof Required<DelegationOptions>]: Check };

interface Parts {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodObject;
  readonly task: string;
  readonly spread: Spread;
  readonly judge: JudgeChoice | undefined;
}

/** @param agent null for the agent that has the tool: its name is known when that is defined */
export function delegateTool(agent: Agent | string | null, options: DelegationOptions, parts: Parts): DelegateTool {
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
    limits: { ...options.limits, ...(options.timeout === undefined ? {} : { timeMs: milliseconds(options.timeout) }) },
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

export function nameOf(agent: Agent | string, by: string): string {
  const name: unknown = typeof agent === 'string' ? agent : isAgent(agent) ? agent.name : null;
  if (typeof name === 'string' && name.trim() !== '') return name;
  throw new TypeError(`${by}: write the agent that it delegates to, as defineAgent made it, or its name.`);
}

export function descriptionOf(agent: Agent | string): string {
  const said = typeof agent === 'string' ? undefined : agent.definition.description;
  return (
    said ??
    `Gives a task to the agent ${nameOf(agent, 'delegate')}, who works on it alone and comes back with the answer.`
  );
}

export function checkOptions(members: Check, options: object, who: string): void {
  const wrong = members(options, '');
  if (wrong !== null) throw new TypeError(`${who}: ${wrong}.`);
}

export function isDelegateTool(tool: Tool): tool is DelegateTool {
  return 'colleagues' in tool;
}

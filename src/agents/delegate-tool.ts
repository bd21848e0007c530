/**
 * What the tools that delegate have in common. Nobody runs them: the chain that calls one begins a chain of its own for it,
 * which runs as a child workflow.
 */

import type { z } from 'zod';
import {
  checkIntegerFrom,
  checkMembers,
  checkNonEmptyText,
  checkOneOf,
  type ValueCheck,
} from '../core/lib/check-value.js';
import type { ToolView } from '../core/model/agent.js';
import type { Delegation, Judge, ResultDetail, Spread } from '../core/model/delegation.js';
import { checkLimits, type PartialLimits } from '../core/model/limits.js';
import type { Approval } from '../tools/approval/approval.js';
import { type Duration, durationCheck, toMilliseconds } from '../tools/approval/duration.js';
import { defineTool, type Score, type Tool } from '../tools/define/define-tool.js';
import { NotDone } from '../tools/define/errors.js';
import { type Agent, isAgent } from './agent-definition.js';

/** A tool whose calls are chains of an agent. */
export interface DelegateTool extends Tool {
  /** The agents that it needs; those that are known by name alone are defined elsewhere. */
  readonly subAgents: readonly Agent[];
}

export interface DelegationOptions {
  /** What the model calls it by. */
  readonly name?: string;
  /** For the model: when to use it. Default: the agent's `description`. */
  readonly description?: string;
  /** What the model is shown of each chain. Default `'answer'`. */
  readonly sees?: ResultDetail;
  /** Time that each chain may work; waiting for people is no work. Milliseconds or `'5m'`. */
  readonly timeout?: Duration;
  /** How often a chain that fails is begun anew. Default 1 attempt: none. */
  readonly retry?: { readonly attempts: number };
  /** What each chain may use at most. Default: an equal part of what its parent has left. */
  readonly limits?: PartialLimits;
  /** Whether a person has to approve a call. Default false: a sub-chain asks for what it does itself. */
  readonly approval?: Approval;
  readonly view?: ToolView;
}

/** Who chooses the best of several answers: the majority, an agent, or a function that says what each is worth. */
export type JudgeChoice = 'vote' | Agent | Score;

export const judgeCheck: ValueCheck = (value, at) =>
  value === 'vote' || typeof value === 'function' || isAgent(value)
    ? null
    : `${at} must be 'vote', an agent, or a function that gives each answer a number`;

export const delegationOptionChecks = {
  name: checkNonEmptyText,
  description: checkNonEmptyText,
  sees: (value: unknown, at: string) => checkOneOf(['answer', 'summary', 'chain'], value, at),
  timeout: durationCheck,
  retry: checkMembers<{ attempts: number }>({ attempts: checkIntegerFrom(1) }),
  limits: checkLimits,
  approval: () => null,
  view: () => null,
} as const satisfies { readonly [member in keyof Required<DelegationOptions>]: ValueCheck };

interface DelegateToolParts {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: z.ZodObject;
  readonly task: string;
  readonly spread: Spread;
  readonly judge: JudgeChoice | undefined;
}

/** @param agent null for the agent that has the tool: its name is known when that is defined */
export function createDelegateTool(
  agent: Agent | string | null,
  options: DelegationOptions,
  parts: DelegateToolParts,
): DelegateTool {
  const { judge: chosen, spread, task } = parts;
  const tool = defineTool({
    name: options.name ?? parts.name,
    description: options.description ?? parts.description,
    inputSchema: parts.inputSchema,
    returns: 'what it answers; if it does not finish, why, and what it had found',
    effects: 'idempotent',
    view: { kind: 'agent', ...options.view },
    execute: () => {
      throw new NotDone('A chain begins it as a sub-chain; nobody runs it.');
    },
  });
  const delegation: Delegation = {
    agent: agent === null ? '' : getAgentName(agent, 'delegate'),
    spread,
    judge: toJudge(chosen),
    task,
    sees: options.sees ?? 'answer',
    attempts: options.retry?.attempts ?? 1,
    limits: {
      ...options.limits,
      ...(options.timeout === undefined ? {} : { timeMs: toMilliseconds(options.timeout) }),
    },
    tenants: isAgent(agent) ? agent.tenants : null,
  };
  return {
    ...tool,
    ...(options.approval === undefined ? {} : { approval: options.approval }),
    snapshot: { ...tool.snapshot, delegates: delegation },
    subAgents: [agent, chosen].filter(isAgent),
    ...(typeof chosen === 'function' ? { score: chosen } : {}),
  };
}

function toJudge(chosen: JudgeChoice | undefined): Judge | null {
  if (chosen === undefined) return null;
  if (chosen === 'vote') return { by: 'vote' };
  return typeof chosen === 'function' ? { by: 'score' } : { by: 'agent', agent: chosen.name };
}

export function getAgentName(agent: Agent | string, by: string): string {
  const name: unknown = typeof agent === 'string' ? agent : isAgent(agent) ? agent.name : null;
  if (typeof name === 'string' && name.trim() !== '') return name;
  throw new TypeError(`${by}: write the agent that it delegates to, as defineAgent made it, or its name.`);
}

export function describeAgent(agent: Agent | string): string {
  const said = typeof agent === 'string' ? undefined : agent.definition.description;
  return (
    said ??
    `Gives a task to the agent ${getAgentName(agent, 'delegate')}, who works on it alone and comes back with the answer.`
  );
}

export function checkOptions(members: ValueCheck, options: object, who: string): void {
  const wrong = members(options, '');
  if (wrong !== null) throw new TypeError(`${who}: ${wrong}.`);
}

export function isDelegateTool(tool: Tool): tool is DelegateTool {
  return 'subAgents' in tool;
}

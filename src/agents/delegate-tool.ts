/** The common part of delegating tools. They are never executed: the chain starts a sub-chain, a child workflow. */

import type { z } from 'zod';
import { check, LonghandError, omitUndefined } from '../core/lib/index.js';
import type { Delegation, DelegationJudge, DelegationSpread, ResultDetail, ToolView } from '../core/model/index.js';
import {
  checkDuration,
  checkLimitOptions,
  type Duration,
  type LimitOptions,
  toStoredLimits,
} from '../options/index.js';
import {
  type Approval,
  checkToolRoles,
  defineTool,
  NotDone,
  type ScoreAnswer,
  type Tool,
} from '../tools/define/index.js';
import { type Agent, isAgent } from './agent-definition.js';

/** A tool whose calls start sub-chains. */
export interface DelegateTool extends Tool {
  /** The agents that it starts, without those given by name. */
  readonly subAgents: readonly Agent[];
}

export interface DelegationOptions {
  /** The name of the tool. */
  readonly name?: string;
  /** For the model: when to use it. Default: the agent's `description`. */
  readonly description?: string;
  /** How much of each sub-chain the model sees. Default `'answer'`. */
  readonly sees?: ResultDetail;
  /** Working time of each sub-chain, without waiting for people. Milliseconds or `'5m'`. */
  readonly timeout?: Duration;
  /** Attempts for each sub-chain that fails. Default 1: no retry. */
  readonly retry?: { readonly attempts: number };
  /** Limits of each sub-chain. Default: an equal part of its parent's remaining budget. */
  readonly limits?: LimitOptions;
  /** Whether a person must approve a call. Default false: a sub-chain requests approval of its own calls. */
  readonly approval?: Approval;
  /** Roles that may have it called, as of any tool. Default: all chains. */
  readonly roles?: readonly string[];
  readonly view?: ToolView;
}

/** How the best of several answers is chosen: by the majority, an agent, or a function that scores each. */
export type JudgeChoice = 'vote' | Agent | ScoreAnswer;

export const checkJudge = check.define<JudgeChoice>(
  (value) => value === 'vote' || check.callable.is(value) || isAgent(value),
  "must be 'vote', an agent, or a function that returns a score for each answer",
);

export const delegationOptionChecks = {
  name: check.nonEmptyText,
  description: check.nonEmptyText,
  sees: check.oneOf(['answer', 'summary', 'chain']),
  timeout: checkDuration,
  retry: check.members<{ attempts: number }>({ attempts: check.integerFrom(1) }),
  limits: checkLimitOptions,
  approval: check.anything,
  roles: checkToolRoles,
  view: check.anything,
} as const satisfies { readonly [member in keyof Required<DelegationOptions>]: check.ValueCheck };

interface DelegateToolParts {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: z.ZodObject;
  readonly task: string;
  readonly spread: DelegationSpread;
  readonly judge: JudgeChoice | undefined;
}

/** @param agent null for the agent that owns the tool: its name is set when that agent is defined */
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
    returns: 'the answer; if it does not finish, the reason and the partial result',
    effects: 'idempotent',
    kind: 'sub_agent',
    view: { ...options.view },
    ...omitUndefined({ roles: options.roles }),
    execute: () => {
      throw new NotDone('A delegating tool cannot be executed: the chain starts a sub-chain.');
    },
  });
  const delegation: Delegation = {
    agent: agent === null ? '' : getAgentName(agent, 'delegate'),
    spread,
    judge: toJudge(chosen),
    task,
    sees: options.sees ?? 'answer',
    attempts: options.retry?.attempts ?? 1,
    limits: toStoredLimits({ ...options.limits, ...omitUndefined({ time: options.timeout }) }),
    tenants: isAgent(agent) ? agent.tenants : null,
  };
  return {
    ...tool,
    ...omitUndefined({ approval: options.approval }),
    snapshot: { ...tool.snapshot, delegates: delegation },
    subAgents: [agent, chosen].filter(isAgent),
    ...(typeof chosen === 'function' ? { score: chosen } : {}),
  };
}

function toJudge(chosen: JudgeChoice | undefined): DelegationJudge | null {
  if (chosen === undefined) return null;
  if (chosen === 'vote') return { by: 'vote' };
  return typeof chosen === 'function' ? { by: 'score' } : { by: 'agent', agent: chosen.name };
}

export function getAgentName(agent: Agent | string, by: string): string {
  const name: unknown = typeof agent === 'string' ? agent : isAgent(agent) ? agent.name : null;
  if (typeof name === 'string' && name.trim() !== '') return name;
  throw new LonghandError('invalid_tool', `${by}: expected an agent from defineAgent, or the name of an agent.`);
}

export function describeAgent(agent: Agent | string): string {
  const description = typeof agent === 'string' ? undefined : agent.definition.description;
  return (
    description ??
    `Gives a task to the agent ${getAgentName(agent, 'delegate')}, which works on it independently and returns the answer.`
  );
}

export function checkOptions(members: check.ValueCheck, options: object, who: string): void {
  const problem = members(options, '');
  if (problem !== null) throw new LonghandError('invalid_tool', `${who}: ${problem}.`);
}

export function isDelegateTool(tool: Tool): tool is DelegateTool {
  return 'subAgents' in tool;
}

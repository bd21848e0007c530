/** Chains by the strategy `plan`: agents, the calls of a model that change the plan, and its progress. */

import type { AgentSnapshot, PlanOptions } from '../../src/core/model/agent.js';
import type { ReplyBlock } from '../../src/core/model/model.js';
import { planDefaults } from '../../src/core/strategies/strategy.js';
import type { Json } from '../../src/index.js';
import { agentOf, rawReply, readBy, text, tool, usage, use } from './core-builders.js';
import type { Play } from './core-play.js';

export function planAgent(options: Partial<PlanOptions> = {}, more: Parameters<typeof agentOf>[0] = {}): AgentSnapshot {
  return agentOf({ strategy: { ...planDefaults, ...options }, ...more, limits: { steps: 30, ...more.limits } });
}

export const withQuestion = { tools: [tool('look'), tool('ask_user', { question: question() })] };

function question() {
  return {
    reason: 'It asks.',
    risk: 'low',
    roles: [],
    approvers: 1,
    byRequester: true,
    expiresMs: null,
    onExpiry: 'deny',
    escalation: null,
  } as const;
}

/** Tasks as a model writes them: `c after a, b`. */
export function tasksOf(...lines: readonly string[]): Json {
  return lines.map((line) => {
    const [id = '', after = ''] = line.split(' after ');
    const depends_on = after === '' ? [] : after.split(', ');
    return { id, description: `Do ${id}.`, depends_on };
  });
}

/** A call, as `[tool, arguments]`. */
export type PlanCall = readonly [tool: string, input?: Json];

export const makes = (...lines: readonly string[]): PlanCall => ['make_plan', { tasks: tasksOf(...lines) }];
export const revises = (reason: string, ...lines: readonly string[]): PlanCall => [
  'revise_plan',
  { reason, tasks: tasksOf(...lines) },
];
export const reviews = (learned: readonly string[], assessment = 'On track.'): PlanCall => [
  'review_plan',
  { learned, assessment },
];
export const starts = (id: string): PlanCall => ['start_task', { id }];
export const completes = (id: string, result = `${id} is done`): PlanCall => ['complete_task', { id, result }];
export const fails = (id: string, error = 'It is shut'): PlanCall => ['fail_task', { id, error }];
export const finishes = (result: string, reason?: string): PlanCall => [
  'finish',
  reason === undefined ? { result } : { result, reason },
];

let ids = 0;

/** Replies with calls, parsed by the agent's strategy. */
export function replyWithCalls(play: Play, ...calls: readonly PlanCall[]): void {
  replyWith(
    play,
    calls.map(([name, input = {}]) => use(`plan_use_${ids++}`, name, input)),
  );
}

/** Replies with text only. */
export function replyWithText(play: Play, words: string): void {
  replyWith(play, [text(words)]);
}

function replyWith(play: Play, content: readonly ReplyBlock[]): void {
  const { agent } = play.state;
  if (agent === null) throw new Error('The agent is not known.');
  play.replied(readBy(agent, rawReply(content, 'tool_use', usage(1_000, 100))));
}

/** `a completed, b pending` */
export function statusesOf({ state }: Pick<Play, 'state'>): string {
  return (state.plan?.tasks ?? []).map(({ id, status }) => `${id} ${status}`).join(', ');
}

/** Returns the newest guidance about the plan that the model sees. */
export function lastGuide({ chain }: Pick<Play, 'chain'>): string | null {
  const guide = chain.guidance.at(-1);
  return guide === undefined || guide.afterStep < chain.state.steps ? null : guide.text;
}

/** Returns the observations of the last step. */
export function answersOf({ step }: Pick<Play, 'step'>): readonly Json[] {
  return step.calls.map(({ observation }) => observation);
}

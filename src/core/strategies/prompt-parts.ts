/** Renders the parts that an agent adds to its prompts: a guide in the system prompt, and the status at the end of a request. */

import { renderLabelledText, shorten, toOneLine } from '../lib/index.js';
import {
  type AgentSnapshot,
  type Chain,
  formatPlanProgress,
  hasResult,
  listTasksByStatus,
  type ModelMessage,
  maxStatusLength,
  type Plan,
  type PromptPart,
  type Step,
  type Task,
  type TaskStatus,
  type TextBlock,
} from '../model/index.js';

/** Questions before each action, and how the agent works. */
const guideLines: { readonly [part in PromptPart]?: string } = {
  accomplished: '- What has been accomplished so far?',
  justification: '- Why is this action the right one, and what do I expect of its result?',
  progress: '- Which progress and which obstacles does the Status show?',
};

/** Returns the guide for each action; empty without a part of it. */
export function renderGuide({ promptParts = [] }: AgentSnapshot): string {
  const questions = promptParts.flatMap((part) => guideLines[part] ?? []);
  return [
    ...(promptParts.includes('step_by_step') ? ['Think step by step.'] : []),
    ...(promptParts.includes('specific')
      ? ['Be specific, and use the tools effectively: name exact values, places and results.']
      : []),
    ...(questions.length === 0 ? [] : ['Before each action, answer for yourself:', ...questions]),
    ...(hasStatus(promptParts)
      ? ['Each request ends with "Status:", which Longhand writes: where the work is now.']
      : []),
  ].join('\n');
}

function hasStatus(parts: readonly PromptPart[]): boolean {
  return parts.some((part) => part === 'steps' || part === 'tasks' || part === 'progress');
}

/**
 * Renders where the chain is, for the last message of its next request. Everything else of a request stays equal from step to
 * step, so that providers cache it. Names and numbers only: no text of a tool, which could give instructions here.
 *
 * @returns null where the agent has no such part, and for the last call of a chain
 */
export function renderStatus({ state, steps }: Chain, { promptParts = [], limits }: AgentSnapshot): TextBlock | null {
  if (!hasStatus(promptParts) || state.stop !== null) return null;
  const number = state.steps + 1;
  const left = Math.max(0, limits.steps - number);
  const lists = [
    ...(promptParts.includes('tasks') && state.plan !== null ? renderTasks(state.plan) : []),
    ...(promptParts.includes('progress') ? renderProgress(steps) : []),
  ];
  const lines = [
    ...(promptParts.includes('steps') ? [`Step ${number} of at most ${limits.steps}, ${left} left after it.`] : []),
    ...(lists.length === 0 ? [] : [shorten(lists.join('\n'), maxStatusLength)]),
  ];
  return lines.length === 0 ? null : { type: 'text', text: renderLabelledText('Status', lines.join('\n')) };
}

/** Appends the status to the last message of a person: a paused turn after it is continued by the model. */
export function appendStatus(messages: readonly ModelMessage[], status: TextBlock | null): readonly ModelMessage[] {
  const at = messages.findLastIndex(({ role }) => role === 'user');
  if (status === null || at < 0) return messages;
  return messages.map((message, index) =>
    index === at && message.role === 'user' ? { ...message, content: [...message.content, status] } : message,
  );
}

const taskLists: readonly (readonly [TaskStatus, string])[] = [
  ['completed', 'Completed'],
  ['in_progress', 'In progress'],
  ['pending', 'Open'],
  ['failed', 'Failed'],
  ['blocked', 'Blocked'],
];

/** Characters of a task's description. */
const maxTaskLength = 60;

function renderTasks(plan: Plan): readonly string[] {
  const lists = taskLists.flatMap(([status, label]) => {
    const tasks = listTasksByStatus(plan, status);
    return tasks.length === 0 ? [] : [`${label}: ${tasks.map(renderTask).join('; ')}`];
  });
  return [`Tasks: ${formatPlanProgress(plan)}.`, ...lists];
}

function renderTask({ id, description }: Task): string {
  return `${id} (${shorten(toOneLine(description), maxTaskLength)})`;
}

/** Steps whose failures still matter. */
const obstacleSteps = 3;

function renderProgress(steps: readonly Step[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { calls } of steps)
    for (const { tool, status } of calls) if (hasResult(status)) counts.set(tool, (counts.get(tool) ?? 0) + 1);
  const done = [...counts].map(([tool, count]) => (count === 1 ? tool : `${tool} (${count} times)`));
  const obstacles = steps
    .slice(-obstacleSteps)
    .flatMap(({ number, calls, problem }) => [
      ...(problem === null ? [] : [`reply ${number} could not be read`]),
      ...calls.flatMap(({ id, tool, status }) => (hasResult(status) ? [] : [`${id} ${tool} (${describe(status)})`])),
    ]);
  return [
    `Results so far: ${done.length === 0 ? 'none' : done.join(', ')}.`,
    `Obstacles: ${obstacles.length === 0 ? 'none' : obstacles.join(', ')}.`,
  ];
}

function describe(status: string): string {
  return status === 'error' ? 'failed' : status.replaceAll('_', ' ');
}

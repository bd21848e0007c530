/**
 * Formats a chain with a plan as lines: goal, tasks, progress, current thought and action, usage. Never higher than the
 * terminal: tasks far from the current one are omitted first.
 */

import { formatCount, formatDuration, formatUsd, toOneLine } from '../../core/lib/index.js';
import { type Plan, statusMarks, type Task } from '../../core/model/index.js';
import {
  computePlanPercent,
  formatTaskIndent,
  type PlacedTask,
  placeTasks,
  taskStyles,
} from '../../core/view/index.js';
import type { Colors } from '../terminal/colors.js';
import { measureColumns, truncate, wrapText } from '../terminal/text.js';
import { drawBar } from './bar.js';
import { createPainter } from './painter.js';
import type { Scene } from './scene.js';

export interface FrameOptions {
  readonly c: Colors;
  readonly width: number;
  readonly rows: number;
  /** Milliseconds since 1970. */
  readonly now: number;
}

const barWidth = 20;
/** Maximum number of lines of the thought. */
const thoughtLines = 2;

export function formatFrame(scene: Scene, { c, width, rows, now }: FrameOptions): readonly string[] {
  const room = Math.max(20, width - 1);
  const head = [
    `${c.bold(toOneLine(scene.agent))}  ${truncate(toOneLine(scene.goal), room - measureColumns(scene.agent) - 2)}`,
  ];
  const thought = wrapText(toOneLine(scene.thought), room - 2).slice(0, thoughtLines);
  const foot = [
    ...(scene.thought === '' ? [] : thought.map((line) => `  ${c.dim(line)}`)),
    ...(scene.action === '' ? [] : [`${c.magenta('→')} ${truncate(toOneLine(scene.action), room - 2)}`]),
    c.dim(truncate(formatUsage(scene, now), room)),
  ];
  const tasks = scene.plan === null ? [] : placeTasks(scene.plan);
  // Two lines remain for the progress and the cursor.
  const visible = selectTasks(tasks, Math.max(1, rows - head.length - foot.length - 2));
  const progress = scene.plan === null || tasks.length === 0 ? [] : [formatProgress(scene.plan, room, c)];
  return [...head, ...progress, ...formatTaskRows(visible, room, c), ...foot];
}

interface TaskWindow {
  readonly tasks: readonly PlacedTask[];
  readonly before: number;
  readonly after: number;
}

/** Selects the tasks around the current one. The number of omitted tasks takes a line on each side. */
function selectTasks(tasks: readonly PlacedTask[], maxTasks: number): TaskWindow {
  if (tasks.length <= maxTasks) return { tasks, before: 0, after: 0 };
  const room = Math.max(1, maxTasks - 2);
  const open = tasks.findIndex(({ task: { status } }) => status === 'in_progress' || status === 'pending');
  const from = Math.max(0, Math.min(open === -1 ? tasks.length : open - Math.floor(room / 3), tasks.length - room));
  const selected = tasks.slice(from, from + room);
  return { tasks: selected, before: from, after: tasks.length - from - selected.length };
}

function formatTaskRows({ tasks, before, after }: TaskWindow, room: number, c: Colors): readonly string[] {
  const labels = tasks.map(({ task, depth }) => formatTaskIndent(depth) + toOneLine(task.id));
  const ids = Math.min(Math.max(0, ...labels.map(measureColumns)), Math.floor(room / 2));
  const more = (number: number, where: string) => (number === 0 ? [] : [c.dim(`  … ${number} ${where}`)]);
  const row = ({ task }: PlacedTask, at: number) => {
    const id = truncate(labels[at] ?? '', ids);
    const text = truncate(formatTask(task), Math.max(0, room - ids - 4));
    return `${createPainter(taskStyles[task.status], c)(`${statusMarks[task.status]} ${id}`)}${' '.repeat(ids - measureColumns(id) + 2)}${task.status === 'in_progress' ? text : c.dim(text)}`;
  };
  return [...more(before, 'above'), ...tasks.map(row), ...more(after, 'below')];
}

function formatTask({ status, description, result, error, dependsOn }: Task): string {
  if (status === 'completed' && result !== null) return toOneLine(result);
  if (status === 'failed' && error !== null) return toOneLine(error);
  if (status === 'blocked') return toOneLine(`blocked: waits for ${dependsOn.join(', ')}`);
  return toOneLine(description);
}

function formatProgress(plan: Pick<Plan, 'tasks'>, room: number, c: Colors): string {
  const { length: all } = plan.tasks;
  const done = plan.tasks.filter(({ status }) => status === 'completed').length;
  const [full, rest] = drawBar(done / all, barWidth);
  const bar = `${c.green(full)}${c.dim(rest)} `;
  return `${room < barWidth + 18 ? '' : bar}${done}/${all} tasks, ${computePlanPercent(plan)} %`;
}

function formatUsage({ steps, maxSteps, tokens, costUsd, startedAt }: Scene, now: number): string {
  const facts = [
    `step ${steps}${maxSteps === null ? '' : ` of at most ${maxSteps}`}`,
    `${formatCount(tokens)} tokens`,
    ...(costUsd === null ? [] : [formatUsd(costUsd)]),
    // Whole seconds: the view is redrawn once a second.
    ...(startedAt === null ? [] : [formatDuration(Math.max(0, Math.floor((now - startedAt) / 1_000) * 1_000))]),
  ];
  return facts.join(' · ');
}

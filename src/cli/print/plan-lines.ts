/** A chain's plan under its head: how far it has come, then a line for each task, with what it came to where that is shown. */

import { oneLine } from '../../core/lib/plain.js';
import type { TaskStatus } from '../../core/model/plan.js';
import { planLine, taskLine } from '../../core/state/plan-text.js';
import type { PlanView } from '../../core/view/plan-view.js';
import type { Colors } from '../terminal/colors.js';
import { cut } from '../terminal/text.js';

export function planLines(plan: PlanView | undefined, width: number, c: Colors): readonly string[] {
  if (plan === undefined) return [];
  const paint: Readonly<Record<TaskStatus, (text: string) => string>> = {
    pending: c.dim,
    in_progress: c.cyan,
    completed: c.green,
    failed: c.red,
    blocked: c.yellow,
  };
  const tasks = plan.tasks.flatMap((task) => {
    const came = task.status === 'failed' ? task.error : task.result;
    return [
      paint[task.status](cut(`  ${oneLine(taskLine(task))}`, width)),
      ...(came === null || came === '' ? [] : [c.dim(cut(`      ${oneLine(came)}`, width))]),
    ];
  });
  return ['', c.bold(`Plan: ${planLine(plan)}`), ...tasks];
}

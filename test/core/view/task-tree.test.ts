/** A plan as a tree: each task below the task that it waits for. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Task, TaskStatus } from '../../../src/core/model/plan.js';
import { computePlanPercent, formatTaskIndent, placeTasks } from '../../../src/core/view/task-tree.js';

function task(id: string, dependsOn: readonly string[] = [], status: TaskStatus = 'pending'): Task {
  const none = { tools: [], confirm: [], result: null, error: null, attempts: 0 };
  return { id, status, description: `Do ${id}.`, dependsOn, ...none };
}

const draw = (...tasks: readonly Task[]) =>
  placeTasks({ tasks }).map(({ depth, text }) => formatTaskIndent(depth) + text);

describe('the tree of tasks', () => {
  it('has each task below the last task that it waits for, and names the others', () => {
    expect(
      draw(
        task('read', [], 'completed'),
        task('plan', [], 'completed'),
        task('test', ['fix']),
        task('fix', ['read', 'plan'], 'in_progress'),
        task('notes', ['read']),
      ),
    ).toEqual([
      '✓ read: Do read.',
      '└ ⋯ notes: Do notes. (after read)',
      '✓ plan: Do plan.',
      '└ ▶ fix: Do fix. (after read)',
      '  └ ⋯ test: Do test. (after fix)',
    ]);
  });

  it('has every task once, with any dependencies, and none deeper than five levels', () => {
    const ids = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];
    const some = fc.array(fc.tuple(fc.constantFrom(...ids), fc.subarray([...ids, 'missing'])), { maxLength: 12 });
    fc.assert(
      fc.property(some, (drafts) => {
        const tasks = drafts.map(([id, dependsOn]) => task(id, dependsOn));
        const placed = placeTasks({ tasks });
        expect(new Set(placed.map((each) => each.task))).toEqual(new Set(tasks));
        expect(placed.length).toBe(tasks.length);
        for (const { depth } of placed) expect(depth).toBeLessThanOrEqual(5);
      }),
    );
  });
});

it('the percentage of a plan counts completed tasks, and is 100 only when all are', () => {
  const tasks = [...'abc'].map((id) => task(id, [], 'completed'));
  expect(computePlanPercent({ tasks: [...tasks, task('d', [], 'failed')] })).toBe(75);
  expect(computePlanPercent({ tasks: [...tasks.slice(0, 2), task('d')] })).toBe(66);
  expect(computePlanPercent({ tasks })).toBe(100);
  expect(computePlanPercent({ tasks: [] })).toBe(0);
});

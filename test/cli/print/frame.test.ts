/** The view of a plan: its content, and that it fits any terminal. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatFrame } from '../../../src/cli/print/frame.js';
import type { Scene } from '../../../src/cli/print/scene.js';
import { formatLineRows } from '../../../src/cli/print/terminal-lines.js';
import { getColors } from '../../../src/cli/terminal/colors.js';
import { measureColumns } from '../../../src/cli/terminal/text.js';
import { formatTaskLines } from '../../../src/core/view/print/plan-lines.js';
import type { Plan, Task, TaskStatus } from '../../../src/index.js';

const c = getColors({ color: false });
const task = (id: string, status: TaskStatus, more: Partial<Task> = {}): Task => ({
  id,
  status,
  description: `Do ${id}`,
  dependsOn: [],
  tools: [],
  confirm: [],
  result: null,
  error: null,
  attempts: 0,
  ...more,
});
const plan = (...tasks: readonly Task[]): Plan => ({ tasks, revision: 1, source: 'template' });
const scene = (given: Partial<Scene> = {}): Scene => ({
  agent: 'coder',
  goal: 'Mend the sum',
  plan: plan(
    task('reproduce', 'completed', { result: 'sum(2, 2) is 0' }),
    task('find_cause', 'in_progress'),
    task('fix', 'pending', { dependsOn: ['find_cause'] }),
    task('docs', 'failed', { error: 'Nothing found.' }),
    task('commit', 'blocked', { dependsOn: ['docs'] }),
  ),
  thought: 'It subtracts.',
  action: 'read_file({"path":"sum.js"})',
  steps: 4,
  maxSteps: 80,
  tokens: 12_345,
  costUsd: 0.031,
  startedAt: 1_000,
  ...given,
});
const frame = (of: Scene, room: { width?: number; rows?: number } = {}) =>
  formatFrame(of, { c, width: 80, rows: 24, now: 25_900, ...room });

describe('the view of a plan', () => {
  it('shows goal, progress, tasks with states, thought, action, cost and time', () => {
    expect(frame(scene()).join('\n')).toBe(
      [
        'coder  Mend the sum',
        '████░░░░░░░░░░░░░░░░ 1/5 tasks, 20 %',
        '✓ reproduce   sum(2, 2) is 0',
        '▶ find_cause  Do find_cause',
        '⋯ └ fix       Do fix',
        '✗ docs        Nothing found.',
        '⊘ └ commit    blocked: waits for docs',
        '  It subtracts.',
        '→ read_file({"path":"sum.js"})',
        'step 4 of at most 80 · 12,345 tokens · $0.03 · 24 s',
      ].join('\n'),
    );
  });

  it('shows no tasks without a plan, and no cost without a price', () => {
    expect(frame(scene({ plan: null, thought: '', costUsd: null, maxSteps: null })).join('\n')).toBe(
      'coder  Mend the sum\n→ read_file({"path":"sum.js"})\nstep 4 · 12,345 tokens · 24 s',
    );
  });

  it('shows the tasks around the current one if not all fit', () => {
    const tasks = Array.from({ length: 40 }, (_, at) =>
      task(`t${at}`, at < 20 ? 'completed' : at === 20 ? 'in_progress' : 'pending'),
    );
    const lines = frame(scene({ plan: plan(...tasks) }), { rows: 16 });
    expect(lines.filter((line) => /^[✓▶⋯] /.test(line)).map((line) => line.split(/ +/)[1])).toEqual([
      't18',
      't19',
      't20',
      't21',
      't22',
      't23',
      't24',
      't25',
    ]);
    expect(lines).toContain('  … 18 above');
    expect(lines).toContain('  … 14 below');
  });

  it('fits the terminal with any text', () => {
    const status = fc.constantFrom<TaskStatus>('pending', 'in_progress', 'completed', 'failed', 'blocked');
    const text = fc.string({ unit: 'grapheme', maxLength: 300 });
    const tasks = fc.array(
      fc
        .record({ id: text, status, description: text, result: text })
        .map(({ id, status: of, ...more }) => task(id, of, more)),
      { maxLength: 50 },
    );
    fc.assert(
      fc.property(
        tasks,
        text,
        text,
        fc.integer({ min: 24, max: 200 }),
        fc.integer({ min: 8, max: 60 }),
        (all, goal, thought, width, rows) => {
          const lines = frame(scene({ plan: plan(...all), goal, thought, action: goal }), { width, rows });
          expect(lines.length).toBeLessThan(Math.max(rows, 10));
          for (const line of lines) {
            expect(measureColumns(line)).toBeLessThan(width);
            expect(line).not.toMatch(/[^\P{Cc}]/u);
          }
        },
      ),
    );
  });
});

describe('lines for a pipe', () => {
  const lines = (before: Plan | null, now: Plan, width = 80) =>
    formatTaskLines(before, now).flatMap((line) => formatLineRows(line, width, c));

  it('show one change each, and the progress of the plan', () => {
    const before = plan(task('a', 'in_progress'), task('b', 'pending', { dependsOn: ['a'] }), task('c', 'pending'));
    const now = plan(
      task('a', 'completed', { result: 'It is zero.' }),
      task('b', 'in_progress', { dependsOn: ['a'] }),
      task('c', 'pending'),
    );
    expect(lines(before, now)).toEqual(['✓ a  completed (1/3): It is zero.', '▶ b  started: Do b']);
    expect(lines(now, now)).toEqual([]);
  });

  it('count tasks that end at the same time', () => {
    const tasks = ['a', 'b', 'c'];
    const before = plan(...tasks.map((id, at) => task(id, at === 0 ? 'completed' : 'in_progress')));
    expect(lines(before, plan(...tasks.map((id) => task(id, 'completed'))))).toEqual([
      '✓ b  completed (2/3): Do b',
      '✓ c  completed (3/3): Do c',
    ]);
  });

  it('show each task of a new plan, and each changed task', () => {
    const first = plan(task('a', 'pending'), task('b', 'pending', { dependsOn: ['a'] }));
    expect(lines(null, first)).toEqual(['⋯ a  to do: Do a', '⋯ b  to do after a: Do b']);
    expect(
      lines(first, plan(task('a', 'failed', { error: 'No.' }), task('b', 'blocked', { dependsOn: ['a'] }))),
    ).toEqual(['✗ a  failed: No.', '⊘ b  blocked by a: Do b']);
  });

  it('fit the width', () => {
    for (const line of lines(null, plan(task('a', 'pending', { description: 'long '.repeat(50) })), 40))
      expect(measureColumns(line)).toBeLessThanOrEqual(40);
  });
});

/** Plans that people wrote: tasks that could never start and unknown members are rejected with the fix. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validatePlanTemplate } from '../../../../src/core/engine/plan/validate-plan.js';

const task = (id: string, dependsOn: readonly string[] = []) => ({
  id,
  description: `Do ${id}`,
  dependsOn,
  tools: [],
  confirm: [],
});
const plan = (...tasks: readonly unknown[]) => ({ name: 'p', tasks });

describe('a plan', () => {
  it.each<[unknown, string]>([
    [undefined, 'it must be an object'],
    [{ tasks: [task('a')] }, 'plan.name must be a text'],
    [{ name: 'p', task: [] }, 'plan.task is unknown; you may mean tasks'],
    [plan(), 'plan.tasks must be a list of at least one task'],
    [plan('read'), 'plan.tasks.0 must be a task: { id:'],
    [plan({ id: 'a' }), 'plan.tasks.0 needs a description'],
    [plan({ description: 'Do it' }), 'plan.tasks.0 needs an id'],
    [plan(task('two words')), 'plan.tasks.0.id must begin with a letter'],
    [plan(task('x'.repeat(41))), 'plan.tasks.0.id must begin with a letter'],
    [plan({ ...task('a'), description: ' ' }), 'plan.tasks.0.description must be a text that is not empty'],
    [plan({ ...task('a'), description: 'x'.repeat(501) }), 'is 501 characters; the limit is 500'],
    [plan({ ...task('a'), dependencies: [] }), 'plan.tasks.0.dependencies is unknown'],
    [plan({ ...task('a'), confirm: 'git_commit' }), 'plan.tasks.0.confirm must be a list'],
    [plan({ ...task('a'), tools: Array(17).fill('t') }), 'plan.tasks.0.tools has more than 16 names'],
    [plan(...Array.from({ length: 51 }, (_, at) => task(`t${at}`))), 'has 51 tasks; the limit is 50'],
    [plan(task('a'), task('a')), 'plan.tasks has two tasks with the id a: rename one'],
    [plan(task('read'), task('b', ['rea'])), 'b depends on rea, which is not a task; you may mean read'],
    [plan(task('a'), task('b', ['zzz'])), 'b depends on zzz, which is not a task; the tasks are: a, b'],
    [plan(task('a', ['a'])), 'cyclic dependency: a depends on a. Remove one'],
    [
      plan(task('x', ['a']), task('a', ['c']), task('b', ['a']), task('c', ['b'])),
      'a depends on c depends on b depends on a',
    ],
  ])('is rejected: %j', (given, message) => {
    expect(validatePlanTemplate(given)).toContain(message);
  });

  it('may list its tasks in any order', () => {
    expect(validatePlanTemplate(plan(task('c', ['a', 'b']), task('b', ['a']), task('a')))).toBeNull();
  });

  it('is rejected exactly when some task could never start', () => {
    const ids = ['a', 'b', 'c', 'd', 'e'];
    const tasks = fc.tuple(...ids.map((id) => fc.subarray(ids).map((dependsOn) => task(id, dependsOn))));
    fc.assert(
      fc.property(tasks, (given) => {
        const done = new Set<string>();
        for (let before = -1; before < done.size; ) {
          before = done.size;
          for (const { id, dependsOn } of given) if (dependsOn.every((each) => done.has(each))) done.add(id);
        }
        expect(validatePlanTemplate(plan(...given)) === null).toBe(done.size === ids.length);
      }),
    );
  });
});

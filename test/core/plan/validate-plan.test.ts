/** Plans that people wrote are looked at as a whole: what could never begin, or is read by nobody, is refused with what to write. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { validatePlanTemplate } from '../../../src/core/plan/validate-plan.js';

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
    [{ name: 'p', task: [] }, 'plan.task means nothing; you may mean tasks'],
    [plan(), 'plan.tasks must be a list of one task at least'],
    [plan('read'), 'plan.tasks.0 must be a task: { id:'],
    [plan({ id: 'a' }), 'plan.tasks.0 needs a description'],
    [plan({ description: 'Do it' }), 'plan.tasks.0 needs an id'],
    [plan(task('two words')), 'plan.tasks.0.id must begin with a letter'],
    [plan(task('x'.repeat(41))), 'plan.tasks.0.id must begin with a letter'],
    [plan({ ...task('a'), description: ' ' }), 'plan.tasks.0.description must be a text that says something'],
    [plan({ ...task('a'), description: 'x'.repeat(501) }), 'has 501 characters: keep it to 500'],
    [plan({ ...task('a'), dependencies: [] }), 'plan.tasks.0.dependencies means nothing'],
    [plan({ ...task('a'), confirm: 'git_commit' }), 'plan.tasks.0.confirm must be a list'],
    [plan({ ...task('a'), tools: Array(17).fill('t') }), 'plan.tasks.0.tools has more than 16 names'],
    [plan(...Array.from({ length: 51 }, (_, at) => task(`t${at}`))), 'has 51 tasks: a plan has 50 at most'],
    [plan(task('a'), task('a')), 'plan.tasks has two named a: rename one'],
    [plan(task('read'), task('b', ['rea'])), 'b depends on rea, which there is not; you may mean read'],
    [plan(task('a'), task('b', ['zzz'])), 'there are a, b'],
    [plan(task('a', ['a'])), 'a waits for a: nothing of it could begin'],
    [
      plan(task('x', ['a']), task('a', ['c']), task('b', ['a']), task('c', ['b'])),
      'a waits for c waits for b waits for a',
    ],
  ])('is refused: %j', (given, says) => {
    expect(validatePlanTemplate(given)).toContain(says);
  });

  it('may have tasks in any order, as long as each can begin some time', () => {
    expect(validatePlanTemplate(plan(task('c', ['a', 'b']), task('b', ['a']), task('a')))).toBeNull();
  });

  it('is refused exactly when working it off, task by task, leaves some that never begin', () => {
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

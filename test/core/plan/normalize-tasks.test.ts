/** Tasks as somebody wrote them: what a plan makes of them, whatever they are. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { defaults } from '../../../src/core/model/defaults.js';
import { maxTaskTextLength, normalizeTasks } from '../../../src/core/plan/normalize-tasks.js';
import { budget } from '../../support/budget.js';

const idsOf = (given: unknown) => normalizeTasks(given).tasks.map(({ id }) => id);

describe('tasks', () => {
  it.each<[string, unknown, readonly string[]]>([
    ['a list of texts', ['look', 'pay'], ['task_1', 'task_2']],
    [
      'numbers for names',
      [
        { id: 1, description: 'Look.' },
        { id: 2, depends_on: [1] },
      ],
      ['1', '2'],
    ],
    ['no names', [{ description: 'Look.' }, {}, { description: 'Pay.' }], ['task_1', 'task_3']],
    ['the same name twice', [{ id: 'a' }, { id: 'a' }, { id: 'a_2' }], ['a', 'a_2', 'a_2_2']],
    ['nothing', null, []],
    ['one that is no list', { id: 'a' }, []],
    ['things that are no tasks', [null, 3, [], true, ' '], []],
  ])('are read from %s', (_what, given, ids) => {
    expect(idsOf(given)).toEqual(ids);
  });

  it('keep what they wait for, by whatever name it is called', () => {
    const given = [
      { id: 'a' },
      { id: 'b', depends_on: ['a'] },
      { id: 'c', dependencies: 'b' },
      { id: 'd', dependsOn: ['c'] },
    ];
    expect(normalizeTasks(given).tasks.map(({ dependsOn }) => dependsOn)).toEqual([[], ['a'], ['b'], ['c']]);
    expect(normalizeTasks(given).notes).toEqual([]);
  });

  it('wait for no circle, however long: the last that would close it is left out', () => {
    const { tasks, notes } = normalizeTasks([
      { id: 'a', depends_on: ['c'] },
      { id: 'b', depends_on: ['a'] },
      { id: 'c', depends_on: ['b', 'c'] },
    ]);
    expect(tasks.map(({ dependsOn }) => dependsOn)).toEqual([['c'], ['a'], []]);
    expect(notes).toEqual(['c does not wait for b, which waits for it.', 'c does not wait for c, which waits for it.']);
  });

  it('are 50 at most, and say how many were too many', () => {
    const many = Array.from({ length: 60 }, (_, at) => ({ id: `t${at}` }));
    expect(normalizeTasks(many).tasks).toHaveLength(defaults.planTasks);
    expect(normalizeTasks(many).notes).toEqual(['A plan has 50 tasks at most: the last 10 are left out.']);
  });
});

const id = fc.constantFrom('a', 'b', 'c', 'd', '', 'é', 'x'.repeat(500));
const someTasks = fc.oneof(
  fc.jsonValue(),
  fc.array(
    fc.oneof(
      fc.string(),
      fc.jsonValue(),
      fc.record({ id, description: fc.string({ maxLength: 2_000 }), depends_on: fc.array(id) }),
    ),
  ),
);

describe('whatever is given', () => {
  it('comes to tasks that are bounded, have ids of their own, and wait in no circle', () => {
    fc.assert(
      fc.property(someTasks, (given) => {
        const { tasks } = normalizeTasks(given);
        const ids = tasks.map((task) => task.id);
        expect(tasks.length).toBeLessThanOrEqual(defaults.planTasks);
        expect(new Set(ids).size).toBe(ids.length);
        for (const task of tasks) {
          expect(task.id.length).toBeLessThanOrEqual(60);
          expect(task.description.length).toBeLessThanOrEqual(maxTaskTextLength);
          for (const other of task.dependsOn) expect(ids).toContain(other);
        }
        // What waits for nothing is taken away, again and again: in a circle, something would be left.
        let left = tasks;
        for (let before = -1; before !== left.length; ) {
          before = left.length;
          left = left.filter((task) => task.dependsOn.some((other) => left.some((each) => each.id === other)));
        }
        expect(left).toEqual([]);
      }),
      { numRuns: budget(100, 400) },
    );
  });

  it('that was fitted once fits as it is', () => {
    fc.assert(
      fc.property(someTasks, (given) => {
        const { tasks } = normalizeTasks(given);
        expect(normalizeTasks(tasks)).toEqual({ tasks, notes: [] });
      }),
    );
  });
});

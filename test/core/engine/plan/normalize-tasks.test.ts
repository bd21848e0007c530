/** Any input becomes a valid list of tasks. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { maxTaskTextLength, normalizeTasks } from '../../../../src/core/engine/plan/normalize-tasks.js';
import { defaults } from '../../../../src/core/model/defaults.js';
import { budget } from '../../../support/budget.js';

const idsOf = (given: unknown) => normalizeTasks(given).tasks.map(({ id }) => id);

describe('normalized tasks', () => {
  it.each<[string, unknown, readonly string[]]>([
    ['a list of texts', ['look', 'pay'], ['task_1', 'task_2']],
    [
      'numeric ids',
      [
        { id: 1, description: 'Look.' },
        { id: 2, depends_on: [1] },
      ],
      ['1', '2'],
    ],
    ['tasks without ids', [{ description: 'Look.' }, {}, { description: 'Pay.' }], ['task_1', 'task_3']],
    ['a duplicate id', [{ id: 'a' }, { id: 'a' }, { id: 'a_2' }], ['a', 'a_2', 'a_2_2']],
    ['nothing', null, []],
    ['a value that is not a list', { id: 'a' }, []],
    ['values that are not tasks', [null, 3, [], true, ' '], []],
  ])('are read from %s', (_name, given, ids) => {
    expect(idsOf(given)).toEqual(ids);
  });

  it('keep dependencies under each of their three member names', () => {
    const given = [
      { id: 'a' },
      { id: 'b', depends_on: ['a'] },
      { id: 'c', dependencies: 'b' },
      { id: 'd', dependsOn: ['c'] },
    ];
    expect(normalizeTasks(given).tasks.map(({ dependsOn }) => dependsOn)).toEqual([[], ['a'], ['b'], ['c']]);
    expect(normalizeTasks(given).notes).toEqual([]);
  });

  it('lose the last dependency that would close a cycle', () => {
    const { tasks, notes } = normalizeTasks([
      { id: 'a', depends_on: ['c'] },
      { id: 'b', depends_on: ['a'] },
      { id: 'c', depends_on: ['b', 'c'] },
    ]);
    expect(tasks.map(({ dependsOn }) => dependsOn)).toEqual([['c'], ['a'], []]);
    expect(notes).toEqual(['c does not depend on b: b depends on it.', 'c cannot depend on itself.']);
  });

  it('are limited to 50, and a note reports how many are left out', () => {
    const many = Array.from({ length: 60 }, (_, at) => ({ id: `t${at}` }));
    expect(normalizeTasks(many).tasks).toHaveLength(defaults.planTasks);
    expect(normalizeTasks(many).notes).toEqual(['A plan has at most 50 tasks: the last 10 are left out.']);
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

describe('any input', () => {
  it('becomes bounded tasks with unique ids and no cycle', () => {
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
        // Repeatedly remove tasks without remaining dependencies: a cycle would remain.
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

  it('is unchanged when normalized twice', () => {
    fc.assert(
      fc.property(someTasks, (given) => {
        const { tasks } = normalizeTasks(given);
        expect(normalizeTasks(tasks)).toEqual({ tasks, notes: [] });
      }),
    );
  });
});

/** A chain with the strategy `plan`, from its plan to its answer: changes of the tasks, observations and guidance. */

import { describe, expect, it } from 'vitest';
import { maxTaskWhyLength } from '../../../../src/core/engine/plan/normalize-tasks.js';
import type { Task } from '../../../../src/core/model/plan.js';
import { formatTask } from '../../../../src/core/model/tasks.js';
import {
  answersOf,
  completes,
  fails,
  finishes,
  lastGuide,
  makes,
  planAgent,
  replyWithCalls,
  replyWithText,
  revises,
  starts,
  statusesOf,
} from '../../../support/core-plans.js';
import { type Play, prepared } from '../../../support/core-play.js';

const quiet = { reflection: false } as const;
const playPlan = (...lines: readonly string[]) => {
  const play = prepared(planAgent(quiet));
  replyWithCalls(play, makes(...lines));
  return play;
};

describe('the planner', () => {
  it('requests a plan before the first reply, then names the next task', () => {
    const play = prepared(planAgent());
    expect(play.chain.guidance).toEqual([{ text: expect.stringContaining('First make a plan'), afterStep: 0 }]);
    replyWithCalls(play, makes('a', 'b after a'));
    expect(statusesOf(play)).toBe('a pending, b pending');
    expect(play.state.plan).toMatchObject({ revision: 1, source: 'model' });
    expect(answersOf(play)).toEqual(['Plan created.']);
    expect(lastGuide(play)).toBe('Next task: a: Do a.');
    expect(play.chain.notices).toMatchObject([{ code: 'plan_changed', text: 'The plan: 2 tasks, a, b.' }]);
    expect(play.step.plan).toEqual(play.state.plan);
  });

  it.each([
    ['a reply without calls', (play: ReturnType<typeof prepared>) => replyWithText(play, 'I would begin with a.')],
    ['a plan without tasks', (play: ReturnType<typeof prepared>) => replyWithCalls(play, ['make_plan', { tasks: [] }])],
    [
      'a plan that is not a list',
      (play: ReturnType<typeof prepared>) => replyWithCalls(play, ['make_plan', { tasks: 'a, b' }]),
    ],
    ['a call of another tool', (play: ReturnType<typeof prepared>) => replyWithCalls(play, ['look', { at: 1 }])],
    ['a start of an unknown task', (play: ReturnType<typeof prepared>) => replyWithCalls(play, starts('a'))],
  ])('makes the goal the only task after %s', (_name, reply) => {
    const play = prepared(planAgent());
    reply(play);
    expect(play.state.plan?.source).toBe('goal');
    expect(play.state.plan?.tasks).toMatchObject([{ id: 'goal', description: 'Find out what is due, and pay it.' }]);
    expect(play.state.stop).toBeNull();
  });

  it('reports to the model how its plan was corrected', () => {
    const play = playPlan('a after c', 'b after x', 'c after a', 'a');
    expect(answersOf(play)).toEqual([
      'Plan created. The id a is used twice: the second task is now a_2. b does not depend on x: no such task. c does not depend on a: a depends on it.',
    ]);
    expect(play.state.plan?.tasks.map(({ id, dependsOn }) => [id, dependsOn])).toEqual([
      ['a', ['c']],
      ['b', []],
      ['c', []],
      ['a_2', []],
    ]);
  });

  it('is skipped if planning is off, and a text is then the answer at once', () => {
    const play = prepared(planAgent({ planning: false }));
    expect(play.chain.guidance).toEqual([]);
    expect(statusesOf(play)).toBe('goal pending');
    replyWithText(play, 'All is paid.');
    expect(play.result).toMatchObject({ outcome: 'success', answer: 'All is paid.', steps: 1 });
    expect(statusesOf(play)).toBe('goal completed');
  });
});

describe('the reasoner', () => {
  it('starts the first available task if the model only calls tools, and reports it', () => {
    const play = playPlan('a', 'b after a');
    replyWithCalls(play, ['look', { at: 1 }]);
    expect(statusesOf(play)).toBe('a in_progress, b pending');
    expect(play.step.calls[0]).toMatchObject({ tool: 'look', task: 'a' });
    play.returned('2.1');
    expect(lastGuide(play)).toBe('This counts as work on a. Call `complete_task` when it is done.');
    replyWithCalls(play, ['look', { at: 2 }]);
    play.returned('3.1');
    expect(lastGuide(play)).toBeNull();
  });

  it.each([
    ['an unknown task', starts('x'), 'Task x not found. Available: a, c.'],
    ['a task with an open dependency', starts('b'), 'b depends on a. Available: a, c.'],
    ['a task without an id', ['start_task', {}] as const, 'Name the task by its id. Available: a, c.'],
  ])('does not start %s and lists the available tasks', (_name, call, observation) => {
    const play = playPlan('a', 'b after a', 'c');
    replyWithCalls(play, call);
    expect(answersOf(play)).toEqual([observation]);
    expect(statusesOf(play)).toBe('a pending, b pending, c pending');
  });

  it('has at most as many tasks in progress as the agent allows', () => {
    const play = playPlan('a', 'b');
    replyWithCalls(play, starts('a'), starts('b'));
    expect(play.statuses).toEqual(['ok', 'error']);
    expect(answersOf(play)[1]).toBe('At most 1 task can be in progress: a is. Complete or fail a task first.');
    replyWithCalls(play, completes('a'), starts('b'));
    expect(statusesOf(play)).toBe('a completed, b in_progress');
  });

  it('runs the calls of several tasks at once if several may be in progress', () => {
    const play = prepared(planAgent({ ...quiet, parallel: 2 }));
    replyWithCalls(play, makes('a', 'b'));
    replyWithCalls(play, starts('a'), ['look', { at: 1 }], starts('b'), ['look', { at: 2 }]);
    expect(play.ran).toEqual(['2.2', '2.4']);
    expect(play.step.calls.map(({ task }) => task)).toEqual([undefined, 'a', undefined, 'b']);
    play.returned('2.2');
    play.returned('2.4');
    replyWithCalls(play, starts('a'), ['read', { at: 3 }]);
    expect(play.step.calls[1]).toMatchObject({ task: 'a' });
  });
});

describe('the observer', () => {
  it('takes a reply without calls as the result of the task in progress, and the last as the answer', () => {
    const play = playPlan('a', 'b after a');
    replyWithText(play, 'A is 1.');
    expect(play.state.plan?.tasks[0]).toMatchObject({ status: 'completed', result: 'A is 1.' });
    expect(play.step).toMatchObject({ thought: 'A is 1.', answer: null });
    expect(lastGuide(play)).toBe('This counts as the result of a.\nNext task: b: Do b.');
    replyWithText(play, 'B is 2.');
    expect(lastGuide(play)).toContain('All tasks are completed.');
    replyWithText(play, 'It is 3.');
    expect(play.result).toMatchObject({ outcome: 'success', answer: 'It is 3.', steps: 4 });
  });

  it('completes and fails tasks with their results and errors', () => {
    const play = playPlan('a', 'b', 'c after b');
    replyWithCalls(play, completes('a', 'It is 1.'), fails('b', 'No key.'));
    expect(statusesOf(play)).toBe('a completed, b pending, c pending');
    expect(play.state.plan?.tasks[1]).toMatchObject({ attempts: 1, error: 'No key.' });
  });

  it('rejects a control call without effect and counts its step as no progress', () => {
    const play = playPlan('a', 'b');
    replyWithCalls(play, completes('a'));
    for (const _time of [1, 2]) {
      replyWithCalls(play, completes('a', String(_time)));
      expect(answersOf(play)).toEqual(['a is completed. Available: b.']);
      expect(play.state.stop).toBeNull();
    }
    replyWithCalls(play, completes('a', '3'));
    expect(play.result).toMatchObject({ outcome: 'stalled' });
  });
});

it('a task keeps the complexity that the model estimates, and its readers see it', () => {
  const play = prepared(planAgent(quiet));
  const tasks = [
    { id: 'a', description: 'Do a.', complexity: 'high' },
    { id: 'b', description: 'Do b.', estimated_complexity: 'low', depends_on: ['a'] },
    { id: 'c', description: 'Do c.', complexity: 'huge' },
  ];
  replyWithCalls(play, ['make_plan', { tasks }]);
  expect(play.state.plan?.tasks.map(({ complexity }) => complexity)).toEqual(['high', 'low', undefined]);
  expect(play.state.plan?.tasks.map(formatTask)).toEqual([
    '⋯ a: Do a. (high complexity)',
    '⋯ b: Do b. (low complexity, after a)',
    '⋯ c: Do c.',
  ]);
});

it('a task keeps the reason that the model gives for it, in one bounded line, and its readers see it', () => {
  const play = prepared(planAgent(quiet));
  const tasks = [
    { id: 'a', description: 'Do a.', why: 'The rest\nneeds it.' },
    { id: 'b', description: 'Do b.', why: 'x'.repeat(10_000), depends_on: ['a'] },
    { id: 'c', description: 'Do c.', why: 7, complexity: 'low' },
    { id: 'd', description: 'Do d.', why: ' ' },
  ];
  replyWithCalls(play, ['make_plan', { tasks }]);
  const [a, b, c, d] = play.state.plan?.tasks ?? [];
  expect(formatTask(a as Task)).toBe('⋯ a: Do a. (why: The rest needs it.)');
  expect(b?.why).toHaveLength(maxTaskWhyLength);
  expect(formatTask(c as Task)).toBe('⋯ c: Do c. (low complexity, why: 7)');
  expect(d).not.toHaveProperty('why');
  replyWithCalls(play, ['revise_plan', { reason: 'b is not needed.', tasks: [{ id: 'a', description: 'Do a.' }] }]);
  expect(play.state.plan?.tasks.map(formatTask)).toEqual(['⋯ a: Do a.']);
});

describe('the end', () => {
  it('is rejected while tasks are open, unless the model gives the reason', () => {
    const play = playPlan('a', 'b after a');
    replyWithCalls(play, finishes('Half of it.'));
    expect(play.statuses).toEqual(['error']);
    expect(answersOf(play)[0]).toMatch(/^Not finished: a, b are still open\./);
    replyWithCalls(play, finishes('Half of it.', 'There is no time.'));
    expect(play.result).toMatchObject({ outcome: 'success', answer: 'Half of it.' });
    expect(play.chain.notices.at(-1)).toMatchObject({
      code: 'plan_changed',
      text: expect.stringMatching(/a, b: There is no time\.$/),
    });
  });

  it('is accepted in the reply that completes the last task, before or after that call', () => {
    const play = playPlan('a');
    replyWithCalls(play, finishes('Done.'), completes('a'));
    expect(play.result).toMatchObject({ answer: 'Done.', steps: 2 });
    expect(statusesOf(play)).toBe('a completed');
  });

  it('is requested with the results so far when no task can be started', () => {
    const play = prepared(planAgent({ ...quiet, fallbacks: [] }));
    replyWithCalls(play, makes('a', 'b after a'));
    replyWithCalls(play, fails('a', 'No key.'));
    expect(statusesOf(play)).toBe('a failed, b blocked');
    expect(lastGuide(play)).toContain('- a failed: No key.\n- b is blocked by a');
    expect(lastGuide(play)).toContain('set `success` to false and give the `reason`');
  });

  it.each([
    ['an answer', (play: Play) => replyWithText(play, 'There is no key.')],
    ['finish', (play: Play) => replyWithCalls(play, finishes('There is no key.'))],
  ])('is a failure by %s if all tasks failed or are blocked, with what was done as partial', (_, end) => {
    const play = prepared(planAgent({ ...quiet, fallbacks: [] }));
    replyWithCalls(play, makes('a', 'b after a'));
    replyWithCalls(play, fails('a', 'No key.'));
    end(play);
    expect(play.result).toMatchObject({
      outcome: 'failure',
      partial: 'There is no key.',
      reason: 'No task of the plan was completed: 1 failed, 1 blocked.',
    });
  });

  it('is a failure when the model sets success to false, although tasks were completed', () => {
    const play = playPlan('a');
    replyWithCalls(play, completes('a'), ['finish', { result: 'a is done.', success: false, reason: 'It is shut.' }]);
    expect(play.result).toMatchObject({ outcome: 'failure', partial: 'a is done.', reasonCode: 'task_failed' });
  });

  it('runs no other tool of the same reply', () => {
    const play = playPlan('a');
    replyWithCalls(play, ['pay', {}], completes('a'), finishes('Done.'));
    expect(play.ran).toEqual([]);
    expect(play.step.calls).toMatchObject([
      { tool: 'pay', status: 'not_run' },
      { tool: 'complete_task' },
      { tool: 'finish' },
    ]);
  });
});

describe('a revision', () => {
  it('keeps completed tasks, replaces the others, and reports its reason', () => {
    const play = playPlan('a', 'b after a', 'c after b');
    replyWithCalls(play, completes('a'), revises('There is a shorter way', 'a', 'd after a', 'e after d'));
    expect(statusesOf(play)).toBe('a completed, d pending, e pending');
    expect(play.state.plan?.revision).toBe(2);
    expect(answersOf(play)[1]).toBe('Plan revised. a is already completed and unchanged.');
    expect(play.chain.notices.at(-1)).toMatchObject({
      code: 'plan_changed',
      text: 'The plan was revised (2): There is a shorter way. To do: 2 tasks, d, e.',
    });
  });

  it('unblocks a task that depended on a failed task', () => {
    const play = prepared(planAgent({ ...quiet, fallbacks: [] }));
    replyWithCalls(play, makes('a', 'b after a'));
    replyWithCalls(play, fails('a'));
    replyWithCalls(play, revises('another way', 'x', 'b after x'));
    expect(statusesOf(play)).toBe('x pending, b pending');
  });

  it('continues the task in progress if it is still in the plan', () => {
    const play = playPlan('a', 'b');
    replyWithCalls(play, starts('a'), revises('more to do', 'a', 'b', 'c'));
    expect(statusesOf(play)).toBe('a in_progress, b pending, c pending');
    replyWithCalls(play, revises('first c', 'a after c', 'c'));
    expect(statusesOf(play)).toBe('a pending, c pending');
  });

  it('removes no confirmation', () => {
    const input = { ...prepared().state.input!, plan: { name: 'pays', tasks: [task('look'), task('pay', ['pay'])] } };
    const play = prepared(planAgent(quiet), input);
    replyWithCalls(play, revises('a trick', 'look', 'other'));
    expect(play.state.plan?.tasks.map(({ id, confirm }) => [id, confirm])).toEqual([
      ['look', ['pay']],
      ['other', ['pay']],
    ]);
  });
});

describe('a template', () => {
  it('is the plan from the start, and the model sees it', () => {
    const input = { ...prepared().state.input!, plan: { name: 'pays', tasks: [task('look'), task('pay', ['pay'])] } };
    const play = prepared(planAgent(), input);
    expect(play.state.plan).toMatchObject({ source: 'template', revision: 1 });
    expect(play.chain.guidance[0]?.text).toBe(
      'This is the plan:\n- look: Do look.\n- pay: Do pay.\nAvailable tasks:\n- look: Do look.\n- pay: Do pay.',
    );
    expect(play.chain.notices[0]).toMatchObject({ code: 'plan_changed', text: expect.stringContaining('look, pay') });
  });

  it('requests approval only for calls that the task in progress lists in `confirm`', () => {
    const input = { ...prepared().state.input!, plan: { name: 'pays', tasks: [task('look'), task('pay', ['pay'])] } };
    const play = prepared(planAgent(quiet), input);
    replyWithCalls(play, starts('look'), ['pay', { at: 1 }]);
    expect(play.ran).toEqual(['1.2']);
    play.returned('1.2');
    replyWithCalls(play, completes('look'), starts('pay'), ['pay', { at: 2 }]);
    expect(play.ran).toEqual(['1.2']);
    expect(play.step.calls[2]?.requests).toMatchObject([
      { kind: 'approval', rules: { reason: 'Task pay requires confirmation of calls of pay.', risk: 'high' } },
    ]);
  });

  it('without tasks ends the chain as a failure with the reason', () => {
    const play = prepared(planAgent(), { ...prepared().state.input!, plan: { name: 'empty', tasks: [] } });
    expect(play.result).toMatchObject({ outcome: 'failure', reasonCode: 'empty_plan' });
  });

  it('is rejected for an agent without the strategy plan', () => {
    const play = prepared(undefined, { ...prepared().state.input!, plan: { name: 'pays', tasks: [task('look')] } });
    expect(play.result).toMatchObject({ outcome: 'failure', reasonCode: 'unplanned_agent' });
    expect(play.state.stop?.reason).toMatchObject({ agent: 'clerk', strategy: 'tools' });
  });
});

function task(id: string, confirm: readonly string[] = []) {
  return { id, description: `Do ${id}.`, dependsOn: [], tools: [], confirm };
}

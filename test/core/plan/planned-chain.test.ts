/** A chain by the strategy `plan`, from its plan to its answer: what each reply does to the tasks, and what it is told. */

import { describe, expect, it } from 'vitest';
import {
  answersOf,
  completes,
  fails,
  finishes,
  lastGuide,
  makes,
  planAgent,
  revises,
  says,
  speaks,
  starts,
  statusesOf,
} from '../../support/core-plans.js';
import { prepared } from '../../support/core-play.js';

const quiet = { reflection: false } as const;
const planned = (...lines: readonly string[]) => {
  const play = prepared(planAgent(quiet));
  says(play, makes(...lines));
  return play;
};

describe('the planner', () => {
  it('asks for a plan before the first reply, and says what is next after it', () => {
    const play = prepared(planAgent());
    expect(play.chain.guidance).toEqual([{ text: expect.stringContaining('First make a plan'), afterStep: 0 }]);
    says(play, makes('a', 'b after a'));
    expect(statusesOf(play)).toBe('a pending, b pending');
    expect(play.state.plan).toMatchObject({ revision: 1, source: 'model' });
    expect(answersOf(play)).toEqual(['The plan is made.']);
    expect(lastGuide(play)).toBe('Next is a: Do a.');
    expect(play.chain.notices.map(({ text }) => text)).toEqual(['The plan: 2 tasks, a, b.']);
    expect(play.step.plan).toEqual(play.state.plan);
  });

  it.each([
    ['words alone', (play: ReturnType<typeof prepared>) => speaks(play, 'I would begin with a.')],
    ['a plan without tasks', (play: ReturnType<typeof prepared>) => says(play, ['make_plan', { tasks: [] }])],
    ['a plan that is none', (play: ReturnType<typeof prepared>) => says(play, ['make_plan', { tasks: 'a, b' }])],
    ['a call of another tool', (play: ReturnType<typeof prepared>) => says(play, ['look', { at: 1 }])],
    ['a task that there is not', (play: ReturnType<typeof prepared>) => says(play, starts('a'))],
  ])('takes the goal for the one task after %s', (_what, reply) => {
    const play = prepared(planAgent());
    reply(play);
    expect(play.state.plan?.source).toBe('goal');
    expect(play.state.plan?.tasks).toMatchObject([{ id: 'goal', description: 'Find out what is due, and pay it.' }]);
    expect(play.state.stop).toBeNull();
  });

  it('tells the model what it changed in a plan to come to one', () => {
    const play = planned('a after c', 'b after x', 'c after a', 'a');
    expect(answersOf(play)).toEqual([
      'The plan is made. A second task a is now a_2. b does not wait for x: there is no such task. c does not wait for a, which waits for it.',
    ]);
    expect(play.state.plan?.tasks.map(({ id, dependsOn }) => [id, dependsOn])).toEqual([
      ['a', ['c']],
      ['b', []],
      ['c', []],
      ['a_2', []],
    ]);
  });

  it('is not asked where planning is off, and there a text is the answer at once', () => {
    const play = prepared(planAgent({ planning: false }));
    expect(play.chain.guidance).toEqual([]);
    expect(statusesOf(play)).toBe('goal pending');
    speaks(play, 'All is paid.');
    expect(play.result).toMatchObject({ outcome: 'success', answer: 'All is paid.', steps: 1 });
    expect(statusesOf(play)).toBe('goal completed');
  });
});

describe('the reasoner', () => {
  it('begins the first available task itself where the model only calls tools, and says so', () => {
    const play = planned('a', 'b after a');
    says(play, ['look', { at: 1 }]);
    expect(statusesOf(play)).toBe('a in_progress, b pending');
    expect(play.step.calls[0]).toMatchObject({ tool: 'look', task: 'a' });
    play.returned('2.1');
    expect(lastGuide(play)).toBe('This was taken as work on a: say by `complete_task` when it is done.');
    says(play, ['look', { at: 2 }]);
    play.returned('3.1');
    expect(lastGuide(play)).toBeNull();
  });

  it.each([
    ['one that there is not', starts('x'), 'There is no task x. Available: a, c.'],
    ['one that waits', starts('b'), 'b waits for a. Available: a, c.'],
    ['none', ['start_task', {}] as const, 'Say which task, by its id. Available: a, c.'],
  ])('does not begin %s, and says what could be', (_what, call, told) => {
    const play = planned('a', 'b after a', 'c');
    says(play, call);
    expect(answersOf(play)).toEqual([told]);
    expect(statusesOf(play)).toBe('a pending, b pending, c pending');
  });

  it('lets as many tasks be at work as the agent allows', () => {
    const play = planned('a', 'b');
    says(play, starts('a'), starts('b'));
    expect(play.statuses).toEqual(['ok', 'error']);
    expect(answersOf(play)[1]).toBe('One task is worked on at a time, and a is at work. Complete or fail that first.');
    says(play, completes('a'), starts('b'));
    expect(statusesOf(play)).toBe('a completed, b in_progress');
  });

  it('runs the calls of several tasks at once where several may be at work', () => {
    const play = prepared(planAgent({ ...quiet, parallel: 2 }));
    says(play, makes('a', 'b'));
    says(play, starts('a'), ['look', { at: 1 }], starts('b'), ['look', { at: 2 }]);
    expect(play.ran).toEqual(['2.2', '2.4']);
    expect(play.step.calls.map(({ task }) => task)).toEqual([undefined, 'a', undefined, 'b']);
    play.returned('2.2');
    play.returned('2.4');
    says(play, starts('a'), ['read', { at: 3 }]);
    expect(play.step.calls[1]).toMatchObject({ task: 'a' });
  });
});

describe('the observer', () => {
  it('takes words alone for the result of the task at work, and the last words for the answer', () => {
    const play = planned('a', 'b after a');
    speaks(play, 'A is 1.');
    expect(play.state.plan?.tasks[0]).toMatchObject({ status: 'completed', result: 'A is 1.' });
    expect(play.step).toMatchObject({ thought: 'A is 1.', answer: null });
    expect(lastGuide(play)).toBe('This was taken as the result of a.\nNext is b: Do b.');
    speaks(play, 'B is 2.');
    expect(lastGuide(play)).toContain('All tasks are completed.');
    speaks(play, 'It is 3.');
    expect(play.result).toMatchObject({ outcome: 'success', answer: 'It is 3.', steps: 4 });
  });

  it('completes and fails what the model says, with what it came to', () => {
    const play = planned('a', 'b', 'c after b');
    says(play, completes('a', 'It is 1.'), fails('b', 'No key.'));
    expect(statusesOf(play)).toBe('a completed, b pending, c pending');
    expect(play.state.plan?.tasks[1]).toMatchObject({ attempts: 1, error: 'No key.' });
  });

  it('answers what would change nothing, and counts it as nothing new', () => {
    const play = planned('a', 'b');
    says(play, completes('a'));
    for (const _time of [1, 2]) {
      says(play, completes('a', String(_time)));
      expect(answersOf(play)).toEqual(['a is completed. Available: b.']);
      expect(play.state.stop).toBeNull();
    }
    says(play, completes('a', '3'));
    expect(play.result).toMatchObject({ outcome: 'stalled' });
  });
});

describe('the end', () => {
  it('is not taken while tasks are left, unless the model says why', () => {
    const play = planned('a', 'b after a');
    says(play, finishes('Half of it.'));
    expect(play.statuses).toEqual(['error']);
    expect(answersOf(play)[0]).toMatch(/^Not finished: a, b are left\./);
    says(play, finishes('Half of it.', 'There is no time.'));
    expect(play.result).toMatchObject({ outcome: 'success', answer: 'Half of it.' });
    expect(play.chain.notices.at(-1)?.text).toBe('Left undone, 2 tasks, a, b: There is no time.');
  });

  it('comes in the reply that completes the last task, wherever it stands there', () => {
    const play = planned('a');
    says(play, finishes('Done.'), completes('a'));
    expect(play.result).toMatchObject({ answer: 'Done.', steps: 2 });
    expect(statusesOf(play)).toBe('a completed');
  });

  it('is asked for with what there is, once nothing can be begun any more', () => {
    const play = prepared(planAgent({ ...quiet, fallbacks: [] }));
    says(play, makes('a', 'b after a'));
    says(play, fails('a', 'No key.'));
    expect(statusesOf(play)).toBe('a failed, b blocked');
    expect(lastGuide(play)).toContain('- a has failed: No key.\n- b is blocked by a');
    speaks(play, 'There is no key.');
    expect(play.result).toMatchObject({ outcome: 'success', answer: 'There is no key.' });
  });

  it('runs no tool beside it', () => {
    const play = planned('a');
    says(play, ['pay', {}], completes('a'), finishes('Done.'));
    expect(play.ran).toEqual([]);
    expect(play.step.calls).toMatchObject([{ tool: 'pay', status: 'not_run' }, { tool: 'complete_task' }]);
  });
});

describe('a revision', () => {
  it('replaces what is not completed, keeps what is, and tells its reason', () => {
    const play = planned('a', 'b after a', 'c after b');
    says(play, completes('a'), revises('There is a shorter way', 'a', 'd after a', 'e after d'));
    expect(statusesOf(play)).toBe('a completed, d pending, e pending');
    expect(play.state.plan?.revision).toBe(2);
    expect(answersOf(play)[1]).toBe('The plan is revised. a is completed already and left as it was.');
    expect(play.chain.notices.at(-1)?.text).toBe(
      'The plan was revised (2): There is a shorter way. To do: 2 tasks, d, e.',
    );
  });

  it('unblocks what waited for a task that failed', () => {
    const play = prepared(planAgent({ ...quiet, fallbacks: [] }));
    says(play, makes('a', 'b after a'));
    says(play, fails('a'));
    says(play, revises('another way', 'x', 'b after x'));
    expect(statusesOf(play)).toBe('x pending, b pending');
  });

  it('lets the task at work go on, if it is still in it', () => {
    const play = planned('a', 'b');
    says(play, starts('a'), revises('more to do', 'a', 'b', 'c'));
    expect(statusesOf(play)).toBe('a in_progress, b pending, c pending');
    says(play, revises('first c', 'a after c', 'c'));
    expect(statusesOf(play)).toBe('a pending, c pending');
  });

  it('takes no confirmation away', () => {
    const input = { ...prepared().state.input!, plan: { name: 'pays', tasks: [task('look'), task('pay', ['pay'])] } };
    const play = prepared(planAgent(quiet), input);
    says(play, revises('a trick', 'look', 'other'));
    expect(play.state.plan?.tasks.map(({ id, confirm }) => [id, confirm])).toEqual([
      ['look', ['pay']],
      ['other', ['pay']],
    ]);
  });
});

describe('a template', () => {
  it('is the plan from the start, and the model is told of it', () => {
    const input = { ...prepared().state.input!, plan: { name: 'pays', tasks: [task('look'), task('pay', ['pay'])] } };
    const play = prepared(planAgent(), input);
    expect(play.state.plan).toMatchObject({ source: 'template', revision: 1 });
    expect(play.chain.guidance[0]?.text).toBe(
      'This is the plan:\n- look: Do look.\n- pay: Do pay.\nAvailable now:\n- look: Do look.\n- pay: Do pay.',
    );
    expect(play.chain.notices[0]?.text).toBe('The plan pays: 2 tasks, look, pay.');
  });

  it('has a person asked for the calls that a task at work wants confirmed, and for no others', () => {
    const input = { ...prepared().state.input!, plan: { name: 'pays', tasks: [task('look'), task('pay', ['pay'])] } };
    const play = prepared(planAgent(quiet), input);
    says(play, starts('look'), ['pay', { at: 1 }]);
    expect(play.ran).toEqual(['1.2']);
    play.returned('1.2');
    says(play, completes('look'), starts('pay'), ['pay', { at: 2 }]);
    expect(play.ran).toEqual(['1.2']);
    expect(play.step.calls[2]?.requests).toMatchObject([
      { kind: 'approval', rules: { reason: 'Task pay wants calls of pay to be confirmed.', risk: 'high' } },
    ]);
  });

  it('without a task ends the chain, and says why', () => {
    const play = prepared(planAgent(), { ...prepared().state.input!, plan: { name: 'empty', tasks: [] } });
    expect(play.result).toMatchObject({ outcome: 'failure', reason: expect.stringContaining('has no task') });
  });

  it('is for agents that work by plans', () => {
    const play = prepared(undefined, { ...prepared().state.input!, plan: { name: 'pays', tasks: [task('look')] } });
    expect(play.result.reason).toBe(
      'The chain was started with a plan, and clerk works by the strategy tools. Give the agent the strategy plan.',
    );
  });
});

function task(id: string, confirm: readonly string[] = []) {
  return { id, description: `Do ${id}.`, dependsOn: [], tools: [], confirm };
}

/** Properties of every plan, for any replies of a model in any order. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { listCalls } from '../../../../src/core/engine/state/flight.js';
import type { Json } from '../../../../src/core/lib/json.js';
import type { PlanOptions, TaskFallback } from '../../../../src/core/model/agent.js';
import { defaults } from '../../../../src/core/model/defaults.js';
import type { Plan, Task } from '../../../../src/core/model/plan.js';
import { listAvailableTasks, listOpenTasks } from '../../../../src/core/model/tasks.js';
import { noUsage } from '../../../../src/core/model/usage.js';
import { plan as strategy } from '../../../../src/core/strategies/plan.js';
import { planDefaults } from '../../../../src/core/strategies/strategy.js';
import { budget } from '../../../support/budget.js';
import { findConversationFault } from '../../../support/conversation-rules.js';
import { replyOf, toolFailure } from '../../../support/core-builders.js';
import { decides } from '../../../support/core-people.js';
import { type PlanCall, planAgent, replyWithCalls, replyWithText, tasksOf } from '../../../support/core-plans.js';
import { type Play, prepared } from '../../../support/core-play.js';

const options: fc.Arbitrary<PlanOptions> = fc.record({
  name: fc.constant('plan' as const),
  planning: fc.boolean(),
  reflection: fc.boolean(),
  reflectEvery: fc.integer({ min: 1, max: 4 }),
  parallel: fc.integer({ min: 1, max: 3 }),
  fallbacks: fc.array(fc.constantFrom<TaskFallback>(...planDefaults.fallbacks), { maxLength: 4 }),
  reuse: fc.constant(null),
  reuseSimilarity: fc.constant(planDefaults.reuseSimilarity),
  confirmReuse: fc.boolean(),
});

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e', 'x');
const tasks = fc
  .array(
    fc.tuple(id, fc.array(id, { maxLength: 2 })).map(([name, after]) => `${name} after ${after.join(', ')}`),
    { maxLength: 5 },
  )
  .map((lines) => tasksOf(...lines.map((line) => line.replace(/ after $/, ''))));
const call: fc.Arbitrary<PlanCall> = fc.oneof(
  { weight: 1, arbitrary: fc.tuple(fc.constantFrom('make_plan', 'revise_plan'), fc.record({ tasks })) },
  {
    weight: 5,
    arbitrary: fc.tuple(fc.constantFrom('start_task', 'complete_task', 'fail_task'), fc.record({ id })),
  },
  { weight: 2, arbitrary: fc.tuple(fc.constantFrom('look', 'pay', 'ghost'), fc.record({ at: fc.nat() })) },
  { weight: 1, arbitrary: fc.constant<PlanCall>(['finish', { result: 'Done.' }]) },
);
const reply = fc.oneof(
  { weight: 5, arbitrary: fc.array(call, { minLength: 1, maxLength: 4 }) },
  { weight: 1, arbitrary: fc.string({ minLength: 1 }).map((words) => `So: ${words}`) },
);
/** Each reply, and whether its tools then fail. */
const conversation = fc.array(fc.tuple(reply, fc.boolean()), { maxLength: 25 });
const first = fc.oneof(
  fc.constant(null),
  tasks.map((given) => given as readonly Json[]),
);

/** The plan of an earlier chain in place of the first reply, and a person's decision where one is required. */
const proposal = fc.option(fc.record({ tasks, kind: fc.constantFrom('approve', 'deny') }));

function propose(play: Play, options: PlanOptions, given: { tasks: Json; kind: 'approve' | 'deny' }): void {
  if (play.state.plan !== null) return;
  const reusedPlan = { tasks: given.tasks as never, chainId: 'earlier', goal: 'It was due.', similarity: 0.9 };
  play.replied({ ...replyOf({}), provider: null, request: null, usage: noUsage, reusedPlan });
  if (options.confirmReuse) play.take(decides(`${play.state.steps}.1`, { kind: given.kind }));
}

type Check = (play: Play, options: PlanOptions, before: Plan | null) => void;

function everyConversation(check: Check): void {
  fc.assert(
    fc.property(options, first, proposal, conversation, (chosen, given, proposed, replies) => {
      const play = prepared(planAgent(chosen, { limits: { stallThreshold: 1_000 } }));
      if (proposed !== null) propose(play, chosen, proposed);
      if (given !== null) replyWithCalls(play, ['make_plan', { tasks: given }]);
      for (const [content, broken] of replies) {
        if (play.state.stop !== null) break;
        const before = play.state.plan;
        if (typeof content === 'string') replyWithText(play, content);
        else replyWithCalls(play, ...content);
        for (const { id } of listCalls(play.state)) {
          if (broken) play.broke(id, toolFailure('NotDone', `No ${id}`));
          else play.returned(id);
        }
        check(play, chosen, before);
        if (play.state.flight.kind === 'taskRetry') play.fired('retry');
      }
    }),
    { numRuns: budget(35, 200) },
  );
}

function everyPlan(check: (plan: Plan, options: PlanOptions) => void): void {
  everyConversation((play, chosen) => {
    if (play.state.plan !== null) check(play.state.plan, chosen);
  });
}

const isCompleted = ({ tasks }: Plan, id: string) =>
  tasks.some((task) => task.id === id && task.status === 'completed');
const isLost = ({ tasks }: Plan, id: string) =>
  tasks.some((task) => task.id === id && (task.status === 'failed' || task.status === 'blocked'));
const isWaiting = ({ status }: Task) => status === 'pending' || status === 'blocked';

describe('every plan', () => {
  it('starts a task only after its dependencies, and at most `parallel` tasks at once', () => {
    everyPlan((plan, { parallel }) => {
      const busy = plan.tasks.filter(({ status }) => status === 'in_progress');
      expect(busy.length).toBeLessThanOrEqual(parallel);
      for (const { dependsOn } of busy) expect(dependsOn.every((each) => isCompleted(plan, each))).toBe(true);
    });
  });

  it('blocks a task exactly when it depends on a failed or blocked task', () => {
    everyPlan((plan) => {
      for (const task of plan.tasks.filter(isWaiting)) {
        expect(task.status === 'blocked').toBe(task.dependsOn.some((each) => isLost(plan, each)));
      }
    });
  });

  it('has an available task while tasks are open, and at most the maximum of tasks', () => {
    everyPlan((plan) => {
      const busy = plan.tasks.some(({ status }) => status === 'in_progress');
      if (listOpenTasks(plan).length > 0) expect(busy || listAvailableTasks(plan).length > 0).toBe(true);
      expect(plan.tasks.length).toBeGreaterThan(0);
      expect(plan.tasks.length).toBeLessThanOrEqual(defaults.planTasks);
    });
  });

  it('keeps completed tasks and their results', () => {
    everyConversation((play, _options, before) => {
      for (const task of before?.tasks.filter(({ status }) => status === 'completed') ?? []) {
        expect(play.state.plan?.tasks).toContainEqual(task);
      }
    });
  });

  it('renders as a conversation that the wire accepts and that ends with a user message', () => {
    everyConversation((play) => {
      const { agent, stop } = play.state;
      if (agent === null || stop !== null) return;
      const { messages } = strategy.render(play.chain, agent);
      expect(findConversationFault(messages as unknown as Json)).toBeNull();
      expect(messages.at(-1)?.role).toBe('user');
    });
  });

  it('records every change of the plan in its step', () => {
    everyConversation((play, _options, before) => {
      if (play.state.plan === before) expect(play.step.plan).toBeUndefined();
      else expect(play.step.plan).toEqual(play.state.plan);
    });
  });
});

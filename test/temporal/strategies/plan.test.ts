/** The strategy `plan` on a real server: from the plan to the answer, with failures, people, forks and reused plans. */

import { describe, expect, it } from 'vitest';
import { resolveChainSource } from '../../../src/client/read/chain-source.js';
import { readRecordedChain } from '../../../src/client/read/recorded-chain.js';
import { replayChain } from '../../../src/core/record/replay.js';
import type { ChainHandle } from '../../../src/entries/client.js';
import { askUser } from '../../../src/entries/tools.js';
import { createViewer, toReasoning, view } from '../../../src/entries/view.js';
import { createPlanCache } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import { longhandHere } from '../../support/command-here.js';
import { completes, fails, finishes, revises, starts, statusesOf } from '../../support/core-plans.js';
import { decryptPayload } from '../../support/opened.js';
import { sendCommand, waitForRequests } from '../../support/people.js';
import { callMakePlan, createPlanner, look, toReply } from '../../support/plan-scene.js';
import { removeBreakpoints } from '../../support/prompt-cache.js';
import { useFileStore } from '../../support/stores.js';
import { getTemporalAddress } from '../../support/temporal.js';

const lookAt = (place: string) => ['look', { place }] as const;

async function formatPlan(chain: ChainHandle): Promise<string> {
  return statusesOf(await chain.read());
}

async function readNotices(chain: ChainHandle): Promise<readonly string[]> {
  const read = await chain.read();
  return read.notices.filter(({ code }) => code === 'plan_changed').map(({ text }) => text);
}

describe('a plan', () => {
  it('is made, executed, reflected on, revised and finished in one conversation', async () => {
    const agent = createPlanner('surveyor', { reflectEvery: 2 });
    const replies = [
      toReply('I plan.', callMakePlan('find', 'count after find')),
      toReply('I look.', starts('find'), lookAt('cellar')),
      toReply('Found.', completes('find', 'One thing'), starts('count')),
      toReply('One thing is not enough: the plan does not hold.'),
      toReply(revises('The attic is missing', 'attic', 'count after attic')),
      toReply(lookAt('attic')),
      toReply('Two.', completes('attic'), completes('count', '2'), finishes('There are two.')),
    ];
    await withWorker({ agents: [agent], replies }, async ({ longhand, models }) => {
      const chain = await longhand.start(agent, 'How many things are there?');
      expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'There are two.', steps: 7 });
      expect(await formatPlan(chain)).toBe('find completed, attic completed, count completed');
      expect(await readNotices(chain)).toEqual([
        'The plan: 2 tasks, find, count.',
        'The plan was revised (2): The attic is missing. To do: 2 tasks, attic, count.',
      ]);
      const read = await chain.read();
      expect(read.steps[3]).toMatchObject({ answer: null, thought: expect.stringContaining('does not hold') });
      expect(
        read.steps.flatMap(({ calls }) => calls).flatMap(({ tool, task }) => (task ? [[tool, task]] : [])),
      ).toEqual([
        ['look', 'find'],
        ['look', 'attic'],
      ]);
      // Each request begins with the previous one, so that the provider's cache applies.
      const bodies = models.requests.map(({ body }) => removeBreakpoints(body));
      for (const [at, body] of bodies.entries()) {
        const before = bodies[at - 1];
        if (before === undefined) continue;
        expect([body.system, body.tools]).toEqual([before.system, before.tools]);
        expect(body.messages.slice(0, before.messages.length - 1)).toEqual(before.messages.slice(0, -1));
      }
    });
  });

  it('is completed by a model that only writes text', async () => {
    const agent = createPlanner('writer');
    const replies = [toReply('First I would think, then write.'), toReply('A poem.')];
    await withWorker({ agents: [agent], replies }, async ({ longhand }) => {
      const chain = await longhand.start(agent, 'Write a poem');
      expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'A poem.', steps: 2 });
      expect(await formatPlan(chain)).toBe('goal completed');
    });
  });

  it('from a template takes texts of the model as results of its tasks, one after the other', async () => {
    const agent = createPlanner('drafter', { reflection: false });
    const plan = { name: 'letter', tasks: [createTask('draft'), createTask('polish', { dependsOn: ['draft'] })] };
    const replies = [toReply('Dear Sir'), toReply('Dear Sir,'), toReply('The letter: Dear Sir,')];
    await withWorker({ agents: [agent], replies }, async ({ longhand, models }) => {
      const chain = await longhand.start(agent, 'Write a letter', { plan });
      expect(await chain.result()).toMatchObject({ answer: 'The letter: Dear Sir,', steps: 3 });
      expect(JSON.stringify(models.requests[0]?.body.messages)).toContain('- polish (after draft): Do polish.');
      expect(await readNotices(chain)).toEqual(['The plan letter: 2 tasks, draft, polish.']);
    });
  });

  it('runs the calls of several tasks at a time', async () => {
    const agent = createPlanner('twins', { parallel: 2, reflection: false });
    const replies = [
      toReply(callMakePlan('a', 'b')),
      toReply(starts('a'), lookAt('cellar'), starts('b'), lookAt('attic')),
      toReply(completes('a'), completes('b'), finishes('Seen.')),
    ];
    await withWorker({ agents: [agent], replies }, async ({ longhand }) => {
      const chain = await longhand.start(agent, 'Look everywhere');
      expect(await chain.result()).toMatchObject({ outcome: 'success', steps: 3 });
      const { steps } = await chain.read();
      expect(steps[1]?.calls.map(({ task, status }) => [task, status])).toEqual([
        [undefined, 'ok'],
        ['a', 'ok'],
        [undefined, 'ok'],
        ['b', 'ok'],
      ]);
    });
  });
});

describe('a task that fails', () => {
  it('is retried after a durable wait, then the user is asked, then it is skipped with the tasks that depend on it', async () => {
    // One run, because its timers are counted.
    const worker = { continueAfter: {} };
    const agent = createPlanner('stuck', { fallbacks: ['retry', 'ask_user', 'skip'] }, { tools: [look, askUser()] });
    const replies = [
      toReply(callMakePlan('open', 'enter after open', 'knock')),
      toReply(fails('open', 'It is locked')),
      toReply(fails('open', 'Still locked')),
      toReply(starts('open'), ['ask_user', { question: 'Where is the key?' }]),
      toReply(fails('open', 'The key does not fit')),
      toReply(completes('knock', 'Nobody'), finishes('Nobody is there.')),
    ];
    await withWorker({ agents: [agent], replies, worker }, async ({ longhand }) => {
      const chain = await longhand.start(agent, 'Get in');
      await waitForRequests(longhand, chain.chainId, '4.2');
      await sendCommand(longhand, chain.chainId, 'answer', { call: '4.2', answer: 'Under the mat' });
      expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'Nobody is there.' });
      expect(await formatPlan(chain)).toBe('open failed, enter blocked, knock completed');
      expect((await readNotices(chain)).slice(1)).toEqual([
        'Task open failed: It is locked. It is retried after 1 s.',
        'Task open failed: Still locked. The model is instructed to ask the user.',
        'Task open failed: The key does not fit. It is skipped.',
      ]);
      const { events } = await longhand.client.workflow.getHandle(chain.chainId).fetchHistory();
      const timers = (events ?? []).filter((event) => event.timerStartedEventAttributes);
      const summaries = timers.map(({ userMetadata }) => String(decryptPayload(userMetadata?.summary)));
      expect(summaries.filter((summary) => summary.includes('before a task is retried'))).toHaveLength(1);
    });
  });

  it('fails when its tool fails three times in a row', async () => {
    const agent = createPlanner('persistent', { fallbacks: [], reflection: false });
    const replies = [
      toReply(callMakePlan('find', 'other')),
      ...['nowhere', 'nowhere else', 'nowhere at all'].map((place) => toReply(lookAt(place))),
      toReply(completes('other'), finishes('Not found.')),
    ];
    await withWorker({ agents: [agent], replies }, async ({ longhand }) => {
      const chain = await longhand.start(agent, 'Find it');
      expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'Not found.' });
      expect(await formatPlan(chain)).toBe('find failed, other completed');
      expect((await readNotices(chain))[1]).toBe('Task find failed: look failed 3 times in a row. It is skipped.');
    });
  });
});

describe('a plan template', () => {
  it('requires confirmation of calls that its task names, although the tool requires none', async () => {
    const agent = createPlanner('payer', { reflection: false });
    const plan = {
      name: 'pay',
      tasks: [createTask('find'), createTask('settle', { dependsOn: ['find'], confirm: ['pay'] })],
    };
    const replies = [
      toReply(completes('find', 'Ana'), starts('settle'), ['pay', { to: 'Ana' }]),
      toReply(completes('settle'), finishes('Ana is paid.')),
    ];
    await withWorker({ agents: [agent], replies }, async ({ longhand }) => {
      const chain = await longhand.start(agent, 'Pay what is due', { plan });
      await waitForRequests(longhand, chain.chainId, '1.3');
      const { steps } = await chain.read();
      const [request] = steps[0]?.calls[2]?.requests ?? [];
      expect(request?.rules.reason).toBe('Task settle requires confirmation of calls of pay.');
      await sendCommand(longhand, chain.chainId, 'approve', { call: '1.3' });
      expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'Ana is paid.' });
    });
  });
});

describe('a plan that succeeded', () => {
  const files = useFileStore();
  const work = [toReply(completes('find', '1')), toReply(completes('count'), finishes('One.'))];
  const planned = [toReply(callMakePlan('find', 'count after find')), ...work];

  it('is reused by the next chain with the same goal at no cost', async () => {
    const agent = createPlanner('again', { reuse: 'v1', reflection: false });
    const plans = createPlanCache();
    const replies = [...planned, ...work];
    await withWorker({ agents: [agent], replies, worker: { planCache: plans } }, async ({ longhand, models }) => {
      const first = await longhand.start(agent, 'How many  things?');
      expect(await first.result()).toMatchObject({ answer: 'One.', steps: 3 });
      const second = await longhand.start(agent, ' How many things?\n');
      expect(await second.result()).toMatchObject({ answer: 'One.', steps: 3 });
      expect(models.requests).toHaveLength(5);
      const chain = await second.read();
      expect(chain.state.plan).toMatchObject({ source: 'reused' });
      expect(chain.steps[0]).toMatchObject({ usage: { input: 0, output: 0 }, costUsd: 0 });
      expect(await readNotices(second)).toEqual([
        `A plan of chain ${first.chainId} worked before, for the same goal. It is reused: 2 tasks, find, count.`,
      ]);
      expect(JSON.stringify(models.requests[3]?.body.messages)).toContain('- count (after find): Do count.');
    });
  });

  it('is reused from the store by another worker for a similar goal, which the chain shows, until its chain is erased', async () => {
    const agent = createPlanner('similar', { reuse: 'v1', reflection: false });
    const replies = [...planned, ...work, ...planned];
    const [goal, similar] = ['Count all the things in the attic', 'Please count all things in the attic now'];
    await withWorker({ agents: [agent], replies, worker: { store: files.where } }, async (test) => {
      const { longhand, models, worker, startWorker } = test;
      const first = await longhand.start(agent, goal);
      expect(await first.result()).toMatchObject({ outcome: 'success' });
      await worker.stop();
      await startWorker({ store: files.where });
      const second = await longhand.start(agent, similar);
      expect(await second.result()).toMatchObject({ outcome: 'success', steps: 3 });
      expect(models.requests).toHaveLength(5);
      const line = `A plan of chain ${first.chainId} worked before, for the goal "${goal}" (similarity 0.83). It is reused: 2 tasks, find, count.`;
      expect(await readNotices(second)).toEqual([line]);
      const env = { TEMPORAL_ADDRESS: getTemporalAddress(), LONGHAND_STORE: files.where };
      const shown = await longhandHere(['chain', 'show', second.chainId], env);
      expect(shown.stdout.replace(/[\s│]+/g, ' ')).toContain(line);
      const erased = await longhandHere(['archive', 'erase', '--chain', first.chainId, '--yes'], env);
      expect(erased.code).toBe(0);
      const third = await longhand.start(agent, goal);
      expect(await third.result()).toMatchObject({ outcome: 'success' });
      expect((await third.read()).state.plan).toMatchObject({ source: 'model' });
    });
  });

  it('waits for a person where the agent requires it; a denied one is replaced by a plan of the model', async () => {
    const agent = createPlanner('asked', { reuse: 'v1', reflection: false, confirmReuse: true });
    const replies = [...planned, ...work, ...planned];
    await withWorker({ agents: [agent], replies, worker: { planCache: createPlanCache() } }, async ({ longhand }) => {
      await (await longhand.start(agent, 'How many things?')).result();
      const approved = await longhand.start(agent, 'How many things?');
      await waitForRequests(longhand, approved.chainId, '1.1');
      await sendCommand(longhand, approved.chainId, 'approve', { call: '1.1' });
      expect(await approved.result()).toMatchObject({ outcome: 'success', steps: 3 });
      expect((await approved.read()).state.plan).toMatchObject({ source: 'reused' });
      const denied = await longhand.start(agent, 'How many things?');
      await waitForRequests(longhand, denied.chainId, '1.1');
      await sendCommand(longhand, denied.chainId, 'deny', { call: '1.1' });
      expect(await denied.result()).toMatchObject({ outcome: 'success', steps: 4 });
      expect((await denied.read()).state.plan).toMatchObject({ source: 'model' });
    });
  });

  it('is needed for reuse: a failed plan or a broken cache leads to a new plan', async () => {
    const agent = createPlanner('replanner', { reuse: 'v1', reflection: false, fallbacks: [] });
    const failing = toReply(fails('find'), finishes('None.', 'It is shut.'));
    const plan = toReply(callMakePlan('find'));
    await withWorker({ agents: [agent], replies: [plan, failing, plan, failing] }, async ({ longhand, models }) => {
      for (const _time of [1, 2]) await (await longhand.start(agent, 'How many things?')).result();
      expect(models.requests).toHaveLength(4);
    });
    const broken = {
      list: () => Promise.reject(new Error('no cache')),
      put: () => Promise.reject(new Error('no cache')),
    };
    const replies = [plan, toReply(completes('find'), finishes('One.'))];
    await withWorker({ agents: [agent], replies, worker: { planCache: broken } }, async ({ longhand }) => {
      expect(await (await longhand.start(agent, 'How many?')).result()).toMatchObject({ outcome: 'success' });
    });
  });
});

describe('a chain with a plan', () => {
  const agent = createPlanner('forked', { reflection: false });
  const replies = [
    toReply(callMakePlan('find', 'count after find')),
    toReply(lookAt('cellar')),
    toReply(completes('find', '1'), completes('count'), finishes('One.')),
    toReply(completes('find', '2'), completes('count'), finishes('Two.')),
  ];

  it('is forked with its plan, replays, and shows its plan by the level of the viewer', async () => {
    await withWorker({ agents: [agent], replies, temporal: { maxCachedWorkflows: 0 } }, async (test) => {
      const { longhand, models } = test;
      const chain = await longhand.start(agent, 'How many things?');
      expect(await chain.result()).toMatchObject({ answer: 'One.' });
      const fork = await longhand.fork(chain.chainId, { atStep: 2 });
      expect(await fork.result()).toMatchObject({ answer: 'Two.', steps: 3 });
      expect(models.requests[3]?.body.messages).toEqual(models.requests[2]?.body.messages);
      expect(await formatPlan(fork)).toBe('find completed, count completed');

      const shown = await longhandHere(['chain', 'show', chain.chainId], { TEMPORAL_ADDRESS: getTemporalAddress() });
      expect(shown.stdout).toContain(
        '[PLAN] 100 %, 2 of 2 tasks completed\n✓ find: Do find.\n  1\n└ ✓ count: Do count.\n  count is done\n',
      );
      expect(shown.stdout).toContain('≡ The plan: 2 tasks, find, count.');
      const { currentDetails } = await longhand.client.workflow
        .getHandle(chain.chainId)
        .query<{ currentDetails: string }>('__temporal_workflow_metadata');
      expect(currentDetails).toContain(
        '**Plan** 100 %, 2 of 2 tasks completed\n\n- ✓ find: Do find.\n  - ✓ count: Do count.',
      );
      const recorded = await readRecordedChain(await resolveChainSource(longhand.client, chain.chainId));
      expect(await replayChain(recorded.runs)).toMatchObject({ differences: [], diverged: false });
      const reasoning = toReasoning(recorded);
      expect(view(reasoning, createViewer('developer')).plan).toMatchObject({
        level: 'full',
        tasks: [{ id: 'find', result: '1' }, { id: 'count' }],
      });
      expect(view(reasoning, createViewer('end_user')).plan).toMatchObject({
        level: 'summary',
        tasks: [{ id: 'find', status: 'completed', result: null }, { id: 'count' }],
      });
    });
  });
});

function createTask(id: string, more: { dependsOn?: readonly string[]; confirm?: readonly string[] } = {}) {
  return { id, description: `Do ${id}.`, dependsOn: [], tools: [], confirm: [], ...more };
}

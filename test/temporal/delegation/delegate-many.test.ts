/** One call with many sub-chains: the tasks of a list, some at a time, or samples of one task, of which the best is chosen. */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineTool, delegate, mapAgent } from '../../../src/index.js';
import { budget } from '../../support/budget.js';
import { withWorker } from '../../support/chain-test.js';
import { callAgent, createActor, createMeeting, delegateOnce, listCalls, playRoles } from '../../support/delegating.js';

interface Best {
  readonly best: string;
  readonly why: string;
  readonly candidates: string;
}

interface All {
  readonly summary: string;
  readonly results: readonly { readonly task: string }[];
}

/** Creates a tool whose calls wait until four run at the same time, and counts the most that did. */
function createCountingTool() {
  const counts = { now: 0, most: 0 };
  const four = createMeeting(4);
  const tool = defineTool({
    name: 'work',
    description: 'Works',
    inputSchema: z.object({}),
    effects: 'read',
    execute: async (_, { signal }) => {
      counts.now += 1;
      counts.most = Math.max(counts.most, counts.now);
      await four(signal);
      counts.now -= 1;
      return 'worked';
    },
  });
  return { counts, tool };
}

const many = budget(12, 30);

describe('map', () => {
  it('runs many tasks in sub-chains, four at a time, and returns a summary and the results in order', async () => {
    const { counts, tool } = createCountingTool();
    const lead = createActor('lead', {
      tools: [mapAgent(createActor('worker', { tools: [tool] }), { concurrency: 4 })],
    });
    const tasks = Array.from({ length: many }, (_, at) => `piece ${at + 1}.`);
    const replies = playRoles({
      lead: delegateOnce({ name: 'map_worker', input: { tasks } }),
      worker: ({ step, task: given }) => {
        if (given.includes('piece 7.')) {
          return { status: 400, error: { type: 'invalid_request_error', message: 'seven is odd' } };
        }
        return step === 1 ? { text: 'I work.', calls: [{ name: 'work', input: {} }] } : { text: `Did ${given}` };
      },
    });
    await withWorker({ agents: [lead], replies }, async ({ longhand }) => {
      const chain = await longhand.start('lead', 'Do it all');
      expect(await chain.result()).toMatchObject({ outcome: 'success', steps: 2, subtree: { chains: many } });
      const [call] = await listCalls(longhand, chain.chainId);
      const { summary, results } = (call?.observation ?? {}) as unknown as All;
      expect(summary).toBe(`${many - 1} of ${many} done, 1 failed.`);
      expect(results.map((each) => each.task)).toEqual(tasks);
      expect(results[0]).toEqual({ task: 'piece 1.', answer: 'Did piece 1.' });
      expect(results[6]).toMatchObject({
        chain: `${chain.chainId}/1.1.7`,
        error: expect.stringContaining('seven is odd'),
      });
      expect(counts.most).toBe(4);
    });
  });
});

describe('samples of one task', () => {
  const solver = createActor('solver');
  const answers = ['41', '42', '42.', '17'];
  const solves = () => {
    let place = 0;
    return () => ({ text: answers[place++ % answers.length] ?? '' });
  };

  async function chooseBest(
    tool: Parameters<typeof delegate>[1],
    judge: ReturnType<typeof delegateOnce> = () => ({ text: '' }),
  ) {
    const lead = createActor('lead', { tools: [delegate(solver, { samples: 4, ...tool })] });
    const replies = playRoles({ lead: delegateOnce(callAgent('solver')), solver: solves(), critic: judge });
    return withWorker({ agents: [lead], replies }, async ({ longhand }) => {
      const chain = await longhand.start('lead', 'What is it?');
      expect(await chain.result()).toMatchObject({ outcome: 'success' });
      const [call] = await listCalls(longhand, chain.chainId);
      const judged = await longhand
        .getHandle(`${chain.chainId}/1.1.judge`)
        .result()
        .catch(() => null);
      return { observed: call?.observation as unknown as Best, judge: judged };
    });
  }

  it('are chosen by majority', async () => {
    const { observed } = await chooseBest({});
    expect(observed.best).toMatch(/^42\.?$/);
    expect(observed).toMatchObject({ why: '2 of 4 agree.', candidates: '4 of 4 answered' });
  });

  it('are scored by a function in the worker, and a function that throws gives no score', async () => {
    const { observed } = await chooseBest({
      judge: ({ answer }) => {
        if (answer === '41') throw new Error('not this one');
        return answer === '17' ? 0.9 : 0.1;
      },
    });
    expect(observed.best).toBe('17');
    expect(observed.why).toContain('Best score: 0.9 (scores: ');
    expect(observed.why).toContain('none');
  });

  it('are judged by an agent in a sub-chain', async () => {
    const { observed, judge } = await chooseBest({ judge: createActor('critic') }, ({ task: given }) => {
      const chosen = /## Candidate (\d+)\n41/.exec(given)?.[1];
      return { text: `${chosen}, because it is humble.` };
    });
    expect(observed.best).toBe('41');
    expect(observed.why).toContain('because it is humble');
    expect(judge).toMatchObject({ outcome: 'success', answer: expect.stringContaining('because it is humble') });
  });

  it('are chosen by majority if the judge fails', async () => {
    const { observed } = await chooseBest({ judge: createActor('critic') }, () => ({
      status: 400,
      error: { type: 'invalid_request_error', message: 'no verdict' },
    }));
    expect(observed.best).toMatch(/^42\.?$/);
  });
});

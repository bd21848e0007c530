/** Concurrent commands, and commands while no worker runs: each request is decided once, and no command is lost. */

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Decision } from '../../../src/core/model/request.js';
import { connect } from '../../../src/entries/client.js';
import { budget } from '../../support/budget.js';
import { type ChainTest, expectOneTruth, withWorker } from '../../support/chain-test.js';
import type { RecordedRequest } from '../../support/messages-server.js';
import { calls, createPayingAgent, done, type PayingOptions, pay } from '../../support/paying-agent.js';
import { playScene } from '../../support/paying-scene.js';
import { findRejection, type SeenRejection, sendCommand, sendSignal, waitForRequests } from '../../support/people.js';
import { resetToTask } from '../../support/reset.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { getTemporalAddress } from '../../support/temporal.js';

interface Raced {
  readonly chainId: string;
  /** The decisions about the only call, in order. */
  readonly decisions: readonly Decision[];
  readonly status: string | undefined;
  /** The number of executions of the call. */
  readonly paid: number;
  /** The rejection of each command; null if it was accepted. */
  readonly rejections: readonly (SeenRejection | null)[];
}

type Race = (test: ChainTest, chainId: string, nth: number) => Promise<Raced['rejections']>;

/** Runs chains at the same time, each with one payment to approve and commands that race for it. */
async function playRaces(many: number, options: PayingOptions, race: Race): Promise<readonly Raced[]> {
  const { agent, payments } = createPayingAgent(options);
  const replies = ({ body }: RecordedRequest): ScriptedReply => {
    const [whom = ''] = /chain-[-0-9a-f]+/.exec(JSON.stringify(body.messages[0])) ?? [];
    return body.messages.length === 1 ? calls(pay(whom)) : done;
  };
  return withWorker({ agents: [agent], replies }, async (test) => {
    const one = async (nth: number): Promise<Raced> => {
      const chainId = `chain-${randomUUID()}`;
      const chain = await test.longhand.start(agent, `Pay ${chainId}`, { chainId });
      await waitForRequests(test.longhand, chainId, '1.1');
      const rejections = await race(test, chainId, nth);
      await chain.result();
      const [call] = (await chain.read()).steps[0]?.calls ?? [];
      const decisions = call?.requests?.flatMap((request) => request.decisions) ?? [];
      return {
        chainId,
        decisions,
        status: call?.status,
        paid: payments.filter((each) => each.startsWith(chainId)).length,
        rejections,
      };
    };
    return Promise.all(Array.from({ length: many }, (_, nth) => one(nth)));
  });
}

describe('two decisions at the same moment', () => {
  it.each(['deny', 'approve'] as const)(
    'by a person and by expiry (%s) result in exactly one decision, and the person sees which',
    async (onExpiry) => {
      const many = budget(5, 20);
      // The opposite of the expiry, so that the effect shows which decision counted.
      const command = onExpiry === 'deny' ? 'approve' : 'deny';
      let asked = 0;
      // One request waits for its person, and the last person comes late: those in between race.
      const approval = () => ({ expires: asked++ === 0 ? 3_600_000 : 6_000, onExpiry });
      const all = await playRaces(many, { approval }, async ({ longhand }, chainId, nth) => {
        const [request] = await longhand.getHandle(chainId).listRequests();
        const { askedAt = 0, expiresAt = null } = request ?? {};
        const moment = (expiresAt ?? 0) - 120 + (nth * 200) / many;
        const isEarly = (expiresAt ?? 0) - askedAt > 60_000;
        if (!isEarly) await new Promise((resolve) => setTimeout(resolve, moment - Date.now()));
        return [await findRejection(longhand, chainId, command, { call: '1.1' })];
      });
      for (const { decisions, rejections, paid, status } of all) {
        const [rejected] = rejections;
        expect(decisions).toHaveLength(1);
        const byPerson = decisions[0]?.by === 'ana';
        expect(rejected === null).toBe(byPerson);
        const run = (byPerson ? command : onExpiry) === 'approve';
        expect([paid, status]).toEqual(run ? [1, 'ok'] : [0, 'denied']);
        if (rejected) expect(['request_expired', 'call_not_waiting', 'chain_ended']).toContain(rejected.code);
      }
      expect(new Set(all.map(({ decisions }) => decisions[0]?.kind)).size).toBe(2);
    },
  );

  it('by two approvers result in one approval and one execution', async () => {
    const all = await playRaces(budget(2, 8), {}, async ({ longhand }, chainId) =>
      Promise.all(['ana', 'ben'].map((by) => findRejection(longhand, chainId, 'approve', { call: '1.1', by }))),
    );
    for (const { decisions, rejections, paid } of all) {
      expect(rejections.filter((one) => one === null)).toHaveLength(1);
      expect([decisions.length, paid]).toEqual([1, 1]);
    }
  });

  it('by two required approvers both count and result in one execution', async () => {
    const all = await playRaces(budget(2, 8), { approval: { approvers: 2 } }, async ({ longhand }, chainId) =>
      Promise.all(['ana', 'ben'].map((by) => findRejection(longhand, chainId, 'approve', { call: '1.1', by }))),
    );
    for (const { decisions, rejections, paid } of all) {
      expect(rejections).toEqual([null, null]);
      expect(decisions.map(({ by }) => by).sort()).toEqual(['ana', 'ben']);
      expect(paid).toBe(1);
    }
  });

  it('to approve and to cancel execute the call only if the approval was accepted', async () => {
    const all = await playRaces(budget(2, 12), {}, async ({ longhand }, chainId, nth) => {
      const cancel = () => longhand.getHandle(chainId).cancel({ by: 'ben' });
      const early = nth % 2 === 0 ? cancel() : null;
      const rejected = findRejection(longhand, chainId, 'approve', { call: '1.1' });
      await (early ?? cancel());
      return [await rejected];
    });
    for (const { decisions, rejections, paid, status } of all) {
      expect(decisions).toHaveLength(rejections[0] === null ? 1 : 0);
      expect(paid).toBeLessThanOrEqual(decisions.length);
      if (paid === 0) expect(status).toBe('not_run');
    }
  });
});

describe('a command that arrives twice', () => {
  it('as a signal and an update with one id is accepted once', async () => {
    await playScene(
      { approval: { approvers: 2 } },
      [calls(pay('Ada')), done],
      async ({ test: { longhand }, ...all }) => {
        await all.waitForRequests('1.1');
        const steer = { id: randomUUID(), text: 'Use euros.' };
        await Promise.allSettled([
          sendCommand(longhand, all.chainId, 'steer', steer),
          sendSignal(longhand, all.chainId, 'steer', steer),
          sendCommand(longhand, all.chainId, 'steer', steer),
        ]);
        const vote = { id: randomUUID(), call: '1.1' };
        await sendSignal(longhand, all.chainId, 'approve', vote);
        expect(await findRejection(longhand, all.chainId, 'approve', vote)).toMatchObject({ code: 'duplicate' });
        await all.send('approve', { call: '1.1', by: 'ben' });
        expect((await all.chain.result()).outcome).toBe('success');
        expect((await all.chain.read()).messages).toMatchObject([{ text: 'Use euros.' }]);
        expect((await all.listCalls(1))[0]?.requests?.[0]?.decisions).toHaveLength(2);
        expect(all.payments).toEqual(['Ada 5']);
      },
    );
  });

  const resets = [
    ['before the request of the new run is open, is rejected and requested again', 'before', ['approval', 'outcome']],
    ['after the request is open, is accepted once', 'after', ['outcome']],
  ] as const;
  const played = resets.slice(0, budget(1, 2));

  it.each(played)('because of a reset, %s, and no effect is repeated', async (_, where, kinds) => {
    const { agent, payments } = createPayingAgent();
    await withWorker({ agents: [agent], replies: [calls(pay('Ada')), done, done] }, async ({ taskQueue }) => {
      // A separate client: the client of the test would also check the run that the reset cuts off.
      const longhand = await connect({ address: getTemporalAddress(), taskQueue });
      const chain = await longhand.start(agent, 'Pay');
      const { chainId } = chain;
      await waitForRequests(longhand, chainId, '1.1');
      await sendCommand(longhand, chainId, 'steer', { text: 'Use euros.' });
      await sendCommand(longhand, chainId, 'approve', { call: '1.1' });
      expect((await chain.result()).outcome).toBe('success');

      const handle = longhand.client.workflow.getHandle(chainId);
      const { runId } = await handle.describe();
      const { events } = await handle.fetchHistory();
      const first = (events ?? []).findIndex((event) => event.workflowExecutionUpdateAcceptedEventAttributes);
      // The reset repeats the task that opened the request, or the tasks after it.
      const task = (events ?? [])
        .slice(0, where === 'before' ? first - 1 : first)
        .findLast((event) => event.workflowTaskCompletedEventAttributes);
      await resetToTask(longhand, { workflowId: chainId, runId }, task?.eventId);

      // The earlier run may have paid: although the call was approved, a person must resolve its outcome.
      const again = longhand.getHandle(chainId);
      for (const kind of kinds) {
        await expect.poll(async () => (await again.listRequests()).map((request) => request.kind)).toEqual([kind]);
        if (kind === 'approval') await sendCommand(longhand, chainId, 'approve', { call: '1.1' });
        else await sendCommand(longhand, chainId, 'outcome', { call: '1.1', outcome: 'happened' });
      }
      expect((await again.result()).outcome).toBe('success');
      const { messages, steps } = await again.read();
      expect(messages).toHaveLength(1);
      expect(steps[0]?.calls[0]?.requests?.map(({ decisions }) => decisions.map(({ kind }) => kind))).toEqual([
        ['approved'],
        ['happened'],
      ]);
      expect(payments).toEqual(['Ada 5']);
      await expectOneTruth(longhand, again);
      await longhand.close();
    });
  });
});

describe('a decision while no worker runs', () => {
  it('is stored by the server and accepted by the first worker', async () => {
    await playScene({}, [calls(pay('Ada')), done], async ({ waitForRequests, chain, payments, test, listCalls }) => {
      await waitForRequests('1.1');
      await test.worker.stop();
      // Twice, as by an impatient person: one of them is accepted.
      const receipts = await Promise.all([chain.approve('1.1', { by: 'ana' }), chain.approve('1.1', { by: 'ana' })]);
      expect(receipts.map(({ status }) => status)).toEqual(['sent', 'sent']);
      expect(payments).toEqual([]);
      await test.startWorker();
      expect((await chain.result()).outcome).toBe('success');
      expect(payments).toEqual(['Ada 5']);
      expect((await listCalls(1))[0]?.requests?.[0]?.decisions).toMatchObject([{ kind: 'approved', by: 'ana' }]);
    });
  });
});

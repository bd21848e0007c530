/** Commands other than decisions: steer, pause, raise limits and cancel; and the events of waiting for a person. */

import { describe, expect, it } from 'vitest';
import { type ListedStatus, listChains } from '../../../src/client/list/list-chains.js';
import { listWaitingCalls } from '../../../src/core/engine/state/due-requests.js';
import { createViewer } from '../../../src/core/view/visibility.js';
import { playInTime } from '../../support/enough-time.js';
import { calls, done, getLastMessage, look, pay } from '../../support/paying-agent.js';
import { playScene } from '../../support/paying-scene.js';
import { listEventTypes, readState, sendSignal } from '../../support/people.js';

const once = [calls(pay('Ada')), done];

describe('a steering message', () => {
  it('is sent to the model at the next step with the name of its sender', async () => {
    await playScene({}, once, async ({ waitForRequests, chain, send, test, payments }) => {
      await waitForRequests('1.1');
      await send('steer', { text: 'Use euros.' });
      await send('steer', { text: 'And be quick.', by: undefined });
      await send('approve', { call: '1.1' });
      expect((await chain.result()).outcome).toBe('success');
      expect(payments).toEqual(['Ada 5']);
      expect(getLastMessage(test.models)).toBe(
        'Ada has 5\nMessage from ana: Use euros.\nMessage from the user: And be quick.',
      );
      const { messages } = await chain.read();
      expect(messages).toMatchObject([
        { text: 'Use euros.', by: 'ana', afterStep: 1 },
        { text: 'And be quick.', by: null, afterStep: 1 },
      ]);
    });
  });

  it('that arrives during a model call is sent with the next one', async () => {
    const slow = { text: 'One moment, I have to think about this.', chunkDelayMs: 150, calls: [look] };
    await playScene({}, [slow, done], async ({ chain, finishLook, test, chainId }) => {
      await expect.poll(() => test.models.requests.length).toBe(1);
      await sendSignal(test.longhand, chainId, 'steer', { text: 'Use euros.' });
      finishLook();
      expect((await chain.result()).outcome).toBe('success');
      expect(JSON.stringify(test.models.requests[0]?.body)).not.toContain('euros');
      expect(getLastMessage(test.models)).toContain('Use euros.');
    });
  });
});

describe('a pause', () => {
  it('stops the chain before its next step until a person resumes it', async () => {
    await playScene({}, [calls(look), done], async ({ chain, send, finishLook, test, chainId }) => {
      await expect.poll(async () => (await readState(test.longhand, chainId)).flight.kind).toBe('calls');
      await send('pause', { reason: 'lunch' });
      finishLook();
      await expect.poll(async () => (await chain.describe()).doing).toMatch(/a person to resume it$/);
      expect(test.models.requests).toHaveLength(1);
      await send('resume', { by: 'ben' });
      expect((await chain.result()).outcome).toBe('success');
      const { notices } = await chain.read();
      expect(notices).toMatchObject([
        { code: 'paused', text: expect.stringContaining('ana: lunch') },
        { code: 'resumed', text: expect.stringContaining('ben') },
      ]);
    });
  });

  it.each([
    ['at a step', { step: 3 }, 2],
    ['on a cost', { costUsd: 0.000_001 }, 1],
  ])('%s begins without another command', async (_, at, stepsThen) => {
    const replies = [calls(look), calls({ ...look, input: { what: 'more' } }), done];
    await playScene({}, replies, async ({ chain, send, finishLook }) => {
      await send('pause', { at });
      finishLook();
      await expect.poll(async () => (await chain.describe()).doing).toMatch(/a person to resume it$/);
      expect((await chain.describe()).steps).toBe(stepsThen);
      await send('resume');
      expect(await chain.result()).toMatchObject({ outcome: 'success', steps: 3 });
    });
  });

  it('before a tool requires approval for every call of the tool', async () => {
    const replies = [calls(look), calls(pay('Ada')), calls(pay('Bea')), done];
    await playScene({ approval: false }, replies, async ({ chain, send, waitForRequests, payments, finishLook }) => {
      await send('pause', { at: { tool: 'pay' } });
      finishLook();
      await waitForRequests('2.1');
      expect(payments).toEqual([]);
      await send('approve', { call: '2.1' });
      await waitForRequests('3.1');
      await send('deny', { call: '3.1' });
      expect((await chain.result()).outcome).toBe('success');
      expect(payments).toEqual(['Ada 5']);
    });
  });
});

describe('the limits of a chain', () => {
  it('can be raised by a role that the agent permits', async () => {
    const replies = [calls(pay('Ada')), calls(pay('Bea')), done];
    const definition = { limits: { steps: 1 }, permissions: { limit: ['owner'] } };
    await playScene({ definition }, replies, async ({ chain, send, waitForRequests, payments }) => {
      await waitForRequests('1.1');
      await send('limit', { limits: { steps: 3 }, roles: ['owner'] });
      await send('approve', { call: '1.1', always: true });
      expect(await chain.result()).toMatchObject({ outcome: 'success', steps: 3 });
      expect(payments).toEqual(['Ada 5', 'Bea 5']);
    });
  });
});

describe('waiting for a person', () => {
  it('is a status that chains are listed by, as is being paused', async () => {
    await playScene({}, once, async ({ waitForRequests, send, chain, chainId, test: { longhand } }) => {
      const nothing = {
        agent: null,
        agentVersion: null,
        tenant: null,
        outcome: null,
        since: null,
        costOver: null,
        thread: null,
        tree: 'roots' as const,
      };
      const rules = { viewer: createViewer('developer'), config: {} };
      const isListed = async (status: ListedStatus) => {
        for await (const { reasoning, ...listed } of listChains(longhand.client, { ...nothing, status }, rules)) {
          if (reasoning.chainId === chainId) return listed.status;
        }
        return null;
      };
      await waitForRequests('1.1');
      await expect.poll(() => isListed('waiting')).toBe('waiting');
      expect(await isListed('paused')).toBeNull();
      await send('pause');
      await send('deny', { call: '1.1' });
      await expect.poll(() => isListed('paused')).toBe('paused');
      expect([await isListed('waiting'), await isListed('running')]).toEqual([null, 'paused']);
      await send('resume');
      expect((await chain.result()).outcome).toBe('success');
    });
  });

  it('adds a timer, two updates of search attributes and no other event', async () => {
    await playScene({}, once, async ({ waitForRequests, send, chain, chainId, test: { longhand } }) => {
      await waitForRequests('1.1');
      const found = async (status: string) => {
        const query = `LonghandStatus = '${status}' AND WorkflowId = '${chainId}'`;
        const all = [];
        for await (const { workflowId } of longhand.client.workflow.list({ query })) all.push(workflowId);
        return all;
      };
      await expect.poll(() => found('waiting')).toEqual([chainId]);
      const waited = await listEventTypes(longhand, chainId);
      await send('approve', { call: '1.1' });
      expect((await chain.result()).outcome).toBe('success');
      const types = await listEventTypes(longhand, chainId);
      expect(types.slice(0, waited.length)).toEqual(waited);
      const next = (name: string, from = 0) => types.indexOf(`${name}EventAttributes`, from);
      const task = ['Scheduled', 'Started', 'Completed'].map((what) => `workflowTask${what}`);
      // From the reply that requests the call to the execution of the call.
      const reply = next('activityTaskCompleted');
      const between = types.slice(reply + 1, next('activityTaskScheduled', reply)).map(toEventName);
      expect(between.filter((name) => name !== 'workflowExecutionUpdateCompleted')).toEqual([
        ...task,
        'timerStarted',
        'upsertWorkflowSearchAttributes',
        ...task,
        'workflowExecutionUpdateAccepted',
      ]);
      // The statuses waiting, running and ended.
      expect(types.filter((type) => toEventName(type) === 'upsertWorkflowSearchAttributes')).toHaveLength(3);
      await expect.poll(() => found('ended')).toEqual([chainId]);
      expect(await found('waiting')).toEqual([]);
    });
  });

  it('does not count towards the time limit unless waitingCounts is set', async () => {
    await playInTime(3_000, async (time) => {
      let isInTime = false;
      await playScene({ definition: { limits: { time } } }, once, async ({ send, chain, test, chainId }) => {
        const isOpen = async () => {
          const state = await readState(test.longhand, chainId);
          return listWaitingCalls(state).length > 0 || state.stop !== null;
        };
        await expect.poll(isOpen).toBe(true);
        const { startedAt, stop } = await readState(test.longhand, chainId);
        if (stop !== null) return;
        await expect.poll(() => Date.now() - startedAt).toBeGreaterThan(time + 1_000);
        expect((await chain.describe()).status).toBe('running');
        await send('approve', { call: '1.1' });
        isInTime = (await chain.result()).outcome === 'success';
      });
      return isInTime || null;
    });
    const counted = { limits: { time: 3_000 }, waitingCounts: true };
    const replies = [calls(pay('Ada')), { text: 'Nothing was paid.' }];
    await playScene({ definition: counted }, replies, async ({ chain, payments }) => {
      expect(await chain.result()).toMatchObject({ outcome: 'timeout', partial: 'Nothing was paid.' });
      expect(payments).toEqual([]);
    });
  });
});

describe('a cancel of a chain that waits for a person', () => {
  it('executes no call, and one short model call sums up if requested', async () => {
    const replies = [calls(pay('Ada')), { text: 'I would have paid Ada.' }];
    await playScene({}, replies, async ({ waitForRequests, chain, listCalls, payments, test }) => {
      await waitForRequests('1.1');
      await chain.cancel({ by: 'ana', reason: 'not now', summarize: true });
      expect(await chain.result()).toMatchObject({
        outcome: 'cancelled',
        reasonCode: 'cancelled',
        partial: 'I would have paid Ada.',
      });
      expect(await listCalls(1)).toMatchObject([{ status: 'not_run' }]);
      expect([payments, test.models.requests.length]).toEqual([[], 2]);
    });
  });

  it('through Temporal ends the chain too', async () => {
    await playScene({}, [calls(pay('Ada'))], async ({ waitForRequests, chain, chainId, payments, test }) => {
      await waitForRequests('1.1');
      await test.longhand.client.workflow.getHandle(chainId).cancel();
      expect(await chain.result()).toMatchObject({ outcome: 'cancelled', reasonCode: 'cancelled' });
      expect(payments).toEqual([]);
    });
  });

  it('ends the chain although it is paused', async () => {
    await playScene({}, [calls(look)], async ({ chain, send, finishLook }) => {
      await send('pause');
      finishLook();
      await expect.poll(async () => (await chain.describe()).doing).toMatch(/a person to resume it$/);
      await chain.cancel({ by: 'ana' });
      expect((await chain.result()).outcome).toBe('cancelled');
    });
  });
});

describe('a second cancel', () => {
  it('ends the chain at once although a tool ignores its signal', async () => {
    let release = () => {};
    const ignoreSignal = () =>
      new Promise<void>((resolve) => {
        release = resolve;
      });
    await playScene(
      { approval: false, pay: ignoreSignal },
      [calls(pay('Ada'))],
      async ({ test, chain, payments, listCalls }) => {
        await expect.poll(() => payments).toEqual(['Ada 5']);
        await chain.cancel({ by: 'ana' });
        expect((await chain.describe()).status).toBe('running');
        await chain.cancel({ by: 'ana', reason: 'now' });
        const { outcome, reasonCode, reason } = await chain.result();
        // The chain did not wait for the grace period.
        const { events } = await test.longhand.client.workflow.getHandle(chain.chainId).fetchHistory();
        expect(events?.filter((event) => event.timerFiredEventAttributes)).toEqual([]);
        expect([outcome, reasonCode]).toEqual(['cancelled', 'cancelled']);
        expect(reason).toContain('call 1.1');
        expect(await listCalls(1)).toMatchObject([{ status: 'unknown' }]);
        release();
      },
    );
  });
});

function toEventName(type: string): string {
  return type.replace('EventAttributes', '');
}

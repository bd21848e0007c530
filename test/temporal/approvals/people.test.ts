/** Decisions of people, end to end: each is a fact, the model sees its result, and no call is executed twice. */

import { describe, expect, it } from 'vitest';
import type { Approval } from '../../../src/index.js';
import type { ChainTestOptions } from '../../support/chain-test.js';
import { ask, calls, done, getLastMessage, look, pay } from '../../support/paying-agent.js';
import { playScene } from '../../support/paying-scene.js';
import { findRejection, sendSignal } from '../../support/people.js';

type Temporal = ChainTestOptions['temporal'];

/** Without a cache of workflows, a worker reads each decision from the history. */
describe.each<[string, Temporal]>([
  ['with the chain in memory', {}],
  ['replaying the chain for every task', { maxCachedWorkflows: 0 }],
])('a request for approval, %s', (_, temporal) => {
  const once = [calls(pay('Ada')), done];

  it('that is approved executes the recorded call once', async () => {
    await playScene({ temporal }, once, async ({ waitForRequests, chain, send, payments, listCalls }) => {
      await waitForRequests('1.1');
      expect(payments).toEqual([]);
      await send('approve', { call: '1.1', roles: ['lead'], reason: 'it is due' });
      expect(await chain.result()).toMatchObject({ outcome: 'success', steps: 2 });
      expect(payments).toEqual(['Ada 5']);
      const [call] = await listCalls(1);
      expect(call).toMatchObject({ status: 'ok', observation: 'Ada has 5' });
      expect(call?.requests).toMatchObject([
        { kind: 'approval', decisions: [{ kind: 'approved', by: 'ana', roles: ['lead'], reason: 'it is due' }] },
      ]);
    });
  });

  it('that is approved with changed arguments executes those, and chain and model see the change', async () => {
    await playScene({ temporal }, once, async ({ waitForRequests, chain, send, payments, listCalls, test }) => {
      await waitForRequests('1.1');
      await send('approve', { call: '1.1', input: { whom: 'Ada', sum: 3 } });
      expect((await chain.result()).outcome).toBe('success');
      expect(payments).toEqual(['Ada 3']);
      expect(await listCalls(1)).toMatchObject([
        { input: { whom: 'Ada', sum: 3 }, changedFrom: { whom: 'Ada', sum: 5 }, status: 'ok' },
      ]);
      expect(getLastMessage(test.models)).toBe(
        '(A person changed the arguments to {"whom":"Ada","sum":3}.)\nAda has 3',
      );
    });
  });

  it('that is denied is not executed, and the model sees the reason', async () => {
    await playScene({ temporal }, once, async ({ waitForRequests, chain, send, payments, listCalls, test }) => {
      await waitForRequests('1.1');
      await send('deny', { call: '1.1', reason: 'she was paid in May' });
      expect((await chain.result()).outcome).toBe('success');
      expect(payments).toEqual([]);
      expect(await listCalls(1)).toMatchObject([{ status: 'denied' }]);
      expect(getLastMessage(test.models)).toContain('Denied by ana: she was paid in May. The call was not run.');
    });
  });

  it('that is answered by a person is not executed, and the model sees the answer', async () => {
    await playScene({ temporal }, once, async ({ waitForRequests, chain, send, payments, listCalls, test }) => {
      await waitForRequests('1.1');
      await send('answer', { call: '1.1', answer: 'I paid in cash.' });
      expect((await chain.result()).outcome).toBe('success');
      expect(payments).toEqual([]);
      expect(await listCalls(1)).toMatchObject([{ status: 'answered', observation: 'I paid in cash.' }]);
      expect(getLastMessage(test.models)).toBe('(Not run: a person answered instead.)\nI paid in cash.');
    });
  });

  it('that is approved always is the last one for its tool', async () => {
    const replies = [calls(pay('Ada'), pay('Bea')), calls(pay('Cy')), done];
    await playScene({ temporal }, replies, async ({ waitForRequests, chain, send, payments, listCalls }) => {
      await waitForRequests('1.1', '1.2');
      await send('approve', { call: '1.2', always: true });
      // The other request was opened before, and needs a decision of its own.
      await waitForRequests('1.1');
      await send('approve', { call: '1.1' });
      expect((await chain.result()).outcome).toBe('success');
      expect([...payments].sort()).toEqual(['Ada 5', 'Bea 5', 'Cy 5']);
      expect((await listCalls(2))[0]?.requests).toBeUndefined();
    });
  });

  it('can be one of several that are decided in any order while a read runs', async () => {
    const replies = [calls(pay('Ada'), look, pay('Bea'), pay('Cy')), done];
    await playScene(
      { temporal },
      replies,
      async ({ waitForRequests, chain, send, payments, listCalls, finishLook }) => {
        await waitForRequests('1.1', '1.3', '1.4');
        await send('deny', { call: '1.4' });
        await send('approve', { call: '1.3' });
        await expect.poll(() => payments).toEqual(['Bea 5']);
        await waitForRequests('1.1');
        await send('approve', { call: '1.1' });
        await expect.poll(() => payments).toEqual(['Bea 5', 'Ada 5']);
        // All requests are decided, and the step still runs.
        expect((await listCalls(1)).map(({ status }) => status)).toContain('pending');
        finishLook();
        expect((await chain.result()).outcome).toBe('success');
        expect((await listCalls(1)).map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'denied']);
        expect(payments).toHaveLength(2);
      },
    );
  });

  it('about an unknown outcome is resolved as not happened, and the second one as happened', async () => {
    const fails = () => {
      throw new Error('the line broke');
    };
    await playScene(
      { temporal, approval: false, pay: fails },
      once,
      async ({ waitForRequests, chain, send, payments, listCalls }) => {
        await waitForRequests('1.1');
        await send('outcome', { call: '1.1', outcome: 'not_happened' });
        await expect.poll(() => payments).toEqual(['Ada 5', 'Ada 5']);
        await waitForRequests('1.1');
        await send('outcome', { call: '1.1', outcome: 'happened', observation: 'Her account shows 5.' });
        expect((await chain.result()).outcome).toBe('success');
        expect(payments).toHaveLength(2);
        const [call] = await listCalls(1);
        expect(call).toMatchObject({ status: 'answered', observation: 'Her account shows 5.' });
        expect(call?.requests?.map(({ decisions }) => decisions.map(({ kind }) => kind))).toEqual([
          ['not_happened'],
          ['happened'],
        ]);
      },
    );
  });

  it('can be decided by a signal', async () => {
    const replies = [calls(pay('Ada'), pay('Bea'), pay('Cy'), ask('Which?')), done];
    await playScene({ temporal }, replies, async ({ waitForRequests, chain, chainId, test, payments, listCalls }) => {
      await waitForRequests('1.1', '1.2', '1.3', '1.4');
      await sendSignal(test.longhand, chainId, 'approve', { call: '1.1', input: { whom: 'Ada', sum: 4 } });
      await sendSignal(test.longhand, chainId, 'deny', { call: '1.2' });
      await sendSignal(test.longhand, chainId, 'answer', { call: '1.3', answer: 'done by hand' });
      await sendSignal(test.longhand, chainId, 'answer', { call: '1.4', answer: 'the blue one' });
      expect((await chain.result()).outcome).toBe('success');
      expect(payments).toEqual(['Ada 4']);
      const statuses = (await listCalls(1)).map(({ status }) => status);
      expect(statuses).toEqual(['ok', 'denied', 'answered', 'answered']);
    });
  });
});

describe('a call with an unknown outcome', () => {
  it('that a person gives up ends the chain as failure', async () => {
    const pay1 = [calls(pay('Ada'))];
    const fails = () => {
      throw new Error('the line broke');
    };
    await playScene({ pay: fails }, pay1, async ({ waitForRequests, chain, send, payments }) => {
      await waitForRequests('1.1');
      await send('approve', { call: '1.1' });
      await expect.poll(() => payments).toEqual(['Ada 5']);
      await waitForRequests('1.1');
      await send('outcome', { call: '1.1', outcome: 'give_up', reason: 'the bank is closed' });
      const result = await chain.result();
      expect(result).toMatchObject({ outcome: 'failure', reasonCode: 'given_up' });
      expect(result.reason).toContain('by ana: the bank is closed');
    });
  });
});

describe('a question of the model', () => {
  const replies = [calls(ask('Which of the two?')), done];

  it('waits for an answer, which becomes its observation', async () => {
    await playScene({}, replies, async ({ waitForRequests, chain, send, listCalls, test }) => {
      await waitForRequests('1.1');
      await send('answer', { call: '1.1', answer: 'The second.' });
      expect((await chain.result()).outcome).toBe('success');
      expect(await listCalls(1)).toMatchObject([{ status: 'answered', observation: 'The second.' }]);
      expect(getLastMessage(test.models)).toContain('The second.');
    });
  });

  it('that a person denies does not stop the chain', async () => {
    await playScene({}, replies, async ({ waitForRequests, chain, send, test }) => {
      await waitForRequests('1.1');
      await send('deny', { call: '1.1', reason: 'decide yourself' });
      expect((await chain.result()).outcome).toBe('success');
      expect(getLastMessage(test.models)).toContain('ana does not answer this: decide yourself.');
    });
  });

  it('that expires does not stop the chain', async () => {
    await playScene({ question: { expires: 300 } }, replies, async ({ chain, listCalls, test }) => {
      expect((await chain.result()).outcome).toBe('success');
      expect(await listCalls(1)).toMatchObject([{ status: 'error' }]);
      expect(getLastMessage(test.models)).toContain('Not answered within');
    });
  });
});

describe('a request', () => {
  const once = [calls(pay('Ada')), done];

  it('for two approvers needs a second approval, and changed arguments need two again', async () => {
    await playScene(
      { approval: { approvers: 2 } },
      once,
      async ({ waitForRequests, chain, send, payments, listCalls }) => {
        await waitForRequests('1.1');
        await send('approve', { call: '1.1', by: 'ana' });
        await send('approve', { call: '1.1', by: 'ben', input: { whom: 'Ada', sum: 4 } });
        await waitForRequests('1.1');
        expect(payments).toEqual([]);
        await send('approve', { call: '1.1', by: 'cyd' });
        expect((await chain.result()).outcome).toBe('success');
        expect(payments).toEqual(['Ada 4']);
        const [call] = await listCalls(1);
        expect(call?.requests?.[0]?.decisions).toMatchObject([
          { by: 'ana', partly: true },
          { by: 'ben', partly: true, input: { sum: 4 } },
          { by: 'cyd', kind: 'approved' },
        ]);
      },
    );
  });

  it('can be decided by more roles after its escalation', async () => {
    // Only the second request escalates: the first has not, however slow the machine is.
    const approval: Approval = ({ input }) => {
      const after = (input as { whom: string }).whom === 'Bea' ? 600 : '1h';
      return { roles: ['clerk'], escalate: { after, roles: ['lead'] } };
    };
    const replies = [calls(pay('Ada'), pay('Bea')), done];
    await playScene({ approval }, replies, async ({ waitForRequests, chain, chainId, payments, test, send }) => {
      await waitForRequests('1.1', '1.2');
      const lead = { by: 'lea', roles: ['lead'] };
      const notices = async () => (await chain.read()).notices.map(({ code }) => code);
      await expect.poll(notices).toEqual(['request_escalated']);
      const early = await findRejection(test.longhand, chainId, 'approve', { call: '1.1', ...lead });
      expect(early).toMatchObject({ code: 'not_entitled' });
      await send('approve', { call: '1.2', ...lead });
      await send('deny', { call: '1.1', roles: ['clerk'] });
      expect((await chain.result()).outcome).toBe('success');
      expect(payments).toEqual(['Bea 5']);
    });
  });

  it.each([
    ['denies', 'deny', [], 'denied'],
    ['approves', 'approve', ['Ada 5'], 'ok'],
  ] as const)('that expires %s the call', async (_, onExpiry, paidThen, status) => {
    await playScene({ approval: { expires: 300, onExpiry } }, once, async ({ chain, payments, listCalls }) => {
      expect((await chain.result()).outcome).toBe('success');
      expect(payments).toEqual(paidThen);
      const [call] = await listCalls(1);
      expect(call).toMatchObject({ status, requests: [{ decisions: [{ kind: 'expired', by: null }] }] });
    });
  });
});

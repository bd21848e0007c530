/** Invalid commands are rejected with a code and add no event to the history. */

import { describe, expect, it } from 'vitest';
import type { MessageName } from '../../../src/contract/messages.js';
import { computeCallKey } from '../../../src/core/lib/digest.js';
import type { RejectionCode } from '../../../src/entries/client.js';
import type { Approval } from '../../../src/index.js';
import { ask, calls, done, look, pay } from '../../support/paying-agent.js';
import { playScene, type Scene, type SceneOptions } from '../../support/paying-scene.js';
import { type CommandFields, findRejection, listEventTypes, readState, sendSignal } from '../../support/people.js';

type RejectedCommand = readonly [name: MessageName, fields: CommandFields, code: RejectionCode];

/**
 * Each command is rejected with its code and adds no event to the history. The server may keep an empty workflow task of a
 * rejected command, so that it does not send the same events to its worker again.
 */
async function expectRejected(
  { test: { longhand }, chainId }: Scene,
  rejected: readonly RejectedCommand[],
): Promise<void> {
  const before = await listEventTypes(longhand, chainId);
  for (const [name, fields, code] of rejected) {
    expect([name, fields, await findRejection(longhand, chainId, name, fields)]).toMatchObject([
      name,
      fields,
      { code },
    ]);
  }
  const after = await listEventTypes(longhand, chainId);
  expect(after.filter(isNoTask)).toEqual(before.filter(isNoTask));
}

function isNoTask(type: string): boolean {
  return !type.startsWith('workflowTask');
}

const strict: SceneOptions = {
  approval: { roles: ['clerk', 'lead'], byRequester: false, approvers: 2 },
  start: { user: 'uma' },
};
const clerk = { roles: ['clerk'] };

describe.each<[string, SceneOptions['temporal']]>([
  ['with the chain in memory', {}],
  ['replaying the chain for every task', { maxCachedWorkflows: 0 }],
])('an invalid decision, %s,', (_, temporal) => {
  it('is rejected with its code and adds no event', async () => {
    const replies = [calls(pay('Ada'), pay('Bea'), ask('Which?'), look), done];
    await playScene({ ...strict, temporal }, replies, async (all) => {
      const { waitForRequests, send, chain, payments, finishLook } = all;
      await waitForRequests('1.1', '1.2', '1.3');
      await send('approve', { call: '1.1', ...clerk });
      await expectRejected(all, [
        ['approve', { call: '1.2', chainId: 'another', ...clerk }, 'other_chain'],
        ['approve', { call: '7.1', ...clerk }, 'call_not_found'],
        ['deny', { call: '1.4' }, 'call_not_waiting'],
        ['approve', { call: '1.2' }, 'not_entitled'],
        ['deny', { call: '1.2', roles: ['cook'] }, 'not_entitled'],
        ['approve', { call: '1.2', by: 'uma', ...clerk }, 'not_entitled'],
        ['approve', { call: '1.2', by: undefined, ...clerk }, 'sender_missing'],
        ['approve', { call: '1.1', ...clerk }, 'already_approved'],
        ['approve', { call: '1.2', digest: 'stale', ...clerk }, 'call_changed'],
        ['approve', { call: '1.2', input: { whom: 'Bea', sum: 'much' }, ...clerk }, 'arguments_invalid'],
        ['approve', { call: '1.3' }, 'wrong_decision'],
        ['outcome', { call: '1.2', outcome: 'happened', ...clerk }, 'wrong_decision'],
        ['outcome', { call: '1.2', outcome: 'maybe' }, 'unreadable'],
        ['answer', { call: '1.3' }, 'unreadable'],
        ['approve', {}, 'unreadable'],
      ]);
      await send('approve', { call: '1.1', by: 'ben', ...clerk });
      await expect.poll(async () => (await all.listCalls(1))[0]?.status).toBe('ok');
      await expectRejected(all, [['approve', { call: '1.1', by: 'cyd', ...clerk }, 'call_not_waiting']]);
      await send('deny', { call: '1.2', ...clerk });
      await send('answer', { call: '1.3', answer: 'both' });
      finishLook();
      expect((await chain.result()).outcome).toBe('success');
      expect(payments).toEqual(['Ada 5']);
    });
  });
});

describe('an invalid command', () => {
  it('is rejected after its call was decided or its request expired', async () => {
    const replies = [calls(pay('Ada')), calls(pay('Bea'), look), done];
    // Only the second request expires: the first waits for a decision, however slow the machine is.
    const approval: Approval = ({ input }) => ((input as { whom: string }).whom === 'Bea' ? { expires: 500 } : true);
    await playScene({ approval }, replies, async (all) => {
      const { waitForRequests, send, chain, finishLook, payments } = all;
      await waitForRequests('1.1');
      await send('approve', { call: '1.1' });
      await expect.poll(async () => (await all.listCalls(2))[0]?.status).toBe('denied');
      await expectRejected(all, [
        ['deny', { call: '1.1' }, 'call_not_waiting'],
        ['approve', { call: '2.1' }, 'call_not_waiting'],
      ]);
      finishLook();
      expect((await chain.result()).outcome).toBe('success');
      expect(payments).toEqual(['Ada 5']);
    });
  });

  it('to steer, pause, resume, limit or cancel is rejected with its code', async () => {
    const definition = {
      permissions: { steer: ['user'], pause: ['lead'], limit: ['lead', 'owner'], cancel: ['owner'] },
    };
    await playScene({ definition }, [calls(pay('Ada')), done], async (all) => {
      const { waitForRequests, send, chain } = all;
      const lead = { roles: ['lead'] };
      await waitForRequests('1.1');
      await expectRejected(all, [
        ['steer', { text: 'Hello' }, 'not_permitted'],
        ['steer', { text: ' ', roles: ['user'] }, 'empty'],
        ['pause', {}, 'not_permitted'],
        ['resume', { roles: 'user' }, 'not_permitted'],
        ['resume', lead, 'not_paused'],
        ['pause', { at: { step: 1 }, ...lead }, 'breakpoint_passed'],
        ['pause', { at: 'soon', ...lead }, 'unreadable'],
        ['limit', { limits: { steps: 20 } }, 'not_permitted'],
        ['limit', { limits: { steps: 2 }, ...lead }, 'limit_lowered'],
        ['limit', { limits: {}, ...lead }, 'empty'],
        ['cancel', {}, 'not_permitted'],
      ]);
      await send('pause', lead);
      await expectRejected(all, [['pause', lead, 'already_paused']]);
      await send('resume', lead);
      await send('approve', { call: '1.1' });
      expect((await chain.result()).outcome).toBe('success');
    });
  });

  it('is rejected by a chain that is ending and by one that has ended', async () => {
    await playScene({}, [calls(look, pay('Ada'))], async (all) => {
      const { waitForRequests, send, chain, test, chainId, finishLook } = all;
      await waitForRequests('1.2');
      await send('cancel', { id: 'enough', reason: 'enough' });
      // The call that runs ends meanwhile: its events belong to no rejection.
      await expect
        .poll(() => listEventTypes(test.longhand, chainId))
        .toContain('workflowPropertiesModifiedEventAttributes');
      await expectRejected(all, [
        ['approve', { call: '1.2' }, 'ending'],
        ['steer', { text: 'Wait' }, 'ending'],
      ]);
      await test.longhand.client.workflow.getHandle(chainId).cancel();
      finishLook();
      expect((await chain.result()).outcome).toBe('cancelled');
      await expect(chain.approve('1.2', { by: 'ana' })).rejects.toMatchObject({
        name: 'CommandRejectedError',
        code: 'chain_ended',
      });
      await expect(chain.steer('Hello')).rejects.toMatchObject({ name: 'CommandRejectedError', code: 'chain_ended' });
    });
  });

  it('that is sent as a signal changes nothing and is reported in a notice', async () => {
    await playScene(
      strict,
      [calls(pay('Ada')), done],
      async ({ test: { longhand }, waitForRequests, send, chain, chainId, payments }) => {
        await waitForRequests('1.1');
        const { seenCommandIds, steps } = await readState(longhand, chainId);
        await sendSignal(longhand, chainId, 'approve', { call: '1.1' });
        await sendSignal(longhand, chainId, 'approve', { call: '9.9', ...clerk });
        const ignored = async () => {
          const { notices } = await chain.read();
          return notices.filter(({ code }) => code === 'command_rejected').map(({ text }) => text);
        };
        await expect
          .poll(ignored)
          .toEqual([
            'A decision by ana was rejected: Call 1.1 requires a decision by one of the roles clerk, lead; ana has no role.',
            'A decision by ana was rejected: The chain has no call 9.9. Awaiting a decision: 1.1.',
          ]);
        expect(await readState(longhand, chainId)).toMatchObject({ seenCommandIds, steps });
        await send('deny', { call: '1.1', digest: computeCallKey('pay', { whom: 'Ada', sum: 5 }), ...clerk });
        expect((await chain.result()).outcome).toBe('success');
        expect(payments).toEqual([]);
      },
    );
  });
});

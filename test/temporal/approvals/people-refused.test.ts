/** What cannot be taken is refused with one sentence that says why, and leaves no event in the history. */

import { describe, expect, it } from 'vitest';
import type { MessageName } from '../../../src/contract/messages.js';
import { computeCallKey } from '../../../src/core/lib/digest.js';
import type { Approval } from '../../../src/index.js';
import { ask, calls, done, look, pay } from '../../support/paying-agent.js';
import { playScene, type Scene, type SceneOptions } from '../../support/paying-scene.js';
import { type CommandFields, findRejection, listEventTypes, readState, sendSignal } from '../../support/people.js';

type Refused = readonly [name: MessageName, said: CommandFields, sentence: string | RegExp];

/**
 * Each is refused with its sentence, and the history is afterwards what it was. The server may keep a workflow task in
 * which something was refused, empty, so as not to send its worker the same events again.
 */
async function expectRefused({ test: { longhand }, chainId }: Scene, refused: readonly Refused[]): Promise<void> {
  const before = await listEventTypes(longhand, chainId);
  for (const [name, said, sentence] of refused) {
    const why = (await findRejection(longhand, chainId, name, said))?.message;
    if (typeof sentence === 'string') expect(why).toBe(sentence);
    else expect(why).toMatch(sentence);
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
      const { waitForRequests: asked, send: say, chain, payments: paid, finishLook: found } = all;
      await asked('1.1', '1.2', '1.3');
      await say('approve', { call: '1.1', ...clerk });
      await expectRefused(all, [
        [
          'approve',
          { call: '1.2', chainId: 'another', ...clerk },
          `The command is for chain another; this is chain ${all.chainId}.`,
        ],
        ['approve', { call: '7.1', ...clerk }, 'The chain has no call 7.1. Awaiting a decision: 1.1, 1.2, 1.3.'],
        ['deny', { call: '1.4' }, 'Call 1.4 is not awaiting a decision (already decided, expired, or none required).'],
        ['approve', { call: '1.2' }, 'Call 1.2 requires a decision by one of the roles clerk, lead; ana has no role.'],
        [
          'deny',
          { call: '1.2', roles: ['cook'] },
          'Call 1.2 requires a decision by one of the roles clerk, lead; ana has the role cook.',
        ],
        [
          'approve',
          { call: '1.2', by: 'uma', ...clerk },
          'uma started this chain and may not decide call 1.2. Another person must.',
        ],
        [
          'approve',
          { call: '1.2', by: undefined, ...clerk },
          'A decision on call 1.2 needs the name of its sender. Add it as "by".',
        ],
        [
          'approve',
          { call: '1.1', ...clerk },
          'ana has already approved call 1.1; 2 different people must approve it.',
        ],
        [
          'approve',
          { call: '1.2', digest: 'stale', ...clerk },
          /^Call 1\.2 has changed since it was read: its digest is .+, not stale\. Read the request again\.$/,
        ],
        [
          'approve',
          { call: '1.2', input: { whom: 'Bea', sum: 'much' }, ...clerk },
          /^The changed arguments do not match the schema of pay: sum: /,
        ],
        ['approve', { call: '1.3' }, 'Call 1.3 awaits an answer; expected answer, deny, not approve.'],
        [
          'outcome',
          { call: '1.2', outcome: 'happened', ...clerk },
          'Call 1.2 awaits approval; expected approve, deny, answer, not happened.',
        ],
        ['outcome', { call: '1.2', outcome: 'maybe' }, /^Expected an outcome: /],
        ['answer', { call: '1.3' }, /^Expected an answer: /],
        ['approve', {}, /^Expected a call: /],
      ]);
      await say('approve', { call: '1.1', by: 'ben', ...clerk });
      await expect.poll(async () => (await all.listCalls(1))[0]?.status).toBe('ok');
      await expectRefused(all, [
        ['approve', { call: '1.1', by: 'cyd', ...clerk }, /^Call 1\.1 is not awaiting a decision \(already decided/],
      ]);
      await say('deny', { call: '1.2', ...clerk });
      await say('answer', { call: '1.3', answer: 'both' });
      found();
      expect((await chain.result()).outcome).toBe('success');
      expect(paid).toEqual(['Ada 5']);
    });
  });
});

describe('an invalid command', () => {
  it('is rejected after its call was decided or its request expired', async () => {
    const replies = [calls(pay('Ada')), calls(pay('Bea'), look), done];
    // Only the second request expires: the first waits for a decision, however slow the machine is.
    const approval: Approval = ({ input }) => ((input as { whom: string }).whom === 'Bea' ? { expires: 500 } : true);
    await playScene({ approval }, replies, async (all) => {
      const { waitForRequests: asked, send: say, chain, finishLook: found, payments: paid } = all;
      await asked('1.1');
      await say('approve', { call: '1.1' });
      await expect.poll(async () => (await all.listCalls(2))[0]?.status).toBe('denied');
      await expectRefused(all, [
        ['deny', { call: '1.1' }, 'Call 1.1 is not awaiting a decision (step 1 is complete).'],
        ['approve', { call: '2.1' }, /^Call 2\.1 is not awaiting a decision \(.+ expired/],
      ]);
      found();
      expect((await chain.result()).outcome).toBe('success');
      expect(paid).toEqual(['Ada 5']);
    });
  });

  it('to steer, pause, resume, limit or cancel is rejected with its code', async () => {
    const definition = {
      permissions: { steer: ['user'], pause: ['lead'], limit: ['lead', 'owner'], cancel: ['owner'] },
    };
    await playScene({ definition }, [calls(pay('Ada')), done], async (all) => {
      const { waitForRequests: asked, send: say, chain } = all;
      const lead = { roles: ['lead'] };
      await asked('1.1');
      await expectRefused(all, [
        ['steer', { text: 'Hello' }, 'Only the role user may steer this chain; ana has no role.'],
        ['steer', { text: ' ', roles: ['user'] }, 'The message is empty. Write what the agent should know.'],
        ['pause', {}, 'Only the role lead may pause this chain; ana has no role.'],
        ['resume', { roles: 'user' }, 'Only the role lead may pause this chain; ana has the role user.'],
        ['resume', lead, 'The chain is not paused.'],
        ['pause', { at: { step: 1 }, ...lead }, /^Step 1 /],
        ['pause', { at: 'soon', ...lead }, /^Expected a breakpoint: /],
        [
          'limit',
          { limits: { steps: 20 } },
          'Only one of the roles lead, owner may limit this chain; ana has no role.',
        ],
        ['limit', { limits: { steps: 2 }, ...lead }, 'steps is 10 and can only be raised, not set to 2.'],
        ['limit', { limits: {}, ...lead }, 'No limit is given. Name the limits to raise.'],
        ['cancel', {}, 'Only the role owner may cancel this chain; ana has no role.'],
      ]);
      await say('pause', lead);
      await expectRefused(all, [['pause', lead, 'The chain is already paused.']]);
      await say('resume', lead);
      await say('approve', { call: '1.1' });
      expect((await chain.result()).outcome).toBe('success');
    });
  });

  it('is rejected by a chain that is ending and by one that has ended', async () => {
    await playScene({}, [calls(look, pay('Ada'))], async (all) => {
      const { waitForRequests: asked, send: say, chain, test, chainId, finishLook: found } = all;
      await asked('1.2');
      await say('cancel', { id: 'enough', reason: 'enough' });
      const sentence = 'The chain is ending as cancelled: Cancelled by ana: enough.';
      await expectRefused(all, [
        ['approve', { call: '1.2' }, sentence],
        ['steer', { text: 'Wait' }, sentence],
      ]);
      await test.longhand.client.workflow.getHandle(chainId).cancel();
      found();
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
      async ({ test: { longhand }, waitForRequests: asked, send: say, chain, chainId, payments: paid }) => {
        await asked('1.1');
        const { seenCommandIds, steps } = await readState(longhand, chainId);
        await sendSignal(longhand, chainId, 'approve', { call: '1.1' });
        await sendSignal(longhand, chainId, 'approve', { call: '9.9', ...clerk });
        const ignored = async () => {
          const { notices } = (await chain.describe()).chain;
          return notices.filter(({ code }) => code === 'command_rejected').map(({ text }) => text);
        };
        await expect
          .poll(ignored)
          .toEqual([
            'A decision by ana was rejected: Call 1.1 requires a decision by one of the roles clerk, lead; ana has no role.',
            'A decision by ana was rejected: The chain has no call 9.9. Awaiting a decision: 1.1.',
          ]);
        expect(await readState(longhand, chainId)).toMatchObject({ seenCommandIds, steps });
        await say('deny', { call: '1.1', digest: computeCallKey('pay', { whom: 'Ada', sum: 5 }), ...clerk });
        expect((await chain.result()).outcome).toBe('success');
        expect(paid).toEqual([]);
      },
    );
  });
});

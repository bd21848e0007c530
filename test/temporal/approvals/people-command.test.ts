/** The commands by which people decide and direct chains on a real server, and the exit codes of rejected commands. */

import { randomUUID } from 'node:crypto';
import { userInfo } from 'node:os';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ChainHandle } from '../../../src/entries/client.js';
import { defaults, defineAgent, defineTool } from '../../../src/index.js';
import { type ChainTest, withWorker } from '../../support/chain-test.js';
import type { Ended } from '../../support/command.js';
import { longhandHere } from '../../support/command-here.js';
import { deployer } from '../../support/deciding-agents.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { getTemporalAddress } from '../../support/temporal.js';

const push: ScriptedReply = {
  text: 'I push.',
  calls: [{ name: 'git_push', input: { branch: 'main', token: 'hunter2hunter2' } }],
};
const drop: ScriptedReply = { text: 'I drop.', calls: [{ name: 'drop_table', input: { table: 'users' } }] };
const ask: ScriptedReply = { text: 'I ask.', calls: [{ name: 'ask_user', input: { question: 'Which region?' } }] };
const mail: ScriptedReply = { text: 'I mail.', calls: [{ name: 'send_mail', input: { to: 'ann' } }] };
const done: ScriptedReply = { text: 'Done.' };

function cli(...args: readonly string[]): Promise<Ended> {
  return longhandHere(args, { TEMPORAL_ADDRESS: getTemporalAddress() });
}

/** Starts a chain that waits for a person after its first reply. */
async function withWaitingChain(
  replies: readonly ScriptedReply[],
  body: (chain: ChainHandle, test: ChainTest) => Promise<void>,
): Promise<void> {
  await withWorker({ agents: [deployer], replies }, async (test) => {
    const chain = await test.longhand.start(deployer, 'Release it', { tenant: `t-${randomUUID()}`, user: 'ann' });
    await expect.poll(async () => (await chain.listRequests()).length).toBeGreaterThan(0);
    await body(chain, test);
  });
}

async function readChain(chain: ChainHandle) {
  return await chain.read();
}

async function waitForPause(chain: ChainHandle): Promise<void> {
  await expect.poll(async () => (await readChain(chain)).state.paused !== null).toBe(true);
}

describe('longhand inbox', () => {
  it('lists open requests with masked arguments, and no longer lists a decided one', async () => {
    await withWaitingChain([push, done], async (chain) => {
      const tenant = (await readChain(chain)).state.input?.tenant ?? '';
      const readInbox = async () => JSON.parse((await cli('inbox', '--json', '--tenant', tenant)).stdout);
      await expect.poll(async () => (await readInbox()).chains.length).toBe(1);
      const { chains } = await readInbox();
      expect(chains[0]).toMatchObject({
        chainId: chain.chainId,
        path: [chain.chainId],
        agent: 'deployer',
        task: 'Release it',
        user: 'ann',
        steps: 1,
        paused: null,
        costUsd: expect.any(Number),
        requests: [
          {
            call: '1.1',
            kind: 'approval',
            tool: 'git_push',
            input: { branch: 'main', token: '[redacted:field]' },
            risk: 'high',
            reason: 'Others get what is pushed.',
            roles: [],
          },
        ],
      });
      const { stdout } = await cli('inbox', '--tenant', tenant);
      expect(stdout).toContain(`${chain.chainId}  Release it`);
      expect(stdout).toContain('git_push branch="main" token="[redacted:field]"');
      expect(stdout).not.toContain('hunter2');
      const unmasked = JSON.parse((await cli('inbox', '--json', '--tenant', tenant, '--as', 'auditor')).stdout);
      expect(unmasked.chains[0].requests[0].input.token).toBe('hunter2hunter2');

      const [request] = await chain.listRequests();
      const approved = await cli('approve', chain.chainId, '1.1', '--digest', request?.digest ?? '', '--json');
      expect(JSON.parse(approved.stdout)).toEqual({
        chainId: chain.chainId,
        call: '1.1',
        id: expect.any(String),
        status: 'accepted',
        open: false,
      });
      expect(await chain.result()).toMatchObject({ outcome: 'success' });
      const [call] = (await readChain(chain)).steps[0]?.calls ?? [];
      expect(call?.requests?.[0]?.decisions).toMatchObject([{ kind: 'approved', by: userInfo().username }]);
      await expect.poll(async () => (await readInbox()).chains.length).toBe(0);
    });
  });

  it('lists only the requests that a role may decide', async () => {
    await withWaitingChain([drop, done], async (chain) => {
      const tenant = (await readChain(chain)).state.input?.tenant ?? '';
      const countChains = async (role: string) => {
        const { stdout } = await cli('inbox', '--json', '--tenant', tenant, '--role', role);
        return JSON.parse(stdout).chains.length;
      };
      await expect.poll(() => countChains('dba')).toBe(1);
      expect(await countChains('intern')).toBe(0);
      await chain.deny('1.1', { by: 'ann', roles: ['dba'] });
      await chain.result();
    });
  });
});

describe('approve, deny and answer', () => {
  it('approve accepts a prefix of the chain id, no call id, and changed arguments', async () => {
    await withWaitingChain([push, done], async (chain) => {
      const short = chain.chainId.slice(0, -4);
      await expect.poll(async () => (await cli('chain', 'show', short)).code).toBe(0);
      const { code, stdout } = await cli('approve', short, '--by', 'bob', '--input', '{"branch":"next"}');
      expect(stdout).toBe(`✓ Approved call 1.1 · ${chain.chainId}\n`);
      expect(code).toBe(0);
      await chain.result();
      const [call] = (await readChain(chain)).steps[0]?.calls ?? [];
      expect(call).toMatchObject({ input: { branch: 'next' }, observation: 'pushed next', status: 'ok' });
    });
  });

  it('approve restores a masked value in its own place and rejects its mask in another place', async () => {
    await withWaitingChain([push, done], async (chain) => {
      const approve = (branch: string, token: string) =>
        cli('approve', chain.chainId, '--input', JSON.stringify({ branch, token }));
      const moved = await approve('[redacted:field]', 'x');
      expect([moved.code, moved.stderr]).toEqual([2, expect.stringContaining('hides no value at this place')]);
      expect((await approve('next', '[redacted:field]')).code).toBe(0);
      await chain.result();
      const [call] = (await readChain(chain)).steps[0]?.calls ?? [];
      expect(call?.input).toEqual({ branch: 'next', token: 'hunter2hunter2' });
    });
  });

  it('approve --always approves later calls of the tool', async () => {
    await withWaitingChain([push, { ...push, text: 'Once more.' }, done], async (chain) => {
      expect((await cli('approve', chain.chainId, '--always')).code).toBe(0);
      expect(await chain.result()).toMatchObject({ outcome: 'success', steps: 3 });
    });
  });

  it('deny sends its reason to the model', async () => {
    await withWaitingChain([push, done], async (chain, { models }) => {
      const { code, stdout } = await cli('deny', chain.chainId, '1.1', '--reason', 'Not on a Friday.');
      expect([code, stdout]).toEqual([0, `✓ Denied call 1.1 · ${chain.chainId}\n`]);
      await chain.result();
      expect(JSON.stringify(models.requests[1]?.body)).toContain('Not on a Friday');
    });
  });

  it('answer accepts a text, with or without a call id', async () => {
    await withWaitingChain([ask, ask, done], async (chain) => {
      expect((await cli('answer', chain.chainId, 'eu-1')).stdout).toContain('Answered call 1.1');
      await expect.poll(async () => (await chain.listRequests())[0]?.call).toBe('2.1');
      expect((await cli('answer', chain.chainId, '2.1', 'us-2')).code).toBe(0);
      await chain.result();
      const { steps } = await readChain(chain);
      expect(steps.slice(0, 2).map(({ calls }) => calls[0]?.observation)).toEqual(['eu-1', 'us-2']);
    });
  });

  it('approve prints the number of votes when more approvals are needed', async () => {
    await withWaitingChain([{ text: 'I pay.', calls: [{ name: 'pay', input: { cents: 5 } }] }, done], async (chain) => {
      const approve = (by: string, ...flags: readonly string[]) =>
        cli('approve', chain.chainId, '--role', 'treasury', '--by', by, ...flags);
      const first = await approve('ann');
      expect(first.stdout).toBe(
        `✓ 1 of 2 have approved call 1.1; one more of treasury must approve it · ${chain.chainId}\n`,
      );
      expect(JSON.parse((await approve('bob', '--json')).stdout)).toMatchObject({ status: 'accepted', open: false });
      await chain.result();
    });
  });

  it('a decision on a closed request is rejected with its decision or the time it expired', async () => {
    const lamp: ScriptedReply = { text: 'Light.', calls: [{ name: 'switch_lamp', input: {} }] };
    await withWaitingChain([lamp, ask, done], async (chain) => {
      await expect.poll(async () => (await chain.listRequests())[0]?.call).toBe('2.1');
      const late = await cli('approve', chain.chainId, '1.1');
      expect([late.code, late.stderr]).toEqual([
        1,
        expect.stringMatching(/The request of call 1\.1 expired at .* UTC: the call was denied\./),
      ]);
      expect((await cli('deny', chain.chainId, '--by', 'ann')).stdout).toBe(
        `✓ Left call 2.1 unanswered · ${chain.chainId}\n`,
      );
      await chain.result();
      const over = await cli('deny', chain.chainId, '2.1');
      expect([over.code, over.stderr]).toEqual([1, expect.stringContaining('is already decided: ann denied it at')]);
      const ended = await cli('approve', chain.chainId, '--always');
      expect([ended.code, ended.stderr]).toEqual([
        1,
        expect.stringContaining(`Chain ${chain.chainId} has ended and has no open request.`),
      ]);
    });
  });

  it('answer replaces the result of a call that waits for approval', async () => {
    await withWaitingChain([push, done], async (chain) => {
      expect((await cli('answer', chain.chainId, 'It is pushed already.')).code).toBe(0);
      await chain.result();
      const [call] = (await readChain(chain)).steps[0]?.calls ?? [];
      expect(call).toMatchObject({ status: 'answered', observation: 'It is pushed already.' });
    });
  });

  it('answer --value accepts JSON', async () => {
    await withWaitingChain([ask, done], async (chain) => {
      expect((await cli('answer', chain.chainId, '--value', '{"region":"eu-1"}')).code).toBe(0);
      await chain.result();
      expect((await readChain(chain)).steps[0]?.calls[0]?.observation).toEqual({ region: 'eu-1' });
    });
  });

  it('answer --happened resolves an unknown outcome with its result', async () => {
    await withWaitingChain([mail, done], async (chain) => {
      expect((await cli('answer', chain.chainId, '--happened', 'sent as 17')).code).toBe(0);
      expect(await chain.result()).toMatchObject({ outcome: 'success' });
      expect((await readChain(chain)).steps[0]?.calls[0]).toMatchObject({
        status: 'answered',
        observation: 'sent as 17',
      });
    });
  });

  it('answer --give-up ends the chain as failure', async () => {
    await withWaitingChain([mail], async (chain) => {
      expect((await cli('answer', chain.chainId, '1.1', '--give-up')).code).toBe(0);
      expect(await chain.result()).toMatchObject({ outcome: 'failure' });
    });
  });
});

describe('an invalid command', () => {
  it('exits 1 with the reason and adds no event to the history', async () => {
    await withWaitingChain([drop, done], async (chain) => {
      const events = async () => (await readChain(chain)).state.history.events;
      const before = await events();
      const rejected: readonly (readonly [readonly string[], string])[] = [
        [
          ['approve', chain.chainId, '1.1', '--by', 'bob'],
          'Call 1.1 requires a decision by the role dba; bob has no role. If you have the role, add --role dba.',
        ],
        [['approve', chain.chainId, '1.2'], 'The chain has no call 1.2. Awaiting a decision: 1.1.'],
        [['approve', chain.chainId, '7.1'], 'The chain has no call 7.1. Awaiting a decision: 1.1.'],
        [['approve', chain.chainId, '--digest', 'old', '--role', 'dba'], 'Call 1.1 has changed since it was read'],
        [
          ['approve', chain.chainId, '--input', '{"table":1}', '--role', 'dba'],
          'do not match the schema of drop_table',
        ],
        [
          ['answer', chain.chainId, '--happened'],
          `No call of ${chain.chainId} waits for this decision. Call 1.1 (drop_table) waits for approval: longhand approve ${chain.chainId} 1.1 --role dba, or`,
        ],
        [['resume', chain.chainId], 'The chain is not paused'],
        [['limit', chain.chainId, 'steps=1'], 'can only be raised'],
        [['pause', chain.chainId, '--before', 'no_tool'], 'The agent has no tool no_tool.'],
      ];
      const checks = rejected.map(async ([args, message]) => {
        const { code, stdout, stderr } = await cli(...args);
        expect([code, stdout], stderr).toEqual([1, '']);
        expect(stderr).toContain(message);
        expect(stderr).not.toContain('    at ');
      });
      await Promise.all(checks);
      expect(await events()).toBe(before);
      expect((await cli('approve', chain.chainId, '--role', 'dba')).code).toBe(0);
      await chain.result();
      const late = await cli('approve', chain.chainId, '1.1');
      expect([late.code, late.stderr]).toEqual([
        1,
        expect.stringContaining(`longhand: Chain ${chain.chainId} has ended and accepts no command.`),
      ]);
    });
  });

  it('exits 2 if arguments are missing, and does not prompt without a terminal', async () => {
    const both = { text: 'Both.', calls: [...(push.calls ?? []), ...(drop.calls ?? [])] };
    await withWaitingChain([both], async (chain) => {
      const id = chain.chainId;
      const wrong: readonly (readonly [readonly string[], string])[] = [
        [
          ['approve', id],
          `Several calls of ${id} wait: 1.1 (git_push, approval), 1.2 (drop_table, approval). Name one`,
        ],
        [['approve', id, '1.1', '--input', '{branch'], 'Invalid --input: expected JSON'],
        [['answer', id], 'The answer is missing.'],
        [['answer', id, '1.1', '--happened', '--give-up'], 'cannot be combined'],
        [['limit', id], 'The limit is missing.'],
        [['limit', id, 'stepz=3'], 'Invalid limit stepz=3.'],
        [['pause', id, '--at-step', '3', '--before', 'note'], 'Set one breakpoint at a time.'],
        [['steer', id, ' '], 'The message is empty'],
        [['cancel', id, '--now', '--summarize'], '--now and --summarize cannot be combined'],
      ];
      const checks = wrong.map(async ([args, message]) => {
        const { code, stderr } = await cli(...args);
        expect(code, stderr).toBe(2);
        expect(stderr).toContain(message);
      });
      await Promise.all(checks);
      expect(await chain.listRequests()).toHaveLength(2);
      await chain.cancel();
      await chain.result();
    });
  });

  it('exits 1 for a chain that does not exist', async () => {
    const { code, stderr } = await cli('approve', `no-${randomUUID()}`, '1.1');
    expect([code, stderr]).toEqual([1, expect.stringMatching(/Chain no-\S+ not found/)]);
  });
});

describe('steer, pause, resume, limit and cancel', () => {
  it('pause, steer, limit and resume each take effect', async () => {
    await withWaitingChain([push, done], async (chain, { models }) => {
      const id = chain.chainId;
      expect((await cli('pause', id, '--by', 'ann', '--reason', 'look first')).stdout).toContain('✓ Paused');
      expect((await cli('approve', id)).code).toBe(0);
      await waitForPause(chain);
      const tenant = (await readChain(chain)).state.input?.tenant ?? '';
      await expect
        .poll(async () => (await cli('inbox', '--tenant', tenant)).stdout)
        .toContain('Paused by ann: look first');
      expect((await cli('steer', id, 'Be discreet.', '--by', 'ann')).code).toBe(0);
      expect((await cli('limit', id, 'steps=33', '--limit', 'time=1h')).stdout).toContain('33 steps, 60 min');
      expect((await cli('resume', id)).stdout).toBe(`✓ Resumed · ${id}\n`);
      expect(await chain.result()).toMatchObject({ outcome: 'success' });
      expect(JSON.stringify(models.requests[1]?.body)).toContain('Be discreet.');
      expect((await readChain(chain)).state.agent?.limits).toMatchObject({ steps: 33, timeMs: 3_600_000 });
    });
  });

  it('pause without the required role prints the flag that adds the role', async () => {
    const guarded = defineAgent({
      name: 'guarded',
      model: 'claude-sonnet-5-5',
      strategy: 'tools',
      tools: deployer.tools,
      permissions: { pause: ['ops'] },
    });
    await withWorker({ agents: [guarded], replies: [push] }, async (test) => {
      const chain = await test.longhand.start(guarded, 'Release it');
      await expect.poll(async () => (await chain.listRequests()).length).toBe(1);
      const { code, stderr } = await cli('pause', chain.chainId, '--by', 'bob');
      expect([code, stderr]).toEqual([
        1,
        expect.stringContaining('bob has no role. If you have the role, add --role ops.'),
      ]);
      expect((await cli('pause', chain.chainId, '--by', 'bob', '--role', 'ops')).code).toBe(0);
      await chain.cancel();
    });
  });

  it('pause --at-step sets a breakpoint', async () => {
    await withWaitingChain([push, done], async (chain) => {
      expect((await cli('pause', chain.chainId, '--at-step', '2')).stdout).toContain('Breakpoint set before step 2');
      await chain.approve('1.1');
      await waitForPause(chain);
      await chain.resume();
      await chain.result();
    });
  });

  it('cancel records name and reason, requests a summary, and reports a chain that has already ended', async () => {
    await withWaitingChain([push, { text: 'Nothing was pushed.' }], async (chain) => {
      const args = ['cancel', chain.chainId, '--by', 'ann', '--reason', 'no need', '--summarize'];
      expect((await cli(...args)).stdout).toBe(`✓ Cancelled · ${chain.chainId}\n`);
      expect(await chain.result()).toMatchObject({
        outcome: 'cancelled',
        reasonCode: 'cancelled',
        reason: expect.stringContaining('ann: no need'),
        partial: 'Nothing was pushed.',
      });
      const again = await cli('cancel', chain.chainId);
      expect([again.code, again.stdout]).toEqual([0, `${chain.chainId} has already ended.\n`]);
    });
  });

  it('cancel --now does not wait for a tool that ignores its signal', async () => {
    let begun = false;
    let release = () => {};
    const hold = defineTool({
      name: 'hold',
      description: 'Holds',
      inputSchema: z.object({}),
      effects: 'read',
      execute: () => {
        begun = true;
        return new Promise<string>((resolve) => {
          release = () => resolve('held');
        });
      },
    });
    const holder = defineAgent({ name: 'holder', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [hold] });
    const replies = [{ text: 'I hold.', calls: [{ name: 'hold', input: {} }] }];
    await withWorker({ agents: [holder], replies }, async ({ longhand }) => {
      const chain = await longhand.start(holder, 'Hold');
      await expect.poll(() => begun).toBe(true);
      expect((await cli('cancel', chain.chainId, '--now')).stdout).toBe(`✓ Cancelled, at once · ${chain.chainId}\n`);
      const { outcome, startedAt, endedAt } = await chain.result();
      release();
      expect(outcome).toBe('cancelled');
      const { steps, notices } = await readChain(chain);
      expect(steps[0]?.calls[0]?.status).toBe('abandoned');
      // The chain did not wait for the grace period.
      const cancelledAt = notices.find(({ code }) => code === 'cancel_requested')?.at ?? Date.parse(startedAt);
      expect(Date.parse(endedAt) - cancelledAt).toBeLessThan(defaults.graceMs);
    });
  });
});

describe('longhand resume --all --held-by provider', () => {
  it('resumes every held chain of a tenant once the key is valid again', async () => {
    const rejected: ScriptedReply = {
      status: 401,
      error: { type: 'authentication_error', message: 'invalid x-api-key' },
    };
    await withWorker({ agents: [deployer], replies: [rejected, rejected, done, done] }, async ({ longhand }) => {
      const tenant = `t-${randomUUID()}`;
      const all = ['--all', '--held-by', 'provider', '--tenant', tenant];
      const start = () => longhand.start(deployer, 'Release it', { tenant, user: 'ann' });
      const chains = [await start(), await start()];
      const readInbox = async () => JSON.parse((await cli('inbox', '--json', '--tenant', tenant)).stdout).chains;
      await expect.poll(async () => (await readInbox()).length).toBe(2);
      expect((await readInbox())[0].held).toMatchObject({ failure: 'authentication', attempts: 1 });
      const { stdout: inbox } = await cli('inbox', '--tenant', tenant);
      expect(inbox).toContain('Held by the provider: invalid x-api-key. Set a valid key of this provider');
      expect((await cli('chain', 'show', chains[0]?.chainId ?? '')).stdout).toContain(
        'held by the provider, attempt 2, next at',
      );

      const resumed = await cli('resume', ...all);
      expect(resumed).toMatchObject({ code: 0, stdout: expect.stringContaining('2 of 2 held chains resumed: ') });
      for (const chain of chains) expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'Done.' });
      await expect.poll(async () => (await cli('resume', ...all)).stdout).toBe('No chain is held by its provider.\n');
    });
  });

  it('resuming one held chain reports that the call is made again, not that the cause is repaired', async () => {
    const rejected: ScriptedReply = {
      status: 401,
      error: { type: 'authentication_error', message: 'invalid x-api-key' },
    };
    await withWorker({ agents: [deployer], replies: [rejected, rejected] }, async ({ longhand }) => {
      const chain = await longhand.start(deployer, 'Release it');
      const countAttempts = async () => (await chain.read()).state.attempt;
      await expect.poll(countAttempts).toBe(2);
      const { stdout } = await cli('resume', chain.chainId);
      expect(stdout).toBe(`✓ Resumed: the chain tries again, and is held again if that fails · ${chain.chainId}\n`);
      await expect.poll(countAttempts).toBe(3);
      await chain.cancel({ by: 'ann' });
    });
  });

  it('leaves out a held chain that a person has paused', async () => {
    const rejected: ScriptedReply = {
      status: 401,
      error: { type: 'authentication_error', message: 'invalid x-api-key' },
    };
    await withWorker({ agents: [deployer], replies: [rejected, done] }, async ({ longhand }) => {
      const tenant = `t-${randomUUID()}`;
      const chain = await longhand.start(deployer, 'Release it', { tenant, user: 'ann' });
      const readInbox = async () => JSON.parse((await cli('inbox', '--json', '--tenant', tenant)).stdout).chains;
      await expect.poll(async () => (await readInbox())[0]?.held?.failure).toBe('authentication');
      await chain.pause({ by: 'bea' });
      await expect.poll(async () => (await readInbox())[0]).toMatchObject({ paused: { by: 'bea' }, held: null });
      const all = await cli('resume', '--all', '--held-by', 'provider', '--tenant', tenant);
      expect(all).toMatchObject({ code: 0, stdout: 'No chain is held by its provider.\n' });
      await chain.resume({ by: 'bea' });
      expect(await chain.result()).toMatchObject({ outcome: 'success' });
    });
  });

  it.each([
    [['resume'], 'The chain is missing.'],
    [['resume', '--all'], 'The chain is missing.'],
    [['resume', 'some-chain', '--all'], 'cannot be combined'],
    [['resume', '--all', '--held-by', 'nobody'], 'Unknown holder "nobody". Write --held-by provider, --held-by store'],
  ])('%j is rejected with the fix', async (args, message) => {
    expect(await cli(...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
  });
});

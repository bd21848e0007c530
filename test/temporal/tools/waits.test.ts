/** Chains that wait on a real server: for a time, or for a signal that was sent before, during or never. */

import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ChainHandle } from '../../../src/entries/client.js';
import { wait } from '../../../src/entries/tools.js';
import { defineAgent, defineTool, type Json } from '../../../src/index.js';
import { type ChainTest, type ChainTestOptions, withWorker } from '../../support/chain-test.js';
import type { Ended } from '../../support/command.js';
import { longhandHere } from '../../support/command-here.js';
import { listEventTypes } from '../../support/people.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { getTemporalAddress } from '../../support/temporal.js';

const checkBuild = defineTool({
  name: 'check_build',
  description: 'Returns the status of the build',
  inputSchema: z.object({}),
  effects: 'read',
  execute: () => 'still building',
});

const builder = defineAgent({
  name: 'builder',
  model: 'claude-sonnet-5-5',
  strategy: 'tools',
  tools: [checkBuild, wait()],
  limits: { time: '20s' },
});

const waits = (input: Json): ScriptedReply => ({ text: 'I wait.', calls: [{ name: 'wait', input }] });
const checks: ScriptedReply = { text: 'I look.', calls: [{ name: 'check_build', input: {} }] };
const done: ScriptedReply = { text: 'Done.' };

function cli(...args: readonly string[]): Promise<Ended> {
  return longhandHere(args, { TEMPORAL_ADDRESS: getTemporalAddress() });
}

function play(
  replies: readonly ScriptedReply[],
  body: (chain: ChainHandle, test: ChainTest) => Promise<void>,
  worker: ChainTestOptions['worker'] = {},
): Promise<void> {
  return withWorker({ agents: [builder], replies, worker }, async (test) =>
    body(await test.longhand.start(builder, 'Build it'), test),
  );
}

const readCalls = async (chain: ChainHandle) => (await chain.read()).steps.flatMap(({ calls }) => calls);

async function waitUntilWaiting(chain: ChainHandle): Promise<void> {
  await expect.poll(async () => (await chain.describe()).doing).toMatch(/^the wait of call/);
}

describe('a call of wait', () => {
  it('for a time runs no activity, and the same read runs again after it', async () => {
    const oneRun = { continueAfter: {} };
    const replies = [checks, waits({ seconds: 1 }), checks, done];
    const body = async (chain: ChainHandle, { longhand }: ChainTest) => {
      expect(await chain.result()).toMatchObject({ outcome: 'success', steps: 4 });
      const calls = await readCalls(chain);
      expect(calls.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok']);
      const [, waited] = calls;
      expect(waited?.observation).toMatchObject({ ended: 'time' });
      expect((waited?.endedAt ?? 0) - (waited?.startedAt ?? 0)).toBeGreaterThanOrEqual(1_000);
      const types = await listEventTypes(longhand, chain.chainId);
      // Four replies and two reads.
      expect(types.filter((type) => type.startsWith('activityTaskScheduled'))).toHaveLength(6);
    };
    await play(replies, body, oneRun);
  });

  it('for a signal ends with its data, sent by the command line, and readers see what it waits for', async () => {
    await play([waits({ signal: 'build-done' }), done], async (chain, { models }) => {
      const { chainId } = chain;
      await waitUntilWaiting(chain);
      expect((await cli('chain', 'show', chainId)).stdout).toMatch(/waiting for build-done, until .* UTC at most/);
      await expect
        .poll(async () => (await cli('chain', 'list', '--status', 'sleeping', '--root', chainId)).stdout)
        .toContain('waiting for signal');
      const list = async (status: string) =>
        JSON.parse((await cli('chain', 'list', '--status', status, '--root', chainId, '--json')).stdout);
      expect(await list('sleeping')).toMatchObject([{ waits: 'sleeping', waitsFor: 'signal' }]);
      // The search of the inbox.
      expect(await list('waiting')).toEqual([]);
      expect(await cli('signal', chainId, 'build-done', 'green')).toMatchObject({ code: 2 });
      const misspelt = await cli('signal', chainId, 'build-donne');
      expect(misspelt.stdout).toMatch(/Signal build-donne sent.*\n {2}kept: the chain waits for build-done\n$/);
      const sent = await cli('signal', chainId, 'build-done', '{"status":"green"}', '--by', 'ci');
      expect([sent.code, sent.stdout]).toEqual([0, expect.stringMatching(/Signal build-done sent .*\n$/)]);
      expect((await chain.result()).outcome).toBe('success');
      const [call] = await readCalls(chain);
      expect(call?.observation).toMatchObject({ ended: 'signal', data: { status: 'green' }, by: 'ci' });
      expect(JSON.stringify(models.requests[1]?.body)).toContain('green');
    });
  });

  it('takes a signal that was sent before it, through continue-as-new', async () => {
    const worker = { continueAfter: { steps: 1 } };
    const replies = [waits({ signal: 'first' }), waits({ signal: 'second' }), done];
    await withWorker({ agents: [builder], replies, worker }, async ({ longhand }) => {
      const chain = await longhand.start(builder, 'Build it');
      await waitUntilWaiting(chain);
      await chain.signal('second', 2, { by: 'ci' });
      await chain.signal('first', 1, { by: 'ci' });
      expect((await chain.result()).outcome).toBe('success');
      expect((await readCalls(chain)).map(({ observation }) => observation)).toMatchObject([{ data: 1 }, { data: 2 }]);
      expect((await chain.read()).state.run.runs).toBeGreaterThan(0);
    });
  });

  it('is ended by a message of a person, which the model sees, and by a resume that names its call', async () => {
    await play([waits({ seconds: 3_600 }), waits({ seconds: 3_600 }), done], async (chain, { models }) => {
      await waitUntilWaiting(chain);
      await chain.steer('It is built.', { by: 'ana' });
      await expect.poll(() => models.requests.length).toBe(2);
      expect(JSON.stringify(models.requests[1]?.body)).toContain('Message from ana: It is built.');
      await waitUntilWaiting(chain);
      await expect(chain.resume({ by: 'ana' })).rejects.toMatchObject({ rejection: 'not_paused' });
      expect(await cli('resume', chain.chainId, '1.1')).toMatchObject({ code: 1 });
      const ended = await cli('resume', chain.chainId, '2.1', '--by', 'ana');
      expect([ended.code, ended.stdout]).toEqual([0, expect.stringContaining('Ended the wait of call 2.1')]);
      expect((await chain.result()).outcome).toBe('success');
      const observations = (await readCalls(chain)).map(({ observation }) => observation);
      expect(observations).toMatchObject([{ ended: 'message' }, { ended: 'resume' }]);
    });
  });

  it('takes a signal with an id once, however often a program or the command line sends it, also in a later run', async () => {
    const worker = { continueAfter: { steps: 1 } };
    const replies = [waits({ signal: 'built' }), waits({ signal: 'built' }), done];
    await withWorker({ agents: [builder], replies, worker }, async ({ longhand }) => {
      const chain = await longhand.start(builder, 'Build it');
      const { chainId } = chain;
      await waitUntilWaiting(chain);
      const send = () => chain.signal('built', 1, { by: 'ci', id: 'build-7' });
      expect([await send(), await send()]).toEqual(Array(2).fill({ id: 'build-7', status: 'accepted' }));
      await expect.poll(async () => (await chain.describe()).steps).toBe(2);
      await waitUntilWaiting(chain);
      expect((await chain.read()).state.run.runs).toBeGreaterThan(0);
      expect(await send()).toEqual({ id: 'build-7', status: 'accepted' });
      expect(await cli('signal', chainId, 'built', '1', '--id', 'build-7')).toMatchObject({ code: 0 });
      expect((await chain.describe()).doing).toMatch(/^the wait of call 2\.1/);
      await expect(chain.signal('built', 1, { id: ' ' })).rejects.toMatchObject({ code: 'invalid_options' });
      expect(await cli('signal', chainId, 'built', '2', '--id', 'build-8')).toMatchObject({ code: 0 });
      expect((await chain.result()).outcome).toBe('success');
      expect((await readCalls(chain)).map(({ observation }) => observation)).toMatchObject([{ data: 1 }, { data: 2 }]);
    });
  });

  it('is ended by a cancel of the chain at once', async () => {
    await play([waits({ seconds: 3_600 })], async (chain) => {
      await waitUntilWaiting(chain);
      await chain.cancel({ by: 'ana', reason: 'enough' });
      expect((await chain.result()).outcome).toBe('cancelled');
      expect(await readCalls(chain)).toMatchObject([{ status: 'cancelled' }]);
    });
  });
});

it('a signal to an agent without the tool is rejected', async () => {
  const plain = defineAgent({ name: 'plain', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [checkBuild] });
  const held: ScriptedReply = { hang: true, afterEvents: 3, text: 'I think' };
  await withWorker({ agents: [plain], replies: [held] }, async ({ longhand, models }) => {
    const chain = await longhand.start(plain, 'Build it');
    await expect.poll(() => models.requests.length).toBe(1);
    await expect(chain.signal('build-done')).rejects.toMatchObject({ rejection: 'signal_unawaited' });
    await chain.cancel();
    await chain.result();
  });
});

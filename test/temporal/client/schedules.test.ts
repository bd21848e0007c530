/** Schedules start agents again and again; each run is a chain of its own. */

import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { createKeywordKey } from '../../../src/contract/search-attributes.js';
import { connect, type Longhand } from '../../../src/entries/client.js';
import { defineAgent } from '../../../src/index.js';
import { expectOneTruth, withWorker } from '../../support/chain-test.js';
import { longhandHere } from '../../support/command-here.js';
import { matchError } from '../../support/match-error.js';
import { getTemporalAddress } from '../../support/temporal.js';

const reporter = defineAgent({ name: 'reporter', model: 'claude-sonnet-5-5', strategy: 'tools' });
const createId = () => `daily-${randomUUID()}`;
const env = () => ({ TEMPORAL_ADDRESS: getTemporalAddress() });

/** Undefined also for a schedule that the server's list, which follows its schedules with a delay, does not have yet. */
async function readSchedule(longhand: Longhand, scheduleId: string) {
  return (await longhand.schedules.list()).find((each) => each.scheduleId === scheduleId);
}

async function withClient(body: (longhand: Longhand) => Promise<void>): Promise<void> {
  const longhand = await connect({ address: getTemporalAddress() });
  await body(longhand).finally(longhand.close);
}

it('each run of a schedule is a chain with an id of its own, within the limits of the schedule', async () => {
  await withWorker({ agents: [reporter], replies: () => ({ text: 'Reported.' }) }, async ({ longhand }) => {
    const id = createId();
    await longhand.schedules.create(id, reporter, 'Sum up yesterday.', {
      every: '1s',
      overlap: 'allow-all',
      limits: { steps: 3 },
      tenant: 'acme',
    });
    const listChains = async () => {
      const schedule = await readSchedule(longhand, id);
      return schedule !== undefined && 'chainIds' in schedule ? schedule.chainIds : [];
    };
    await expect.poll(async () => (await listChains()).length).toBeGreaterThan(1);
    const ids = await listChains();
    await longhand.schedules.delete(id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const chainId of ids.slice(0, 2)) {
      expect(chainId).toMatch(new RegExp(`^${id}-\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ$`));
      const chain = longhand.getHandle(chainId);
      expect(await chain.result()).toMatchObject({ chainId, outcome: 'success', answer: 'Reported.' });
      const { state } = await chain.read();
      expect(state).toMatchObject({ input: { tenant: 'acme' }, agent: { limits: { steps: 3 } } });
      const { typedSearchAttributes } = await longhand.client.workflow.getHandle(chainId).describe();
      for (const name of ['LonghandRoot', 'LonghandThread'] as const)
        expect(typedSearchAttributes.get(createKeywordKey(name))).toBe(chainId);
      await expectOneTruth(longhand, chain);
    }
  });
});

it('a chain of a schedule has its agent and tenant as search attributes before any worker has taken it', async () => {
  const id = createId();
  const longhand = await connect({ address: getTemporalAddress(), taskQueue: id });
  try {
    await longhand.schedules.create(id, reporter, 'Sum up yesterday.', { every: '1h', tenant: 'acme' });
    await longhand.client.schedule.getHandle(id).trigger();
    const findChain = async () => {
      const schedule = await readSchedule(longhand, id);
      return schedule !== undefined && 'chainIds' in schedule ? schedule.chainIds[0] : undefined;
    };
    await expect.poll(findChain).toBeDefined();
    const handle = longhand.client.workflow.getHandle((await findChain()) ?? '');
    await longhand.schedules.delete(id);
    const { typedSearchAttributes } = await handle.describe();
    await handle.terminate();
    const names = ['LonghandAgent', 'LonghandTenant', 'LonghandStatus'] as const;
    const values = names.map((name) => typedSearchAttributes.get(createKeywordKey(name)));
    expect(values).toEqual(['reporter', 'acme', 'running']);
  } finally {
    await longhand.close();
  }
});

it('a schedule is listed with its agent, task, times, overlap policy and note, until it is deleted', async () => {
  await withClient(async (longhand) => {
    const id = createId();
    await longhand.schedules.create(id, 'reporter', 'Sum up yesterday.', {
      cron: '0 9 * * MON-FRI',
      timeZone: 'Europe/Berlin',
      note: 'Asked for by finance.',
    });
    await expect
      .poll(() => readSchedule(longhand, id))
      .toEqual({
        scheduleId: id,
        agent: 'reporter',
        task: 'Sum up yesterday.',
        times: ['0 9 * * MON-FRI'],
        timeZone: 'Europe/Berlin',
        overlap: 'skip',
        note: 'Asked for by finance.',
        paused: false,
        tenant: null,
        nextAt: expect.any(Number),
        chainIds: [],
      });
    await expect(longhand.schedules.create(id, 'reporter', 'Again.', { every: '1h' })).rejects.toThrow(
      matchError('schedule_exists'),
    );
    await longhand.schedules.delete(id);
    await expect(longhand.schedules.delete(id)).rejects.toThrow(matchError('schedule_not_found'));
    await expect.poll(() => readSchedule(longhand, id)).toBeUndefined();
  });
});

it('a schedule has the jitter, window, times and policies of its options, and starts paused if they state so', async () => {
  await withClient(async (longhand) => {
    const id = createId();
    const [startAt, endAt] = [new Date('2030-01-01T00:00:00Z'), new Date('2031-01-01T00:00:00Z')];
    const options = { jitter: '5m', catchupWindow: '1h', startAt, endAt, pauseOnFailure: true, paused: true } as const;
    await longhand.schedules.create(id, 'reporter', 'Sum up yesterday.', { every: '1d', tenant: id, ...options });
    const { spec, policies, state } = await longhand.client.schedule.getHandle(id).describe();
    expect(spec).toMatchObject({ jitter: 300_000, startAt, endAt });
    expect(policies).toMatchObject({ catchupWindow: 3_600_000, pauseOnFailure: true });
    expect(state.paused).toBe(true);
    await expect
      .poll(() => longhand.schedules.list({ tenant: id }))
      .toMatchObject([{ scheduleId: id, tenant: id, paused: true }]);
    await longhand.schedules.delete(id);
  });
});

it('a pause and a resume keep the note of the schedule, and a paused schedule can be triggered, which returns the id of its chain', async () => {
  await withWorker({ agents: [reporter], replies: () => ({ text: 'Reported.' }) }, async ({ longhand }) => {
    const id = createId();
    const note = 'Asked for by finance.';
    await longhand.schedules.create(id, reporter, 'Sum up yesterday.', { every: '1d', note });
    await longhand.schedules.pause(id);
    await expect.poll(() => readSchedule(longhand, id)).toMatchObject({ paused: true, note });
    const chainId = (await longhand.schedules.trigger(id)) ?? expect.fail();
    await expect.poll(() => readSchedule(longhand, id)).toMatchObject({ chainIds: [chainId] });
    expect(await longhand.getHandle(chainId).result()).toMatchObject({ outcome: 'success' });
    await longhand.schedules.resume(id);
    await expect.poll(() => readSchedule(longhand, id)).toMatchObject({ paused: false, note });
    await longhand.schedules.delete(id);
    await expect(longhand.schedules.pause(id)).rejects.toThrow(matchError('schedule_not_found'));
    await expect(longhand.schedules.trigger(id)).rejects.toThrow(matchError('schedule_not_found'));
  });
});

it('the command line prints the chain that a trigger starts, and no note for a pause and a resume without one', async () => {
  const id = createId();
  await longhandHere(
    ['schedule', 'create', id, 'reporter', 'Sum up yesterday.', '--every', '1d', '--tenant', id],
    env(),
  );
  await longhandHere(['schedule', 'pause', id], env());
  await longhandHere(['schedule', 'resume', id], env());
  const list = async () => (await longhandHere(['schedule', 'list', '--tenant', id], env())).stdout;
  await expect.poll(list).toMatch(/Sum up yesterday\.\n$/);
  expect(await list()).not.toContain('NOTE');
  const triggered = await longhandHere(['schedule', 'trigger', id], env());
  expect([triggered.code, triggered.stdout]).toEqual([0, expect.stringMatching(new RegExp(`^${id}-\\d{4}-.*Z\\n$`))]);
  await withClient(async ({ client }) => void (await client.workflow.getHandle(triggered.stdout.trim()).terminate()));
  await longhandHere(['schedule', 'delete', id], env());
});

it.each([
  ['neither cron nor every', {}],
  ['both cron and every', { cron: '@daily', every: '1h' as const }],
  ['an invalid cron expression', { cron: 'at nine' }],
  ['a time zone without cron', { every: '1h' as const, timeZone: 'Europe/Berlin' }],
  ['an invalid jitter', { every: '1h' as const, jitter: 'some' as never }],
  ['a time that is no date', { every: '1h' as const, startAt: 'soon' as never }],
  ['an end before its start', { every: '1h' as const, startAt: new Date(2_000), endAt: new Date(1_000) }],
  ['an unknown overlap policy', { every: '1h' as const, overlap: 'wait' as never }],
  ['an id that leaves no room for the time', { every: '1h' as const }, 'x'.repeat(180)],
])('a schedule with %s is rejected', async (_, options, id = createId()) => {
  await withClient(async (longhand) => {
    await expect(longhand.schedules.create(id, 'reporter', 'Report.', options)).rejects.toThrow(
      matchError('invalid_options'),
    );
    expect(await readSchedule(longhand, id)).toBeUndefined();
  });
});

it('the command line creates, lists, pauses, resumes and deletes schedules', async () => {
  const id = createId();
  const create = ['schedule', 'create', id, 'reporter', 'Sum up yesterday.', '--every', '1h', '--note', 'Hourly'];
  const flags = ['--limit', 'cost=0.25', '--overlap', 'buffer-one', '--tenant', id];
  const created = await longhandHere([...create, ...flags, '--jitter', '5m', '--catchup-window', '1h'], env());
  expect([created.code, created.stdout, created.stderr]).toEqual([0, `${id}\n`, '']);
  const again = await longhandHere(create, env());
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining(`Schedule ${id} exists.`) });
  const list = async () =>
    JSON.parse(
      (await longhandHere(['schedule', 'list', '--tenant', id, '--json'], env())).stdout,
    ) as readonly unknown[];
  await expect.poll(async () => (await list()).length).toBe(1);
  expect(await list()).toMatchObject([
    { scheduleId: id, tenant: id, agent: 'reporter', times: ['every 1 h'], overlap: 'buffer-one', note: 'Hourly' },
  ]);
  const table = (await longhandHere(['schedule', 'list'], env())).stdout;
  expect(table.split('\n').find((line) => line.includes(id))).toMatch(
    /reporter +every 1 h +buffer-one .*Sum up yesterday\. +Hourly$/,
  );
  expect(await longhandHere(['schedule', 'pause', id], env())).toMatchObject({ code: 0, stdout: `✓ Paused ${id}\n` });
  const findRow = async () =>
    (await longhandHere(['schedule', 'list'], env())).stdout.split('\n').find((line) => line.includes(id));
  await expect.poll(findRow).toMatch(/paused/);
  expect(await longhandHere(['schedule', 'resume', id], env())).toMatchObject({ code: 0, stdout: `✓ Resumed ${id}\n` });
  expect(await longhandHere(['schedule', 'delete', id], env())).toMatchObject({ code: 0, stdout: `✓ Deleted ${id}\n` });
  expect((await longhandHere(['schedule', 'delete', id], env())).code).not.toBe(0);
});

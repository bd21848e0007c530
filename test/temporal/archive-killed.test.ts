/**
 * A hundred chains are archived while the worker that does it is killed (SIGKILL) again and again, and the database's server
 * too: afterwards one sweep, and every chain is there whole, and none twice.
 */

import { randomInt, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { connect } from '../../src/client/connect.js';
import { isStoreError } from '../../src/store/errors.js';
import { openStore } from '../../src/store/open.js';
import type { Store } from '../../src/store/store.js';
import { expectNoneTwice, expectWhole, listedClosed, sweepOf } from '../support/archive-proof.js';
import { killableAgent } from '../support/killable-agent.js';
import { type RecordedRequest, type ScriptedReply, startMessagesServer } from '../support/messages-server.js';
import { startPostgres } from '../support/postgres.js';
import { freshFile } from '../support/stores.js';
import { temporalAddress, workflowBundlePath } from '../support/temporal.js';
import { startWorkerProcess } from '../support/worker-process.js';

const chains = 100;
const workersKilled = 3;

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-marks-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** By the task: most answer after one call, every tenth goes over seams, one fails, one hangs until it is terminated. */
const taskOf = (number: number) => {
  if (number === 0) return 'Hang';
  if (number === 1) return 'Fail';
  return number % 10 === 2 ? 'See seven things' : 'See one thing';
};

function says({ body: { messages } }: RecordedRequest): ScriptedReply {
  const task = JSON.stringify(messages[0]);
  const said = messages.filter(({ role }) => role === 'assistant').length;
  if (task.includes('Hang')) return { hang: true };
  if (task.includes('Fail'))
    return { status: 400, error: { type: 'invalid_request_error', message: 'It is refused.' } };
  if (said >= (task.includes('seven') ? 7 : 1)) return { text: 'All is there.' };
  return { text: 'I look.', calls: [{ name: 'look_up', input: { thing: `thing ${said}` } }] };
}

interface Killed {
  readonly where: string;
  /** Kills the database and starts it again. */
  readonly strike: () => Promise<void>;
}

async function killed({ where, strike }: Killed): Promise<void> {
  const taskQueue = `test-${randomUUID()}`;
  const models = await startMessagesServer(says);
  const longhand = await connect({ address: temporalAddress(), taskQueue });
  const marks = join(folder, 'marks');
  const options = {
    ...{ address: temporalAddress(), taskQueue, modelUrl: models.url, bundlePath: workflowBundlePath() },
    ...{ marks, holds: null, store: where, continueAfter: { steps: 3 } },
  };
  const store = await openStore(where);
  let worker = await startWorkerProcess(options);
  try {
    const agent = killableAgent({ marks, holds: null });
    const numbers = Array.from({ length: chains }, (_, number) => number);
    const handles = await Promise.all(numbers.map((number) => longhand.start(agent, taskOf(number))));
    const ids = handles.map(({ chainId }) => chainId);
    const [hanging, ...others] = handles;
    await expect.poll(() => models.requests.some(isHanging), { timeout: 60_000 }).toBe(true);
    await longhand.client.workflow.getHandle(hanging!.chainId).terminate('enough');
    for (let kill = 1; kill <= workersKilled; kill += 1) {
      // As far on from here as chance will have it: while chains run, end, and are archived.
      const until = models.requests.length + randomInt(5, 60);
      await expect.poll(() => models.requests.length >= until, { timeout: 60_000, interval: 10 }).toBe(true);
      await worker.kill();
      worker = await startWorkerProcess(options);
      await strike();
    }
    for (const chain of others) expect(['success', 'failure']).toContain((await chain.result()).outcome);
    await worker.kill();
    await listedClosed(longhand.client, taskQueue, chains + 2 * numbers.filter((number) => number % 10 === 2).length);
    const before = await archivedRuns(store);
    const swept = await sweepOf(longhand.client, store, taskQueue)({ whole: true });
    expect(swept?.failed).toEqual([]);
    // The worker did its part, and the sweep the rest.
    expect(before).toBeGreaterThan(0);
    expect((swept?.archived ?? 0) + (swept?.there ?? 0)).toBe(await archivedRuns(store));
    for (const id of ids) await expectWhole(store, longhand.client, id);
    await expectNoneTwice(store, ids);
    expect(await outcomes(store)).toEqual({ success: chains - 2, failure: 1, terminated: 1 });
  } finally {
    await worker.kill();
    await store.close();
    await longhand.close();
    await models.close();
  }
}

function isHanging({ body }: RecordedRequest): boolean {
  return JSON.stringify(body.messages[0]).includes('Hang');
}

async function archivedRuns({ db }: Store): Promise<number> {
  return (await db.selectFrom('archive_runs').select('id').execute()).length;
}

async function outcomes({ db }: Store): Promise<Readonly<Record<string, number>>> {
  const rows = await db.selectFrom('archive_chains').select('outcome').execute();
  const counts: Record<string, number> = {};
  for (const { outcome } of rows) counts[String(outcome)] = (counts[String(outcome)] ?? 0) + 1;
  return counts;
}

it('on SQLite: the worker is killed while it writes', { timeout: 240_000 }, async () => {
  const { where, remove } = await freshFile();
  await killed({ where, strike: async () => {} }).finally(remove);
});

it('on Postgres: the worker is killed, and the server under it', { timeout: 240_000 }, async () => {
  let server = await startPostgres();
  const watch = await openStore(server.url);
  const strike = async () => {
    // In the midst of it: the worker that was just started has archived something.
    const before = await archivedRuns(watch);
    await expect.poll(() => archivedRuns(watch), { timeout: 60_000, interval: 10 }).not.toBe(before);
    process.kill(server.pid, 'SIGKILL');
    await server.ended;
    await expect(archivedRuns(watch)).rejects.toSatisfy(isStoreError);
    server = await startPostgres(server);
  };
  try {
    await killed({ where: server.url, strike });
  } finally {
    await watch.close();
    await server.stop();
    await server.remove();
  }
});

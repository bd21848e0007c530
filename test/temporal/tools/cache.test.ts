/** Cached results under concurrency: many chains of several tenants on two workers, each with its own connection to the store. */

import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import type { ChainHandle, Longhand } from '../../../src/entries/client.js';
import { type Agent, type Call, defineAgent, defineTool } from '../../../src/index.js';
import { openStore } from '../../../src/store/db/open.js';
import { budget } from '../../support/budget.js';
import { withWorker } from '../../support/chain-test.js';
import type { Script } from '../../support/messages-server.js';
import { describeStores, freshPostgres, sharedDatabases } from '../../support/stores.js';

const codes = ['EUR', 'USD'];
const tenants = ['acme', 'globex', null].slice(0, budget(2, 3));

/** Asks for both rates in one step, then ends. */
const replies: Script = ({ body }) =>
  body.messages.length === 1
    ? { text: 'I look.', calls: codes.map((of) => ({ name: 'rate', input: { of } })) }
    : { text: 'Done.' };

interface Rates {
  /** Two agents whose tools have the same name and different versions. */
  readonly agents: readonly Agent[];
  /** Each value that was made. */
  readonly made: string[];
}

/** The value of a call names all that it belongs to, and its number: it changes with each execution. */
function createRates(): Rates {
  const made: string[] = [];
  const agents = ['one', 'two'].map((version) => {
    const rate = defineTool({
      ...{ name: 'rate', description: 'Exchange rate', inputSchema: z.object({ of: z.string() }), effects: 'read' },
      ...{ roles: ['clerk'], cacheTtl: '1h', version },
      execute: async ({ of }, { tenant }) => {
        const value = `${tenant}/${version}/${of}/${made.length}/${'x'.repeat(3_000)}.`;
        made.push(value);
        return value;
      },
    });
    return defineAgent({ name: version, model: 'claude-sonnet-5-5', strategy: 'tools', tools: [rate] });
  });
  return { agents, made };
}

async function readCalls(chain: ChainHandle): Promise<readonly Call[]> {
  await chain.result();
  return (await chain.read()).steps.flatMap(({ calls }) => calls);
}

/** Starts chains of all tenants for both agents at once, `copies` of each, and expects no value of another call. */
async function playAll(longhand: Longhand, { agents, made }: Rates, copies: number): Promise<readonly Call[]> {
  const every = tenants.flatMap((tenant) => agents.map((agent) => ({ tenant, agent })));
  const played = await Promise.all(
    Array.from({ length: copies }, () => every)
      .flat()
      .map(async ({ tenant, agent }) => {
        const options = { ...(tenant === null ? {} : { tenant }), roles: ['clerk'] };
        const calls = await readCalls(await longhand.start(agent, 'Look.', options));
        expect(calls.map(({ status }) => status)).toEqual(['ok', 'ok']);
        for (const [index, of] of codes.entries()) {
          const observation = String(calls[index]?.observation);
          expect(observation.split('/').slice(0, 3)).toEqual([String(tenant), agent.name, of]);
          expect(made).toContain(observation);
        }
        return calls;
      }),
  );
  return played.flat();
}

describeStores((open) => {
  it('chains on two workers get no value of another tenant, version or argument, and none that has expired', async () => {
    const rates = createRates();
    const { agents, made } = rates;
    const store = await open();
    await withWorker({ agents, replies, worker: { store } }, async ({ longhand, startWorker }) => {
      await startWorker({ store: await open() });
      await playAll(longhand, rates, 2);
      // Calls that run at once may each execute.
      const first = made.length;
      expect(first).toBeGreaterThanOrEqual(tenants.length * agents.length * codes.length);

      const cached = await playAll(longhand, rates, 1);
      expect(made.length).toBe(first);
      expect(cached.every((call) => call.cached !== undefined)).toBe(true);
      const stranger = await readCalls(await longhand.start('one', 'Look.', { tenant: 'acme', roles: ['guest'] }));
      expect(stranger.map(({ status }) => status)).toEqual(['not_permitted', 'not_permitted']);
      expect(JSON.stringify(stranger)).not.toContain('xxx');

      await store.write((tx) =>
        tx
          .updateTable('tool_cache')
          .set(({ eb }) => ({ stored_at: eb('stored_at', '-', 3_600_000) }))
          .execute(),
      );
      const again = await playAll(longhand, rates, 1);
      for (const { observation } of again) expect(made.indexOf(String(observation))).toBeGreaterThanOrEqual(first);
    });
  });
}, sharedDatabases);

it('calls run when the database does not answer', async () => {
  const { where, remove } = await freshPostgres();
  onTestFinished(remove);
  const store = await openStore(where);
  onTestFinished(() => store.close());
  const blocker = new pg.Client(where);
  await blocker.connect();
  onTestFinished(() => blocker.end());
  await blocker.query('begin');
  await blocker.query('lock table tool_cache in access exclusive mode');
  const rates = createRates();
  await withWorker({ agents: rates.agents, replies, worker: { store } }, async ({ longhand }) => {
    const calls = await playAll(longhand, rates, 1);
    expect(calls.every((call) => call.cached === undefined)).toBe(true);
    expect(rates.made.length).toBe(calls.length);
    await blocker.query('rollback');
  });
});

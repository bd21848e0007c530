/** The tools for data in chains on a real server: what the model sees, what readers see, and what a cancel stops. */

import { expect, it } from 'vitest';
import { createViewer, defineAgent, sqlQuery } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import { listTexts, readRawPlaces } from '../../support/raw-temporal.js';
import { createShopFile, createShopServer } from '../../support/sql-databases.js';

const password = 'canary-of-the-database-0123456789';

it('a chain queries Postgres and SQLite; a change is an observation, and the address is in no history', async () => {
  const [server, file] = await Promise.all([createShopServer(), createShopFile()]);
  const url = server.reader.replace('@', `:${password}@`);
  const agent = defineAgent({
    name: 'clerk',
    model: 'claude-sonnet-5-5',
    strategy: 'tools',
    tools: [
      sqlQuery({ url: { secret: 'SHOP_URL' }, timeout: '10 minutes' }),
      sqlQuery({ name: 'local_query', file: file.file }),
    ],
  });
  const call = (name: string, sql: string, params: readonly number[] = []) => ({
    text: 'I look.',
    calls: [{ name, input: { sql, params } }],
  });
  const replies = [
    call('sql_query', 'select customer from orders where total > $1 order by id', [900]),
    call('sql_query', 'with gone as (delete from orders returning id) select * from gone'),
    call('local_query', 'select count(*) as orders from orders'),
    { text: 'Two.' },
    call('sql_query', 'with recursive n(x) as (select 1 union all select x + 2 - 2 from n) select max(x) from n'),
  ];
  try {
    await withWorker({ agents: [agent], replies, worker: { secrets: { get: () => url } } }, async ({ longhand }) => {
      const chain = await longhand.start(agent, 'Who ordered for more than 9 euros?');
      expect(await chain.result()).toMatchObject({ outcome: 'success' });
      const calls = (await chain.describe()).chain.steps.flatMap((step) => step.calls);
      expect(calls.map(({ status }) => status)).toEqual(['ok', 'error', 'ok']);
      expect(calls[0]?.observation).toMatchObject({ rows: [['Ada'], ['Cyd']], rowCount: 2, truncated: false });
      expect(calls[1]?.observation).toContain('this tool only reads');
      expect(calls[2]?.observation).toMatchObject({ columns: ['orders'], rows: [[3]] });
      expect(JSON.stringify(await chain.view(createViewer('user')))).toContain('2 rows');
      expect(listTexts(await readRawPlaces(longhand.client, chain.chainId)).join('\n')).not.toContain(password);

      const endless = await longhand.start(agent, 'How many?');
      const countActive = async () =>
        (
          await server.query(
            "select 1 from pg_stat_activity where state = 'active' and query like '%x + 2 - 2%' and pid <> pg_backend_pid()",
          )
        ).length;
      await expect.poll(countActive).toBe(1);
      await endless.cancel({ by: 'ada', reason: 'too slow' });
      expect(await endless.result()).toMatchObject({ outcome: 'cancelled' });
      await expect.poll(countActive).toBe(0);
    });
  } finally {
    await Promise.all([server.remove(), file.remove()]);
  }
});

/** The tools for data in chains on a real server: what the model sees, what readers see, and what a cancel stops. */

import { expect, it } from 'vitest';
import { z } from 'zod';
import { readMore, recall, remember, sqlQuery } from '../../../src/entries/tools.js';
import { createViewer } from '../../../src/entries/view.js';
import { defineAgent, defineTool } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import { longhandHere } from '../../support/command-here.js';
import { listTexts, readRawPlaces } from '../../support/raw-temporal.js';
import { createShopFile, createShopServer } from '../../support/sql-databases.js';
import { useFileStore } from '../../support/stores.js';

const stored = useFileStore();

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
      const calls = (await chain.read()).steps.flatMap((step) => step.calls);
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

it('a chain recalls what an earlier one remembered, of its tenant alone, until a person erases it', async () => {
  const token = 'ghp_16C7e42F292c6912E7710c838347Ae178B4a';
  const agent = defineAgent({
    name: 'assistant',
    model: 'claude-sonnet-5-5',
    strategy: 'tools',
    tools: [remember(), recall({ name: 'recall' }), remember({ name: 'remember_user', per: 'user' })],
  });
  const call = (name: string, input: Readonly<Record<string, string>>) => ({
    text: 'I try.',
    calls: [{ name, input }],
  });
  const look = [call('recall', { words: 'contact of acme' }), { text: 'Done.' }];
  const replies = [
    call('remember', { key: 'acme/contact', text: `Ada is the contact. Her token is ${token}.` }),
    call('remember_user', { key: 'style', text: 'Short answers.' }),
    { text: 'Done.' },
    ...look,
    ...look,
    ...look,
  ];
  const worker = { store: stored.store };
  await withWorker({ agents: [agent], replies, worker }, async ({ longhand }) => {
    const run = async (tenant: string, user?: string) => {
      const chain = await longhand.start(agent, 'Who is the contact?', {
        tenant,
        ...(user === undefined ? {} : { user }),
      });
      expect(await chain.result()).toMatchObject({ outcome: 'success' });
      const { steps } = await chain.read();
      return steps.flatMap((step) => step.calls).map(({ observation }) => observation);
    };
    expect(await run('acme', 'ada')).toEqual([{ remembered: 'acme/contact' }, { remembered: 'style' }]);
    const recalled = await run('acme', 'ben');
    expect(recalled).toMatchObject([{ found: 1, memories: [{ key: 'acme/contact' }] }]);
    expect(JSON.stringify(recalled)).toContain('Ada is the contact. Her token is [redacted:');
    expect(await run('other')).toEqual([{ found: 0, memories: [] }]);

    const env = { LONGHAND_STORE: stored.where };
    const listed = await longhandHere(['memory', 'list', '--tenant', 'acme'], env);
    expect(listed.stdout).toMatch(/acme\/contact +assistant +acme/);
    const shown = await longhandHere(['memory', 'show', 'acme/contact'], env);
    expect(shown.stdout).toContain('Ada is the contact');
    expect(shown.stdout).not.toContain(token);
    const erased = await longhandHere(['memory', 'erase', '--tenant', 'acme', '--yes'], env);
    expect(erased.stdout).toBe('2 texts erased.\n');
    expect(await run('acme', 'ada')).toEqual([{ found: 0, memories: [] }]);
  });
});

it('a chain reads the omitted parts of a result, without the secrets of its tool, and users do not see them', async () => {
  const key = 'canary-of-the-log-0123456789';
  const readLog = defineTool({
    name: 'read_log',
    description: 'Reads the log',
    inputSchema: z.object({}),
    effects: 'read',
    secrets: ['LOG_KEY'],
    view: { level: 'summary' },
    execute: (_input, { secret }) =>
      Array.from({ length: 4_000 }, (_, at) =>
        at === 2_000 ? `the culprit, ${secret('LOG_KEY')}` : `line ${at}`,
      ).join('\n'),
  });
  const agent = defineAgent({
    name: 'reader',
    model: 'claude-sonnet-5-5',
    strategy: 'tools',
    tools: [readLog, readMore()],
    maxObservationTokens: 1_000,
  });
  const more = (input: Readonly<Record<string, string | number>>) => ({
    text: 'More.',
    calls: [{ name: 'read_more', input }],
  });
  const replies = [
    { text: 'I read.', calls: [{ name: 'read_log', input: {} }] },
    more({ call: '1.1', line: 2_001, length: 60 }),
    more({ offset: 0 }),
    more({ call: '9.1' }),
    { text: 'Found.' },
  ];
  const worker = { store: stored.store, secrets: { get: () => key } };
  await withWorker({ agents: [agent], replies, worker }, async ({ longhand }) => {
    const chain = await longhand.start(agent, 'Find the culprit');
    expect(await chain.result()).toMatchObject({ outcome: 'success' });
    const calls = (await chain.read()).steps.flatMap((step) => step.calls);
    expect(calls.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'error']);
    expect(calls[1]?.observation).toMatchObject({ call: '1.1', tool: 'read_log' });
    expect(JSON.stringify(calls[1]?.observation)).toContain('the culprit, [redacted:secret]');
    // The part fits: it is not cut itself.
    expect(calls[2]).toMatchObject({ clippedFrom: null, observation: { offset: 0, next: expect.any(Number) } });
    for (const role of ['user', 'developer'] as const) {
      expect(JSON.stringify(await chain.view(createViewer(role)))).not.toMatch(/the culprit, \[/);
    }
    expect(listTexts(await readRawPlaces(longhand.client, chain.chainId)).join('\n')).not.toContain(key);
  });
});

/** Tools of an OpenAPI document and the tools that compute in a chain: what the model sees, and that a secret is in no history. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { calculator, csvQuery, jsonQuery, now, openApiTools } from '../../../src/entries/tools.js';
import { defineAgent } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import { respond, useSite } from '../../support/http-site.js';
import { petShop } from '../../support/open-api-documents.js';
import { listTexts, readRawPlaces } from '../../support/raw-temporal.js';

const key = 'canary-of-the-shop-0123456789';

it('a chain calls an API by its document, and computes with data', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-data-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'sales.csv'), 'city,amount\nParis,10\nRome,20\n');
  const site = await useSite((response, request) => {
    // A server that repeats the key, in a result and in an error.
    if (request.method === 'GET')
      return respond(200, 'application/json', JSON.stringify({ at: request.path }))(response, request);
    respond(422, 'application/json', JSON.stringify({ message: `no ${request.path}` }))(response, request);
  });
  const agent = defineAgent({
    name: 'analyst',
    model: 'claude-sonnet-5-5',
    strategy: 'tools',
    tools: [
      ...openApiTools(petShop('https://shop.example'), {
        ...{ baseUrl: `http://127.0.0.1:${site.port}`, secrets: { api_key: 'SHOP_KEY' } },
        only: ['pets_list', 'createPet'],
        tools: { createPet: { effects: 'idempotent' } },
      }),
      ...[calculator(), now(), csvQuery({ root: folder }), jsonQuery()],
    ],
  });
  const calls = [
    { name: 'pets_list', input: { limit: 2, filter: { color: 'red' } } },
    { name: 'createPet', input: { name: 'Rex' } },
    { name: 'calculator', input: { formula: '0.1 + 0.2' } },
    { name: 'now', input: { timezone: 'Europe/Berlin' } },
    { name: 'csv_query', input: { path: 'sales.csv', aggregate: [{ compute: 'sum', column: 'amount' }] } },
    { name: 'json_query', input: { data: { a: [1, 2] }, expression: 'sum(a)' } },
  ];
  const replies = [{ text: 'I look.', calls }, { text: 'Done.' }];
  const worker = { secrets: { get: () => key } };
  await withWorker({ agents: [agent], replies, worker }, async ({ longhand }) => {
    const chain = await longhand.start(agent, 'Analyse the sales');
    expect(await chain.result()).toMatchObject({ outcome: 'success' });
    const [step] = (await chain.read()).steps;
    expect(step?.calls.map(({ status }) => status)).toEqual(['ok', 'error', 'ok', 'ok', 'ok', 'ok']);
    const [list, create, computed, time, table, found] = step!.calls.map(({ observation }) => observation);
    expect(list).toMatchObject({
      status: 200,
      body: { at: expect.stringContaining('/pets?limit=2&filter%5Bcolor%5D=red') },
    });
    expect(JSON.stringify(create)).toContain('answered with status 422: no /pets');
    expect(computed).toMatchObject({ result: '0.3' });
    expect(time).toMatchObject({ timezone: 'Europe/Berlin' });
    expect(table).toMatchObject({ columns: ['sum(amount)'], rows: [[30]] });
    expect(found).toEqual({ result: 3 });
    expect(site.requests.map(({ path }) => path.includes(`api_key=${key}`))).toEqual([true, true]);
    expect(listTexts(await readRawPlaces(longhand.client, chain.chainId)).join('\n')).not.toContain(key);
  });
});

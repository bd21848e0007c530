/**
 * Tools of every kind go through one pipeline: in one step each is rejected for a chain without its role or of a tenant that may
 * not call it, before anything of it runs, and each runs for a chain that has the role. Nothing of it crosses to another tenant.
 */

import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import {
  aiSdkTools,
  commandTool,
  csvQuery,
  fileTools,
  httpRequestTool,
  isolate,
  langchainTools,
  llmTool,
  mcpTools,
  openApiTools,
  recall,
  remember,
  skillTools,
  sqlQuery,
} from '../../../src/entries/tools.js';
import { activityTool, type Call, defineAgent, defineTool, delegate } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import { respond, useSite } from '../../support/http-site.js';
import { findServer } from '../../support/mcp-source.js';
import { petShop } from '../../support/open-api-documents.js';
import { createFolder, invoiceSkill } from '../../support/skill-folder.js';
import { createShopFile } from '../../support/sql-databases.js';
import { useFileStore } from '../../support/stores.js';

const stored = useFileStore();

const roles = ['clerk'];
const read = { effects: 'read', roles } as const;

it('one step calls tools of every kind: none runs without its role or its tenant, all run with both', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-kinds-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const queue = `kinds-${randomUUID()}`;
  const journal = join(folder, 'journal');
  writeFileSync(journal, '');
  writeFileSync(join(folder, 'sales.csv'), 'city,amount\nParis,10\n');
  const note = (name: string) => {
    appendFileSync(journal, `${name}\n`);
    return name;
  };
  const site = await useSite((response, request) => {
    note('site');
    respond(200, 'application/json', '{}')(response, request);
  });
  const shop = await createShopFile();
  const skills = await createFolder(invoiceSkill);
  const inputSchema = z.object({});
  const helper = defineAgent({ name: 'helper', model: 'claude-sonnet-5-5', tenant: 'acme' });
  const agent = defineAgent({
    name: 'clerk',
    model: 'claude-sonnet-5-5',
    strategy: 'tools',
    tools: [
      defineTool({
        ...{ name: 'own', description: 'own', inputSchema, ...read, cacheTtl: '1h' },
        execute: (_, { tenant }) => `${note('own')} of ${tenant}`,
      }),
      delegate(helper, { roles }),
      defineTool({
        ...{ name: 'isolated', description: 'isolated', inputSchema: z.object({ n: z.number() }), ...read },
        execute: isolate('thread', {
          module: new URL('../../support/isolated-functions.js', import.meta.url),
          export: 'double',
        }),
      }),
      activityTool({
        name: 'activity',
        activity: 'note_it',
        description: 'activity',
        taskQueue: queue,
        inputSchema,
        ...read,
      }),
      commandTool({
        name: 'command',
        description: 'c',
        command: '/bin/sh',
        args: ['-c', `echo command >> ${journal}`],
        inputSchema,
        ...read,
      }),
      ...aiSdkTools({ ai: { description: 'ai', inputSchema, execute: () => note('ai') } }, { all: read }),
      ...langchainTools(
        [{ name: 'chain', description: 'chain', schema: inputSchema, invoke: async () => note('chain') }],
        { all: read },
      ),
      ...skillTools({ folder: join(skills, 'invoices'), roles }),
      ...openApiTools(petShop('https://shop.example'), {
        ...{
          baseUrl: `http://127.0.0.1:${site.port}`,
          only: ['pets_list'],
          secrets: { api_key: null },
          all: { roles },
        },
      }),
      httpRequestTool({ allow: [], allowPrivate: [`127.0.0.1:${site.port}`], methods: ['GET'], roles }),
      sqlQuery({ file: shop.file, roles }),
      csvQuery({ root: folder, roles }),
      remember({ roles }),
      recall({ roles }),
      llmTool({ models: ['claude-sonnet-5-5'], roles }),
      ...fileTools({ root: folder, roles }).filter(({ name }) => name === 'read_file'),
      mcpTools({
        name: 'notes',
        command: process.execPath,
        args: [findServer('memory')],
        only: ['read_graph'],
        all: { ...read, roles },
      }),
    ],
  });
  const calls = [
    { name: 'own', input: {} },
    { name: 'isolated', input: { n: 2 } },
    { name: 'activity', input: {} },
    { name: 'command', input: {} },
    { name: 'ai', input: {} },
    { name: 'chain', input: {} },
    { name: 'invoices', input: {} },
    { name: 'pets_list', input: { limit: 1 } },
    { name: 'http_request', input: { url: `http://127.0.0.1:${site.port}/`, method: 'GET' } },
    { name: 'sql_query', input: { sql: 'select count(*) from orders' } },
    { name: 'csv_query', input: { path: 'sales.csv' } },
    { name: 'remember', input: { key: 'k', text: 'kept' } },
    { name: 'recall', input: { key: 'k' } },
    { name: 'llm', input: { model: 'claude-sonnet-5-5', prompt: 'Hello' } },
    { name: 'read_file', input: { path: 'sales.csv' } },
    { name: 'notes_read_graph', input: {} },
  ];
  const replies = Array.from({ length: 2 }, () => [{ text: 'I act.', calls }, { text: 'Done.' }]).flat();
  const approvals = { tenants: { locked: () => ({ deny: 'This tenant only reads invoices.' }) } };
  await withWorker(
    { agents: [agent, helper], replies, worker: { store: stored.store, approvals } },
    async ({ longhand, models, startWorker }) => {
      await startWorker({ taskQueue: queue, activities: { note_it: async () => note('activity') } });
      const play = async (options: object) => {
        const chain = await longhand.start(agent, 'Act', options);
        expect(await chain.result()).toMatchObject({ outcome: 'success' });
        const [step] = (await chain.read()).steps;
        return step!.calls;
      };
      const byTool = (list: readonly Call[]) => Object.fromEntries(list.map(({ tool, status }) => [tool, status]));
      const all = (status: string) => Object.fromEntries(calls.map(({ name }) => [name, status]));
      expect(byTool(await play({ roles: ['auditor'], tenant: 'clerk', user: 'clerk' }))).toEqual(all('not_permitted'));
      const locked = await play({ roles, tenant: 'locked' });
      expect(byTool(locked)).toEqual(all('error'));
      for (const { observation } of locked) expect(observation).toContain('This tenant only reads invoices.');
      expect(readFileSync(journal, 'utf8')).toBe('');

      models.push({ text: 'I act.', calls }, { text: 'Hello back.' }, { text: 'Done.' });
      expect(byTool(await play({ roles, tenant: 'acme' }))).toEqual(all('ok'));
      const ran = new Set(readFileSync(journal, 'utf8').trim().split('\n'));
      expect([...ran].sort()).toEqual(['activity', 'ai', 'chain', 'command', 'own', 'site']);

      const shared = [
        { name: 'own', input: {} },
        { name: 'recall', input: { key: 'k' } },
        { name: 'helper', input: { task: 'Help' } },
      ];
      models.push({ text: 'I act.', calls: shared }, { text: 'Done.' });
      const [own, recalled, foreign] = await play({ roles, tenant: 'globex' });
      expect(own).toMatchObject({ status: 'ok', observation: 'own of globex' });
      expect(own).not.toHaveProperty('cached');
      expect(foreign?.observation).toContain('helper belongs to another tenant');
      expect(JSON.stringify(recalled?.observation)).not.toContain('kept');

      models.push({ text: 'I act.', calls: shared }, { text: 'Hello back.' }, { text: 'Done.' });
      const [cached, remembered, helped] = await play({ roles, tenant: 'acme' });
      expect(cached).toMatchObject({ observation: 'own of acme', cached: {} });
      expect(JSON.stringify(remembered?.observation)).toContain('kept');
      expect(helped).toMatchObject({ status: 'ok', observation: 'Hello back.' });
    },
  );
});

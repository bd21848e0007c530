/** Secrets of tools: their source, and calls with a missing secret (L5). */

import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import type { StartOptions } from '../../../src/entries/client.js';
import type { Store } from '../../../src/entries/store.js';
import { createWorker } from '../../../src/entries/worker.js';
import { type Agent, defineAgent, defineTool, type SecretProvider, type Tool } from '../../../src/index.js';
import { budget } from '../../support/budget.js';
import { withWorker } from '../../support/chain-test.js';
import { longhand } from '../../support/command.js';
import { encryptedRun } from '../../support/encrypted-run.js';
import { matchError } from '../../support/match-error.js';
import { findLeaks } from '../../support/planted.js';
import { listTexts } from '../../support/raw-temporal.js';
import { describeStores } from '../../support/stores.js';

const key = 'canary-of-the-tool-0123456789';
const replies = [{ text: 'I pay.', calls: [{ name: 'pay', input: {} }] }, { text: 'Done.' }];

function createAgent(tool: Tool): Agent {
  return defineAgent({ name: 'payer', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [tool] });
}

interface Play {
  readonly secrets: SecretProvider;
  readonly start?: StartOptions;
}

/** Runs a chain, and returns its call and the number of executions of the tool. */
async function callTool(execute: (secret: (name: 'PAY_KEY') => string) => unknown, { secrets, start }: Play) {
  let entered = 0;
  const pay = defineTool({
    name: 'pay',
    description: 'Pays',
    inputSchema: z.object({}),
    effects: 'unsafe',
    approval: false,
    secrets: ['PAY_KEY'],
    execute: (_, { secret }) => {
      entered += 1;
      return execute(secret);
    },
  });
  return withWorker({ agents: [createAgent(pay)], replies, worker: { secrets } }, async (test) => {
    const chain = await test.longhand.start(createAgent(pay), 'Pay', start);
    const { outcome } = await chain.result();
    const [call] = (await chain.read()).steps.flatMap(({ calls }) => calls);
    return { outcome, entered, status: call?.status, observation: call?.observation };
  });
}

it('a secret is read for the tenant of the chain and masked in the result of the tool', async () => {
  const requested: unknown[] = [];
  const secrets: SecretProvider = {
    get: async (name, scope) => {
      requested.push([name, scope]);
      return key;
    },
  };
  const result = await callTool(
    (secret) => ({ equal: secret('PAY_KEY') === key, header: `Bearer ${secret('PAY_KEY')}` }),
    {
      secrets,
      start: { tenant: 'acme' },
    },
  );
  expect(requested).toEqual([['PAY_KEY', { tenant: 'acme' }]]);
  expect(result).toMatchObject({ status: 'ok', observation: { equal: true, header: 'Bearer [redacted:secret]' } });
});

it('a missing secret prevents an unsafe call, which needs no decision', async () => {
  const result = await callTool(() => 'paid', { secrets: new Map([['OTHER', key]]), start: { tenant: 'acme' } });
  expect(result).toEqual({
    outcome: 'success',
    entered: 0,
    status: 'error',
    observation:
      'The secret PAY_KEY, which pay needs, is not set for tenant acme; the tool did not run. Set PAY_KEY where this worker reads its secrets.',
  });
});

it('a secret that is too short to mask is not used', async () => {
  const result = await callTool(() => 'paid', { secrets: new Map([['PAY_KEY', '12345']]) });
  expect(result).toMatchObject({ entered: 0, observation: expect.stringContaining('is shorter than 6 characters') });
});

it('a failed secret provider is reported by the type of its error only', async () => {
  const get = () => Promise.reject(new RangeError(`no lease for ${key}`));
  const result = await callTool(() => 'paid', { secrets: { get } });
  expect(result).toMatchObject({
    entered: 0,
    observation: 'The secret PAY_KEY, which pay needs, could not be read (RangeError); the tool did not run.',
  });
});

it('a secret is read again when a call is retried', async () => {
  let requested = 0;
  const get = () => {
    requested += 1;
    if (requested === 1) throw new Error('away');
    return key;
  };
  const read = defineTool({
    name: 'pay',
    description: 'Reads',
    inputSchema: z.object({}),
    effects: 'read',
    retry: { backoff: 10 },
    secrets: ['PAY_KEY'],
    execute: (_, { secret }) => secret('PAY_KEY').length,
  });
  await withWorker({ agents: [createAgent(read)], replies, worker: { secrets: { get } } }, async (test) => {
    const chain = await test.longhand.start(createAgent(read), 'Read');
    await chain.result();
    expect((await chain.read()).steps[0]?.calls[0]?.observation).toBe(key.length);
    expect(requested).toBe(2);
  });
});

it('an undeclared secret is rejected with the fix', async () => {
  const sly = (secret: (name: 'PAY_KEY') => string) => {
    try {
      return (secret as (name: string) => string)('OTHER_KEY');
    } catch (error) {
      return String(error);
    }
  };
  const result = await callTool(sly, { secrets: { get: () => key } });
  expect(result.observation).toBe(
    "TypeError: pay does not declare the secret OTHER_KEY. Add secrets: ['OTHER_KEY'] to its defineTool.",
  );
});

it('an invalid secret provider is rejected', async () => {
  const secrets = { PAY_KEY: key } as unknown as SecretProvider;
  const making = createWorker({ agents: [createAgent(defineTool({ ...plain, execute: () => 1 }))], secrets });
  await expect(making).rejects.toMatchObject(matchError('invalid_options', 'secrets'));
});

/** Returns all rows of each table as text, with unpacked bytes. */
async function readTables({ db }: Store): Promise<ReadonlyMap<string, string>> {
  const tables = await db.introspection.getTables();
  const read = tables.map(async ({ name, schema }) => {
    const rows = await db
      .withSchema(schema ?? 'main')
      .selectFrom(name as never)
      .selectAll()
      .execute();
    const bytes = rows.flatMap((row) => Object.values<unknown>(row)).filter((value) => value instanceof Uint8Array);
    return [name, [...listTexts(rows), ...bytes.map(unpack)].join('\n')] as const;
  });
  return new Map(await Promise.all(read));
}

/** Unpacks a page of the archive; returns an empty text for other bytes. */
function unpack(bytes: Uint8Array): string {
  try {
    return brotliDecompressSync(bytes).toString();
  } catch {
    return '';
  }
}

/** Exports of the audit log, in the long form in all formats, with the output of the command. */
async function exportAudit(env: Readonly<Record<string, string>>, folder: string): Promise<readonly string[]> {
  const formats = ['jsonl', 'csv', 'markdown'].slice(0, budget(1, 3)).map(async (format) => {
    const out = join(folder, format);
    const { stdout, stderr } = await longhand(['audit', 'export', '--format', format, '--out', out], env).end;
    const files = format === 'jsonl' ? readdirSync(out).map((name) => join(out, name)) : [out];
    return [stdout, stderr, ...files.map((file) => readFileSync(file, 'utf8'))].join('\n');
  });
  return Promise.all(formats);
}

const folder = mkdtempSync(join(tmpdir(), 'longhand-audited-'));
const keyFile = join(folder, 'audit.pem');
const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const planted = { key, auditKey: String(pem.split('\n')[1]) };
beforeAll(() => {
  writeFileSync(keyFile, pem);
  process.env.LONGHAND_AUDIT_KEY = keyFile;
});
afterAll(() => {
  delete process.env.LONGHAND_AUDIT_KEY;
  rmSync(folder, { recursive: true });
});

describeStores((open) => {
  it('a secret is in no table of the store and no export', async () => {
    const store = await open();
    const visible = 'zyxvisibleqv';
    const keeps = defineTool({
      name: 'pay',
      description: 'Keeps files',
      inputSchema: z.object({}),
      effects: 'read',
      secrets: ['PAY_KEY'],
      execute: async (_, { secret, artifact }) => {
        const leaky = `${visible} ${secret('PAY_KEY')} ${Buffer.from(secret('PAY_KEY')).toString('base64')}`;
        async function* stream() {
          for (const letter of leaky) yield Buffer.from(letter);
        }
        await artifact(`${leaky}.txt`, leaky);
        await artifact('bytes', Buffer.from(leaky), { mediaType: leaky });
        await artifact('stream', stream());
        return leaky.repeat(2_000);
      },
    });
    const answers = defineTool({
      name: 'answers',
      description: 'Answers for a while',
      inputSchema: z.object({}),
      effects: 'read',
      cacheTtl: '1m',
      secrets: ['PAY_KEY'],
      execute: (_, { secret }) => `cached ${visible} ${secret('PAY_KEY')}`,
    });
    const agent = defineAgent({
      name: 'payer',
      model: 'claude-sonnet-5-5',
      strategy: 'tools',
      tools: [keeps, answers],
    });
    const both = ['pay', 'answers'].map((name) => ({ name, input: {} }));
    const script = [
      { text: 'I keep.', calls: both },
      { text: 'Again.', calls: [{ name: 'answers', input: {} }] },
      { text: 'Done.' },
    ];
    const worker = { secrets: { get: () => key }, store };
    await withWorker({ agents: [agent], replies: script, worker }, async (test) => {
      const chain = await test.longhand.start(agent, 'Keep');
      await chain.result();
      const calls = (await chain.read()).steps.flatMap(({ calls }) => calls);
      expect(calls.map(({ status }) => status)).toEqual(['ok', 'ok', expect.any(String)]);
      expect(calls[0]?.artifacts).toHaveLength(3);
    });
    const tables = await readTables(store);
    const holding = [...tables].filter(([, text]) => text.includes(visible)).map(([name]) => name);
    // With encryption, cached results are sealed.
    const cached = encryptedRun ? [] : ['tool_cache'];
    expect(holding).toEqual(expect.arrayContaining(['archive_pages', 'audit_contents', 'blob_chunks', ...cached]));
    for (const [name, text] of tables) expect([name, findLeaks(text, planted)]).toEqual([name, []]);
    if (open.database === 'memory') return;
    const env = { LONGHAND_STORE: await open.where(), LONGHAND_AUDIT_KEY: keyFile };
    const [proof, ...reports] = await exportAudit(env, mkdtempSync(join(folder, 'export-')));
    expect(proof).toContain(visible);
    for (const result of [proof, ...reports]) expect(findLeaks(String(result), planted)).toEqual([]);
  });
});

const plain = { name: 'pay', description: 'Pays', inputSchema: z.object({}), effects: 'read' } as const;

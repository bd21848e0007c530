/** What calls write to the store: full observations, artifacts, and cached results. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { ChainHandle } from '../../../src/entries/client.js';
import type { Store } from '../../../src/entries/store.js';
import { openStore } from '../../../src/entries/store.js';
import { type Call, type Duration, defineAgent, defineTool, type Json, type ToolContext } from '../../../src/index.js';
import { openBlobs } from '../../../src/store/blobs/blobs.js';
import { withWorker } from '../../support/chain-test.js';
import type { Ended } from '../../support/command.js';
import { longhandHere } from '../../support/command-here.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { getTemporalAddress } from '../../support/temporal.js';

let folder = '';
let store: Store;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-content-'));
  store = await openStore(join(folder, 'store.db'));
});
afterEach(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const asking: ScriptedReply = { text: 'I look.', calls: [{ name: 'look', input: { at: 'sales' } }] };
const done: ScriptedReply = { text: 'All done.' };

function createLooker(run: (context: ToolContext) => unknown, more: { readonly cacheTtl?: Duration } = {}) {
  const look = defineTool({
    name: 'look',
    description: 'Looks',
    inputSchema: z.object({ at: z.string() }),
    effects: 'read',
    ...more,
    execute: (_, context) => run(context),
  });
  return defineAgent({ name: 'looker', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [look] });
}

async function readCall(chain: ChainHandle): Promise<Call> {
  const [call] = (await chain.read()).steps.flatMap(({ calls }) => calls);
  if (call === undefined) throw new Error('The chain made no call.');
  return call;
}

async function readStoredContent(chainId: string, digest = ''): Promise<string> {
  const parts: Uint8Array[] = [];
  const stored = await openBlobs(store).get({ namespace: 'default', chainId }, digest);
  for await (const part of stored?.content ?? []) parts.push(part);
  return Buffer.concat(parts).toString();
}

function run(...args: string[]): Promise<Ended> {
  const env = { TEMPORAL_ADDRESS: getTemporalAddress(), LONGHAND_STORE: join(folder, 'store.db') };
  return longhandHere(['chain', ...args, '--no-color'], env);
}

describe('a clipped observation', () => {
  const rows = Array.from({ length: 2_000 }, (_, id) => ({ id, mail: `person${id}@example.com` }));

  it('is stored in full and printed as far as its viewer may see it', async () => {
    await withWorker(
      { agents: [createLooker(() => rows)], replies: [asking, done], worker: { store } },
      async (test) => {
        const chain = await test.longhand.start('looker', 'Look.');
        await chain.result();
        const { fullObservation: full, clippedFrom } = await readCall(chain);
        expect(full?.bytes).toBe(clippedFrom);
        expect(await readStoredContent(chain.chainId, full?.digest)).toBe(JSON.stringify(rows));

        const shown = await run('show', chain.chainId, '--step', '1');
        expect(shown.stdout).toContain(
          `stored content: blob 1.1, ${full?.bytes.toLocaleString('en-US')} bytes, sha256:`,
        );
        const auditor = await run('blob', chain.chainId, '1.1', '--as', 'auditor', '--out', join(folder, 'full.json'));
        expect(auditor.stderr).toContain(`full.json: ${full?.bytes} bytes`);
        expect(JSON.parse(readFileSync(join(folder, 'full.json'), 'utf8'))).toEqual(rows);
        const developer = await run('blob', chain.chainId, '1.1');
        expect(JSON.parse(developer.stdout)).toHaveLength(2_000);
        expect(developer.stdout).not.toContain('person1999@example.com');
        const user = await run('blob', chain.chainId, '1.1', '--as', 'end_user');
        expect(user).toMatchObject({ code: 1, stdout: '' });
        expect(user.stderr).toContain('is not visible to this role');
        expect((await run('blob', chain.chainId, '7.1')).stderr).toContain('no result of a call 7.1');
      },
    );
  });

  it('is not stored in full if there is no store or the store fails', async () => {
    const down = await openStore(join(folder, 'down.db'));
    await down.close();
    for (const without of [null, down]) {
      await withWorker(
        { agents: [createLooker(() => rows)], replies: [asking, done], worker: { store: without } },
        async (test) => {
          const chain = await test.longhand.start('looker', 'Look.');
          expect((await chain.result()).outcome).toBe('success');
          const call = await readCall(chain);
          expect(call.clippedFrom).not.toBeNull();
          expect(call).not.toHaveProperty('fullObservation');
        },
      );
    }
  });
});

describe('an artifact', () => {
  async function* parts() {
    yield Buffer.from([0, 1, 2]);
    yield Buffer.from([255]);
  }
  const making = createLooker(async ({ artifact }) => ({
    report: await artifact('report.txt', 'Ask ada@example.com.'),
    picture: await artifact('picture.png', parts(), { mediaType: 'image/png' }),
  }));

  it('is listed with its call and can be printed', async () => {
    await withWorker({ agents: [making], replies: [asking, done], worker: { store } }, async (test) => {
      const chain = await test.longhand.start('looker', 'Look.');
      await chain.result();
      const call = await readCall(chain);
      expect(call.artifacts?.map(({ name, bytes, mediaType }) => [name, bytes, mediaType])).toEqual([
        ['report.txt', 20, 'text/plain; charset=utf-8'],
        ['picture.png', 4, 'image/png'],
      ]);
      const [report, picture] = call.artifacts ?? [];
      expect(call.observation).toEqual({ report, picture } as unknown as Json);
      expect((await run('show', chain.chainId)).stdout).toContain('made report.txt · made picture.png');
      const text = await run('blob', chain.chainId, '1.1', '--file', 'report.txt');
      expect(text.stdout).toBe('Ask [redacted:email].\n');
      const binary = join(folder, 'picture.png');
      await run('blob', chain.chainId, '1.1', '--file', 'picture.png', '--out', binary);
      expect([...readFileSync(binary)]).toEqual([0, 1, 2, 255]);
      const noText = await run('blob', chain.chainId, '1.1', '--file', 'picture.png');
      expect(noText.stderr).toContain('The content is not text (4 bytes). Write it to a file');
      const none = await run('blob', chain.chainId, '1.1', '--file', 'song.mp3');
      expect(none.stderr).toContain(
        'has no file song.mp3 that is visible here. Visible files: report.txt (1.1), picture.png (1.1).',
      );
    });
  });

  it('is rejected without a store, and the model sees the reason', async () => {
    await withWorker({ agents: [making], replies: [asking, done], worker: { store: null } }, async (test) => {
      const chain = await test.longhand.start('looker', 'Look.');
      await chain.result();
      const call = await readCall(chain);
      expect(call).toMatchObject({ status: 'error', observation: expect.stringContaining('This worker has no store') });
    });
  });
});

describe('a cached result', () => {
  it('is the result of equal calls in other chains of the tenant and is shown with its age', async () => {
    let made = 0;
    const agents = [createLooker(() => `answer ${++made}`, { cacheTtl: '1h' })];
    const replies = Array.from({ length: 4 }, () => [asking, done]).flat();
    await withWorker({ agents, replies, worker: { store } }, async (test) => {
      const answered = async (tenant: string) => {
        const chain = await test.longhand.start('looker', 'Look.', { tenant });
        await chain.result();
        return { chain, call: await readCall(chain) };
      };
      const first = await answered('acme');
      expect(first.call).toMatchObject({ status: 'ok', observation: 'answer 1' });
      expect(first.call).not.toHaveProperty('cached');
      const second = await answered('acme');
      expect(second.call).toMatchObject({
        status: 'ok',
        observation: 'answer 1',
        cached: { ageMs: expect.any(Number) },
      });
      expect((await answered('other')).call.observation).toBe('answer 2');
      expect((await run('show', second.chain.chainId)).stdout).toMatch(/answer 1.*cached, .* old/);
      await store.db.deleteFrom('tool_cache').execute();
      expect((await answered('acme')).call.observation).toBe('answer 3');
    });
  });

  it('is not stored for a failed call or if the store fails', async () => {
    let made = 0;
    const failing = () => {
      made++;
      throw new Error('out of order');
    };
    const agents = [createLooker(failing, { cacheTtl: '1h' })];
    await withWorker({ agents, replies: [asking, done], worker: { store } }, async (test) => {
      await (await test.longhand.start('looker', 'Look.')).result();
    });
    expect(made).toBe(3);
    expect(await store.db.selectFrom('tool_cache').selectAll().execute()).toEqual([]);
    const down = await openStore(join(folder, 'down.db'));
    await down.close();
    const working = [createLooker(() => 'works', { cacheTtl: '1h' })];
    await withWorker({ agents: working, replies: [asking, done], worker: { store: down } }, async (test) => {
      const chain = await test.longhand.start('looker', 'Look.');
      await chain.result();
      expect(await readCall(chain)).toMatchObject({ status: 'ok', observation: 'works' });
    });
  });
});

/** Files of tasks and results: by reference in the chain, by content in the store and in the request to the model. */

import { randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { connect } from '../../../src/entries/client.js';
import type { Store } from '../../../src/entries/store.js';
import { openStore } from '../../../src/entries/store.js';
import { createViewer } from '../../../src/entries/view.js';
import { defineAgent, defineTool, explore, file, type JsonObject } from '../../../src/index.js';
import { openBlobs } from '../../../src/store/blobs/blobs.js';
import { withWorker } from '../../support/chain-test.js';
import type { Ended } from '../../support/command.js';
import { longhandHere } from '../../support/command-here.js';
import { createActor, playRoles, type Role } from '../../support/delegating.js';
import '../../support/own-environment.js';
import { matchError } from '../../support/match-error.js';
import { createPdf, createPng } from '../../support/pictures.js';
import { startPostgres } from '../../support/postgres.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { getTemporalAddress } from '../../support/temporal.js';

let folder = '';
let store: Store;
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-files-'));
  store = await openStore(join(folder, 'store.db'));
});
afterEach(async () => {
  delete process.env.LONGHAND_ENCRYPTION_KEY;
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const receipt = createPng(800, 600);
const page = createPng(320, 200, 7);
const terms = createPdf(2, 'packed');

const takePicture = defineTool({
  name: 'take_picture',
  description: 'Takes a picture of a page',
  inputSchema: z.object({ url: z.string() }),
  effects: 'read',
  execute: ({ url }) => ({ url, picture: file({ name: 'page.png', data: page }) }),
});
const clerk = defineAgent({ name: 'clerk', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [takePicture] });

const asking: ScriptedReply = {
  text: 'I look.',
  calls: [{ name: 'take_picture', input: { url: 'https://shop.example' } }],
};
const done: ScriptedReply = { text: 'The total is 12 euros.' };
const replayed = { maxCachedWorkflows: 0 };

function run(...args: string[]): Promise<Ended> {
  const env = { TEMPORAL_ADDRESS: getTemporalAddress(), LONGHAND_STORE: join(folder, 'store.db') };
  return longhandHere(['chain', ...args, '--no-color'], env);
}

function toImage(data: Buffer) {
  return { type: 'image', source: { type: 'base64', media_type: 'image/png', data: data.toString('base64') } };
}

it('the model gets the images and PDFs of a task and of a result, and the chain has only references', async () => {
  const options = { agents: [clerk], replies: [asking, done], worker: { store }, temporal: replayed };
  await withWorker(options, async (test) => {
    const context = { 'receipt.png': receipt, 'terms.pdf': terms, 'raw.bin': Buffer.from([0, 1, 2]) };
    const chain = await test.longhand.start('clerk', 'Read this receipt', { context });
    expect(await chain.result()).toMatchObject({ outcome: 'success' });

    const [first, second] = test.models.requests.map(({ body }) => body.messages);
    const task = first?.[0]?.content as readonly JsonObject[];
    expect(task).toMatchObject([
      { type: 'text', text: 'Read this receipt' },
      { type: 'text', text: expect.stringMatching(/^File: receipt\.png \(image\/png, .*, 800 × 600\)$/) },
      toImage(receipt),
      { type: 'text', text: expect.stringMatching(/^File: terms\.pdf \(application\/pdf, .*, 2 pages\)$/) },
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: terms.toString('base64') },
        title: 'terms.pdf',
      },
      {
        type: 'text',
        text: 'File: raw.bin (application/octet-stream, 3 bytes). Its content is not shown to you.',
      },
    ]);
    expect(second?.[2]?.content[0]).toMatchObject({ type: 'tool_result', content: [{ type: 'text' }, toImage(page)] });

    const read = await chain.read();
    const call = read.steps[0]?.calls[0];
    expect(call?.observation).toEqual({
      url: 'https://shop.example',
      picture: expect.stringMatching(/^page\.png \(image\/png, .*, 320 × 200\)$/),
    });
    expect(call?.files).toEqual([
      {
        name: 'page.png',
        mediaType: 'image/png',
        bytes: page.length,
        pixels: { width: 320, height: 200 },
        digest: expect.any(String),
      },
    ]);
    const stored = JSON.stringify(read);
    for (const bytes of [receipt, page, terms]) expect(stored).not.toContain(bytes.toString('base64').slice(0, 40));

    // The request's digest covers the references, and each has the SHA-256 of the bytes.
    const prompt = await chain.readPrompt(2, createViewer('auditor'));
    expect(prompt).toMatchObject({ kind: 'sent', proof: 'proven' });
  });
});

it('readers see a line for each file, and get the bytes by the rules of the full content', async () => {
  await withWorker({ agents: [clerk], replies: [asking, done], worker: { store } }, async (test) => {
    const context = { 'receipt.png': receipt, 'note.txt': new TextEncoder().encode('Ask ada@example.com.') };
    const chain = await test.longhand.start('clerk', 'Read this receipt', { context });
    await chain.result();
    const saved = join(folder, 'saved');
    const shown = await run('show', chain.chainId, '--save-files', saved);
    expect(shown.stderr).toContain('receipt.png');
    expect(shown.stdout).toMatch(/receipt\.png \(image\/png, [\d.]+ KB, 800 × 600\)/);
    expect(shown.stdout).toMatch(/page\.png \(image\/png, [\d.]+ (KB|bytes), 320 × 200\)/);
    expect(readdirSync(saved).sort()).toEqual(['1.1-page.png', 'task-note.txt', 'task-receipt.png']);
    expect(readFileSync(join(saved, 'task-receipt.png'))).toEqual(receipt);
    expect(readFileSync(join(saved, '1.1-page.png'))).toEqual(page);
    expect(readFileSync(join(saved, 'task-note.txt'), 'utf8')).toBe('Ask [redacted:email].');
    const original = await run('blob', chain.chainId, '--file', 'note.txt', '--as', 'auditor');
    expect(original.stdout).toBe('Ask ada@example.com.\n');
    const hidden = await run('blob', chain.chainId, '1.1', '--file', 'page.png', '--as', 'end_user');
    expect(hidden).toMatchObject({ code: 1, stdout: '' });
  });
});

it('a fork has the files of its origin, also after the contents of the origin are erased', async () => {
  const replies = [asking, done, done];
  await withWorker({ agents: [clerk], replies, worker: { store } }, async (test) => {
    const origin = await test.longhand.start('clerk', 'Read this receipt', { context: { 'receipt.png': receipt } });
    await origin.result();
    const fork = await test.longhand.fork(origin.chainId, { atStep: 1, message: 'In dollars.' });
    expect(await fork.result()).toMatchObject({ outcome: 'success' });
    const body = test.models.requests.at(-1)?.body;
    expect(body?.messages[0]?.content).toContainEqual(expect.objectContaining(toImage(receipt)));
    expect(JSON.stringify(body?.messages[2])).toContain(page.toString('base64'));

    await openBlobs(store).delete({ namespace: 'default', chainId: origin.chainId });
    const longhand = await connect({ address: getTemporalAddress(), store });
    const developer = createViewer('developer');
    const handle = longhand.getHandle(fork.chainId);
    expect((await handle.readFile({ name: 'receipt.png' }, developer)).content).toEqual(receipt);
    expect((await handle.readFile({ name: 'page.png', call: '1.1' }, developer)).content).toEqual(page);
    const hidden = handle.readFile({ name: 'page.png', call: '1.1' }, createViewer('end_user'));
    await expect(hidden).rejects.toThrow(matchError('call_not_found', 'no file page.png that is visible here'));
    await longhand.close();
  });
});

it('an explored branch has the files of its parent: of the task and of the steps before', async () => {
  const hypotheses = ['It is in euros.', 'It is in dollars.'];
  const role: Role = ({ step, all }) => {
    if (all.includes('Try this one') || step === 3) return done;
    return step === 1 ? asking : { text: 'I try both.', calls: [{ name: 'explore', input: { hypotheses } }] };
  };
  const finder = createActor('finder', { tools: [takePicture, explore({ judge: () => 1 })] });
  await withWorker({ agents: [finder], replies: playRoles({ finder: role }), worker: { store } }, async (test) => {
    const chain = await test.longhand.start('finder', 'Read this receipt', { context: { 'receipt.png': receipt } });
    expect(await chain.result()).toMatchObject({ outcome: 'success', subtree: { chains: 2 } });
    const bodies = test.models.requests.map(({ body }) => JSON.stringify(body.messages));
    const ofBranches = bodies.filter((body) => body.includes('Try this one'));
    expect(ofBranches).toHaveLength(2);
    for (const body of ofBranches)
      for (const image of [receipt, page]) expect(body).toContain(image.toString('base64'));
  });
});

it('a file that is too large for a start travels through the store that client and worker share', async () => {
  const context = { 'film.mp4': Buffer.alloc(3_000_000, 1) };
  await withWorker({ agents: [clerk], replies: [done], worker: { store } }, async (test) => {
    const { taskQueue } = test;
    const startWith = async (own: Store) => {
      const longhand = await connect({ address: getTemporalAddress(), taskQueue, store: own });
      const result = await (await longhand.start('clerk', 'Describe this film', { context })).result();
      await longhand.close();
      return result;
    };
    expect(await startWith(store)).toMatchObject({ outcome: 'success' });
    expect(JSON.stringify(test.models.requests[0]?.body.messages)).toContain(
      'film.mp4 (application/octet-stream, 3.0 MB)',
    );
    const other = await openStore(join(folder, 'other.db'));
    expect(await startWith(other)).toMatchObject({
      outcome: 'failure',
      reason: expect.stringContaining('does not have film.mp4. Set LONGHAND_STORE to the same store'),
    });
    await other.close();
  });
});

it('with encryption the server has nothing readable of a file that travels with the start', async () => {
  const key = { current: 'k1', keys: { k1: { key: randomBytes(32).toString('base64') } } };
  process.env.LONGHAND_ENCRYPTION_KEY = JSON.stringify(key);
  const note = Buffer.concat([Buffer.from([0]), Buffer.from('canary-in-a-file')]);
  await withWorker({ agents: [clerk], replies: [done], worker: { store } }, async (test) => {
    const chain = await test.longhand.start('clerk', 'Read it', { context: { 'canary-in-a-name.bin': note } });
    expect(await chain.result()).toMatchObject({ outcome: 'success' });
    const history = await test.longhand.client.workflow.getHandle(chain.chainId).fetchHistory();
    const [start] = history.events ?? [];
    const payloads = start?.workflowExecutionStartedEventAttributes?.input?.payloads ?? [];
    expect(payloads).toHaveLength(2);
    for (const { data } of payloads) expect(Buffer.from(data ?? []).toString('latin1')).not.toContain('canary');
    const read = await chain.read();
    expect(read.state.input?.files).toMatchObject([{ name: 'canary-in-a-name.bin', bytes: note.length }]);
  });
});

it('a chain with files ends with the reason where its worker has no store', async () => {
  await withWorker({ agents: [clerk], replies: [], worker: { store: null } }, async (test) => {
    const chain = await test.longhand.start('clerk', 'Read this receipt', { context: { 'receipt.png': receipt } });
    expect(await chain.result()).toMatchObject({
      outcome: 'failure',
      reason: expect.stringContaining('this worker has no store for receipt.png'),
    });
  });
});

it('a chain waits for a store that is away: for the files of its task, and for those of a later request', async () => {
  let postgres = await startPostgres();
  const shared = await openStore(postgres.url);
  const stopping = defineTool({
    name: 'take_picture',
    description: 'Takes a picture of a page',
    inputSchema: z.object({ url: z.string() }),
    effects: 'read',
    execute: async () => {
      await postgres.stop();
      return 'No picture.';
    },
  });
  const agent = defineAgent({ ...clerk.definition, tools: [stopping] });
  try {
    await postgres.stop();
    await withWorker({ agents: [agent], replies: [asking, done], worker: { store: shared } }, async (test) => {
      const chain = await test.longhand.start('clerk', 'Read this receipt', { context: { 'receipt.png': receipt } });
      const waitForWait = () =>
        vi.waitFor(async () => {
          const { retryWait, steps } = await chain.view(createViewer('developer'));
          expect(retryWait).toMatchObject({ waitsFor: 'store', held: false, nextAt: expect.any(Number) });
          return steps.length;
        });
      const restart = async () => {
        postgres = await startPostgres(postgres);
        // On a slow machine, the chain has tried again by itself.
        await chain.resume({ by: 'ann' }).catch((error: unknown) => {
          expect(error).toMatchObject({ rejection: 'not_paused' });
        });
      };
      expect(await waitForWait()).toBe(1);
      expect(test.models.requests).toHaveLength(0);
      await restart();
      await vi.waitFor(() => expect(test.models.requests).toHaveLength(1));
      expect(await waitForWait()).toBeGreaterThan(1);
      await restart();
      expect(await chain.result()).toMatchObject({ outcome: 'success', steps: 2 });
      expect(test.models.requests.at(-1)?.body.messages[0]?.content).toContainEqual(
        expect.objectContaining(toImage(receipt)),
      );
    });
  } finally {
    await shared.close();
    await postgres.stop();
    await postgres.remove();
  }
});

it('a file in a result without a store fails no call: its description reports it', async () => {
  await withWorker({ agents: [clerk], replies: [asking, done], worker: { store: null } }, async (test) => {
    const chain = await test.longhand.start('clerk', 'Look.');
    expect(await chain.result()).toMatchObject({ outcome: 'success' });
    const [call] = (await chain.read()).steps.flatMap(({ calls }) => calls);
    expect(call?.observation).toMatchObject({
      picture: expect.stringContaining('not stored: this worker has no store'),
    });
    expect(call).not.toHaveProperty('files');
  });
});

it('the command starts a chain with an image and a text', async () => {
  await withWorker({ agents: [clerk], replies: [done], worker: { store } }, async (test) => {
    const [image, text] = [join(folder, 'receipt.png'), join(folder, 'note.txt')];
    writeFileSync(image, receipt);
    writeFileSync(text, 'It is from May.');
    const env = { TEMPORAL_ADDRESS: getTemporalAddress(), LONGHAND_STORE: join(folder, 'store.db') };
    const files = ['--file', image, '--file', text];
    const args = ['start', 'clerk', 'Read this receipt', ...files, '--task-queue', test.taskQueue, '--wait'];
    expect(await longhandHere(args, env)).toMatchObject({ code: 0, stdout: expect.stringContaining('800 × 600)') });
    const content = test.models.requests[0]?.body.messages[0]?.content;
    expect(content).toContainEqual(expect.objectContaining(toImage(receipt)));
    expect(JSON.stringify(content)).toContain('It is from May.');
  });
});

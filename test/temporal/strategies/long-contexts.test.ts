/** Chains whose conversation does not fit the context window of their model, on a real server. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { createViewer } from '../../../src/entries/view.js';
import { defineAgent } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import type { Script } from '../../support/messages-server.js';
import { codeOf, readPage, replyAsReader, toReadingTask, unknownCode } from '../../support/page-reader.js';

const folder = mkdtempSync(join(tmpdir(), 'longhand-prices-'));
const prices = join(folder, 'prices.json');
writeFileSync(prices, JSON.stringify({ 'claude-sonnet-5-5': { max_input_tokens: 8_000 } }));
afterAll(() => rmSync(folder, { recursive: true }));

const auditor = createViewer('auditor');
const writer = 'claude-haiku-5-5';
const reader = defineAgent({
  name: 'reader',
  model: 'claude-sonnet-5-5',
  models: { compaction: writer },
  compaction: 'model',
  maxTokens: 1_024,
  tools: [readPage],
  limits: { steps: 40, stallThreshold: 40, costUsd: 100 },
});
const asked = [1, 2, 3, 9];
const task = toReadingTask(24, asked);
const known = asked.map((page) => `${page}: ${codeOf(page)}`).join('\n');

describe('a chain whose oldest steps a model compacts', () => {
  it('answers about its first steps from the notes, which it pays for, and so does its fork', async () => {
    // The calls for notes are pending when the chain continues as new.
    const worker = { prices, continueAfter: { steps: 3 } };
    await withWorker({ agents: [reader], replies: replyAsReader, worker }, async ({ longhand, models }) => {
      const chain = await longhand.start(reader, task);
      expect(await chain.result()).toMatchObject({ outcome: 'success', answer: known, steps: 25 });
      const { notices, state } = await chain.read();
      const written = notices.filter(({ code }) => code === 'notes_written');
      expect(written.length).toBeGreaterThan(1);
      expect(written[0]).toMatchObject({
        text: expect.stringContaining(`page 1: ${codeOf(1)}`),
        asked: { call: 'aside-1', model: writer, costUsd: expect.any(Number) },
      });
      expect(state.modelTotals.map(({ model, calls }) => [model, calls])).toEqual([
        ['claude-sonnet-5-5', 25],
        [writer, written.length],
      ]);
      expect(JSON.stringify(models.requests.at(-1)?.body)).not.toContain('This line of page 1 has');
      expect(await chain.readPrompt('aside-1', auditor)).toMatchObject({ purpose: 'compaction', proof: 'proven' });
      expect(await chain.readPrompt(25, auditor)).toMatchObject({ purpose: 'step', proof: 'proven' });

      const fork = await longhand.fork(chain.chainId, { atStep: 22 });
      expect(await fork.result()).toMatchObject({ outcome: 'success', answer: known });
      // The fork of an agent with several models counts in bytes, so it compacts again at once: from the notes of its origin.
      const prompt = JSON.stringify(await fork.readPrompt('aside-2', auditor));
      expect(prompt).toContain(`page 1: ${codeOf(1)}`);
      expect(prompt).not.toContain('This line of page 1 has');
    });
  });

  it('is summarized by rule where the budget or the model does not allow notes', async () => {
    const failing: Script = (request) =>
      request.body.model === writer
        ? { status: 400, error: { type: 'invalid_request_error', message: 'No.' } }
        : replyAsReader(request);
    await withWorker({ agents: [reader], replies: failing, worker: { prices } }, async ({ longhand }) => {
      const failed = await longhand.start(reader, task);
      const { answer } = await failed.result();
      expect(answer).toContain(`2: ${unknownCode}`);
      const { notices } = await failed.read();
      expect(notices.filter(({ code }) => code === 'compacted')[1]?.text).toMatch(
        /^No notes of a model: the model that writes them failed \(.*\)\. The steps are summarized by rule\.$/,
      );

      const poor = await longhand.start(reader, task, { limits: { tokens: 52_000 } });
      await poor.result();
      const { notices: left, state } = await poor.read();
      expect(left.map(({ text }) => text)).toContain(
        'No notes of a model: the budget cannot pay for them. The steps are summarized by rule.',
      );
      expect(state.asides).toBeUndefined();
      expect(state.charged.tokens).toBeLessThanOrEqual(52_000);
    });
  });
});

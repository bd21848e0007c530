/** A chain on a real server is exported in each format, and each file is verified, replayed, and debugged with the workflow. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { debugChain } from '../../../src/cli/chain/debug.js';
import { exportChain } from '../../../src/cli/chain/export.js';
import { importFile } from '../../../src/cli/chain/import.js';
import { printReplay } from '../../../src/cli/chain/replay.js';
import { verifyChain } from '../../../src/cli/chain/verify.js';
import { scenarios } from '../../histories/scenarios.js';
import { withWorker } from '../../support/chain-test.js';
import { printed } from '../../support/printed.js';
import { getTemporalAddress, getWorkflowBundlePath } from '../../support/temporal.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-exports-'));
  process.env.TEMPORAL_ADDRESS = getTemporalAddress();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const scenario = scenarios.find(({ name }) => name === 'limit-with-closing');
const bundle = async () => ({ codePath: getWorkflowBundlePath() });

it('an ended chain is the same on the server and in files of both formats', async () => {
  if (scenario === undefined) throw new Error('The scenario does not exist.');
  const { agent, replies, limits } = scenario;
  await withWorker({ agents: [agent], replies }, async ({ longhand }) => {
    const chain = await longhand.start(agent, 'Play', { limits });
    await chain.result();
    const named = chain.chainId;
    const [facts, history] = [join(folder, 'chain.json'), join(folder, 'history.json')];
    await printed((terminal) => exportChain(terminal, named, { format: 'json', out: facts }));
    await printed((terminal) => exportChain(terminal, named, { format: 'history', out: history }));

    const digests: string[] = [];
    for (const place of [named, facts, history]) {
      const verified = await printed((terminal) => verifyChain(terminal, place, { json: true }));
      const replayed = await printed((terminal) => printReplay(terminal, place, { withTool: [], json: true }));
      expect(JSON.parse(verified.out)).toMatchObject({ chainId: named, calls: 3, divergence: null });
      expect(JSON.parse(replayed.out)).toMatchObject({ chainId: named, same: true, differences: [] });
      digests.push((JSON.parse(verified.out) as { digest: string }).digest);
    }
    expect(new Set(digests).size).toBe(1);

    const imported = await printed((terminal) => importFile(terminal, history, { json: true }));
    expect(JSON.parse(imported.out)).toMatchObject({ format: 'history', outcome: 'max_iterations', steps: 2 });
    for (const place of [named, history]) {
      const { code, out } = await printed((terminal) => debugChain(terminal, place, { json: true }, bundle));
      expect(JSON.parse(out)).toMatchObject({ breaks: null, altered: null });
      expect(code).toBe(0);
    }
  });
});

it('a running chain can be exported and replayed', async () => {
  const waiting = scenarios.find(({ name }) => name === 'cancel-in-tools');
  if (waiting === undefined) throw new Error('The scenario does not exist.');
  const { agent, replies } = waiting;
  await withWorker({ agents: [agent], replies }, async ({ longhand }) => {
    const chain = await longhand.start(agent, 'Play');
    await expect.poll(async () => (await chain.describe()).doing).toMatch(/^call .*dwell/);
    const facts = join(folder, 'running.json');
    await printed((terminal) => exportChain(terminal, chain.chainId, { format: 'json', out: facts }));
    const { out } = await printed((terminal) => importFile(terminal, facts, { json: true }));
    expect(JSON.parse(out)).toMatchObject({ outcome: null, steps: 1 });
    expect((await printed((terminal) => printReplay(terminal, facts, { withTool: [] }))).code).toBe(0);
    await chain.cancel({ by: 'Ada', reason: 'enough' });
    await chain.result();
  });
});

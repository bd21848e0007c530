/** The tools for code in a real worker: a cancel kills the processes of a command, and a command has no key of the worker. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { codeTools } from '../../../src/entries/tools.js';
import { defineAgent } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import { isAlive } from '../../support/is-alive.js';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'longhand-shell-'));
  process.env.LONGHAND_TEST_API_KEY = 'a-key-of-the-worker';
});
afterAll(() => {
  delete process.env.LONGHAND_TEST_API_KEY;
  rmSync(root, { recursive: true, force: true });
});

const createAgent = (folder: string) =>
  defineAgent({
    name: 'operator',
    model: 'some-model',
    strategy: 'tools',
    tools: codeTools({ root: folder }),
    approval: { shell_exec: { grant: true } },
  });

const replyWithCommand = (command: string) => ({
  text: 'I run it.',
  calls: [{ name: 'shell_exec', input: { command } }],
});

it('a cancel kills a command with its child processes, and its outcome is unknown (L5)', async () => {
  const agent = createAgent(root);
  const pid = () => Number(readFileSync(join(root, 'pid'), 'utf8'));
  await withWorker(
    { agents: [agent], replies: [replyWithCommand('sleep 600 & echo $! > pid; wait')] },
    async ({ longhand }) => {
      const chain = await longhand.start(agent, 'Wait');
      await expect.poll(() => isAlive(pid())).toBe(true);
      await chain.cancel({ by: 'ann' });
      expect(await chain.result()).toMatchObject({ outcome: 'cancelled' });
      await expect.poll(() => isAlive(pid())).toBe(false);
      const [step] = (await chain.read()).steps;
      expect(step?.calls).toMatchObject([{ tool: 'shell_exec', status: 'unknown' }]);
    },
  );
});

it('a command with another exit code is a result, and it has no key of the worker', async () => {
  const agent = createAgent(root);
  const replies = [replyWithCommand('echo "key:$LONGHAND_TEST_API_KEY"; exit 3'), { text: 'It failed.' }];
  await withWorker({ agents: [agent], replies }, async ({ longhand }) => {
    const chain = await longhand.start(agent, 'Try');
    expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'It failed.' });
    const [step] = (await chain.read()).steps;
    expect(step?.calls).toMatchObject([{ status: 'ok', observation: { exitCode: 3, output: 'key:\n' } }]);
  });
});

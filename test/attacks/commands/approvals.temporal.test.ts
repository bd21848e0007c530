/** A chain whose agent has the code tools and no approval rules: calls that write or run commands wait for a person. */

import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { codeTools } from '../../../src/entries/tools.js';
import { defineAgent } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import { waitForRequests } from '../../support/people.js';

let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'longhand-attack-'));
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

it('a model that writes a test, a Git repository and a package script runs none of them without approval', async () => {
  const agent = defineAgent({
    name: 'writer',
    model: 'some-model',
    strategy: 'tools',
    tools: codeTools({ root, tests: 'sh ./tests.sh' }),
  });
  const write = (path: string, content: string) => ({ name: 'file_write', input: { path, content } });
  const replies = [
    {
      text: 'I write and run.',
      calls: [
        write('tests.sh', 'touch ran'),
        write('config', '[core]\n\tbare = false\n\tfsmonitor = touch ran\n'),
        { name: 'file_edit', input: { path: 'package.json', old: 'vitest', new: 'touch ran' } },
        { name: 'run_tests', input: {} },
        { name: 'git_status', input: {} },
        { name: 'git_commit', input: { message: 'x', paths: ['config'] } },
      ],
    },
    { text: 'Nothing was allowed.' },
  ];
  await withWorker({ agents: [agent], replies }, async ({ longhand }) => {
    const chain = await longhand.start(agent, 'Try');
    const waiting = ['1.1', '1.2', '1.3', '1.4', '1.6'];
    await waitForRequests(longhand, chain.chainId, ...waiting);
    expect((await chain.listRequests()).map(({ tool }) => tool)).toEqual([
      'file_write',
      'file_write',
      'file_edit',
      'run_tests',
      'git_commit',
    ]);
    for (const call of waiting) await chain.deny(call, { by: 'ann', reason: 'No.' });
    expect(await chain.result()).toMatchObject({ outcome: 'success' });
    const [step] = (await chain.read()).steps;
    expect(step?.calls?.map(({ status }) => status)).toEqual(
      waiting.flatMap((call) => (call === '1.4' ? ['denied', 'error'] : ['denied'])),
    );
    expect(existsSync(join(root, 'tests.sh'))).toBe(false);
    expect(existsSync(join(root, 'ran'))).toBe(false);
  });
});

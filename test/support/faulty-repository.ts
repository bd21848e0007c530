/** A small repository with a bug and a failing test, and the replies of a model that fixes it. */

import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createGit } from './git-repository.js';
import type { Script } from './messages-server.js';
import { reacts } from './reacting-model.js';

export interface FaultyRepository {
  readonly root: string;
  readonly git: (...args: string[]) => string;
}

export const faultyLine = 'return prices.reduce((total, price) => total - price, 0);';
export const mendedLine = 'return prices.reduce((total, price) => total + price, 0);';

export function createFaultyRepository(): FaultyRepository {
  const root = mkdtempSync(join(tmpdir(), 'longhand-faulty-'));
  const files = {
    'package.json': JSON.stringify({ name: 'shop', type: 'module', private: true, scripts: { test: 'node --test' } }),
    'src/total.js': `/** The sum of some prices. */\nexport function total(prices) {\n  ${faultyLine}\n}\n`,
    'test/total.test.js': `import assert from 'node:assert';
import { test } from 'node:test';
import { total } from '../src/total.js';

test('prices are added up', () => assert.equal(total([2, 3]), 5));
`,
  };
  for (const folder of ['src', 'test']) mkdirSync(join(root, folder));
  for (const [path, text] of Object.entries(files)) writeFileSync(join(root, path), text);
  const git = createGit(root);
  git('init', '--quiet', '--initial-branch', 'main');
  git('config', 'user.name', 'Ann');
  git('config', 'user.email', 'ann@example.com');
  git('add', '.');
  git('commit', '--quiet', '-m', 'The shop opens');
  return { root, git };
}

const start = (id: string) => ({ name: 'start_task', input: { id } });
const complete = (id: string, result: string) => ({ name: 'complete_task', input: { id, result } });

/** A model that follows the plan template `debug_bug`: each move needs the task of the plan that it works on. */
export const mendingReplies: Script = reacts(
  {
    needs: ['Reproduce the bug: run the tests', 'start_task', 'run_tests'],
    until: 'prices are added up',
    reply: { text: 'First I make it happen.', calls: [start('reproduce'), { name: 'run_tests', input: {} }] },
  },
  {
    needs: ['Read the code on the path of the bug', 'complete_task'],
    until: 'total - price',
    reply: {
      text: 'The test fails. I read the code.',
      calls: [
        complete('reproduce', 'total([2, 3]) is -5'),
        start('read_code'),
        { name: 'read_file', input: { path: 'src/total.js' } },
      ],
    },
  },
  {
    needs: [
      'Name the cause: which line is wrong',
      'Change nothing yet',
      'Make the smallest change that fixes the cause',
    ],
    until: mendedLine,
    reply: {
      text: 'It subtracts where it should add.',
      calls: [
        complete('read_code', 'total.js reduces with a minus'),
        start('find_cause'),
        complete('find_cause', 'total - price in src/total.js, line 3'),
        start('propose_fix'),
        complete('propose_fix', 'Add instead; nothing else depends on it'),
        start('implement_fix'),
        { name: 'file_edit', input: { path: 'src/total.js', old: faultyLine, new: mendedLine } },
      ],
    },
  },
  {
    needs: ['Run all tests. The bug is fixed and nothing else is broken'],
    until: '"exitCode":0',
    reply: {
      text: 'Now the tests.',
      calls: [complete('implement_fix', 'One line changed'), start('test_fix'), { name: 'run_tests', input: {} }],
    },
  },
  {
    needs: ['Commit the files changed for this', 'git_commit'],
    until: 'Prices are added up',
    reply: {
      text: 'They pass: I commit.',
      calls: [
        complete('test_fix', 'All tests pass'),
        start('commit'),
        { name: 'git_commit', input: { message: 'Prices are added up', paths: ['src/total.js'] } },
      ],
    },
  },
  {
    needs: ['finish'],
    reply: {
      text: 'Done.',
      calls: [
        complete('commit', 'Committed'),
        { name: 'finish', input: { result: 'total() subtracted; it adds now.' } },
      ],
    },
  },
);

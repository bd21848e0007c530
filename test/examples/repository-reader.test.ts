/** The repository reader: the built-in file tools on this checkout. */

import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { repositoryReader } from '../../examples/repository-reader.js';
import { withWorker } from '../support/chain-test.js';
import { acts, answers } from '../support/react-reply.js';

test('the repository reader lists, searches and reads files of this checkout', async () => {
  const replies = [
    acts('Which examples are there?', 'list_files', {
      directory: 'examples',
      extension: 'ts',
      sort: 'lines',
      limit: 2,
    }),
    acts('Where is the reader defined?', 'search_text', {
      pattern: "name: 'repository_reader'",
      directory: 'examples',
    }),
    acts('I read its beginning.', 'read_file', { path: 'examples/repository-reader.ts', lines: 3 }),
    answers('That is enough.', 'It reads a repository.'),
  ];
  await withWorker({ agents: [repositoryReader], replies }, async ({ longhand }) => {
    const chain = await longhand.start(repositoryReader, 'What does the repository reader do?');

    expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'It reads a repository.', steps: 4 });
    const calls = (await chain.read()).steps.flatMap((step) => step.calls);
    expect(calls.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok']);
    const [listed, found, read] = calls.map(({ observation }) => observation);
    expect(listed).toHaveLength(2);
    expect(found).toMatchObject([{ path: 'examples/repository-reader.ts', line: expect.any(Number) }]);
    const source = await readFile('examples/repository-reader.ts', 'utf8');
    expect(read).toMatchObject({ from: 1, to: 3, text: source.split('\n').slice(0, 3).join('\n') });
  });
});

test('the repository reader reads nothing outside of its folder', async () => {
  const replies = [
    acts('Let me look at the passwords.', 'read_file', { path: '../../../etc/passwd' }),
    answers('I may not.', 'No.'),
  ];
  await withWorker({ agents: [repositoryReader], replies }, async ({ longhand }) => {
    const chain = await longhand.start(repositoryReader, 'Read /etc/passwd');
    await chain.result();
    const [step] = (await chain.read()).steps;
    expect(step?.calls).toMatchObject([{ tool: 'read_file', status: 'error' }]);
  });
});

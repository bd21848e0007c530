/** `longhand memory`: list, show and erase what agents remember, and `archive erase`, which erases it too. */

import { beforeEach, expect, it } from 'vitest';
import { createMemoryStore } from '../../../src/store/memory/memory-store.js';
import { longhandHere } from '../../support/command-here.js';
import { useFileStore } from '../../support/stores.js';

const stored = useFileStore();
const run = (...args: readonly string[]) => longhandHere(args, { LONGHAND_STORE: stored.where });

beforeEach(async () => {
  const memories = createMemoryStore(stored.store);
  const scope = { namespace: 'default', agent: 'assistant' };
  const write = (tenant: string, owner: string | null, key: string, user: string) =>
    memories.put(
      { ...scope, tenant, owner },
      {
        key,
        text: `about ${key}\u001b[31m`,
        ttlMs: 86_400_000,
        most: 10,
        chain: { chainId: `of-${user}`, user, startedAt: 1 },
      },
    );
  await write('acme', null, 'contact', 'ada');
  await write('acme', 'ben', 'style', 'ben');
  await write('other', null, 'contact', 'cyd');
});

it('lists the texts by tenant, agent and user, without their content', async () => {
  const all = JSON.parse((await run('memory', 'list', '--json')).stdout) as readonly Record<string, unknown>[];
  expect(all.map(({ key, tenant, owner }) => [key, tenant, owner])).toEqual([
    ['contact', 'acme', null],
    ['style', 'acme', 'ben'],
    ['contact', 'other', null],
  ]);
  expect(JSON.stringify(all)).not.toContain('about');
  expect((await run('memory', 'list', '--user', 'ada')).stdout).toMatch(/contact +assistant +acme +of-ada/);
  expect((await run('memory', 'list', '--agent', 'nobody')).stdout).toBe('No text is remembered.\n');
});

it('shows the texts of a key, without control characters', async () => {
  const { stdout } = await run('memory', 'show', 'contact', '--tenant', 'acme');
  expect(stdout).toMatch(/^contact \(assistant, acme; chain of-ada, \d{4}-\d\d-\d\d\)\n {2}about contact/);
  expect(stdout).not.toContain('\u001b');
  const missing = await run('memory', 'show', 'nothing');
  expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('"nothing"') });
});

it('erases texts after a confirmation, and none without a filter', async () => {
  expect(await run('memory', 'erase')).toMatchObject({ code: 2, stderr: expect.stringContaining('Name a key') });
  const asked = await run('memory', 'erase', 'contact', '--tenant', 'acme');
  expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining('deletes 1 text. Confirm with --yes') });
  expect(await run('memory', 'erase', 'contact', '--tenant', 'acme', '--yes')).toMatchObject({
    stdout: '1 text erased.\n',
  });
  expect(await run('memory', 'erase', 'contact', '--tenant', 'acme', '--yes')).toMatchObject({ code: 1 });
  expect(JSON.parse((await run('memory', 'list', '--json')).stdout)).toHaveLength(2);
});

it.each([
  ['--user', 'ben', ['contact', 'contact']],
  ['--tenant', 'acme', ['contact']],
])('archive erase %s %s erases the texts, too', async (flag, name, left) => {
  await run('archive', 'erase', flag, name, '--yes');
  const rows = JSON.parse((await run('memory', 'list', '--json')).stdout) as readonly { readonly key: string }[];
  expect(rows.map(({ key }) => key)).toEqual(left);
});

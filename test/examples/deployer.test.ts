/**
 * The deployer example, from its task to its push, on a real repository with a bare remote. L5: a call that needs approval
 * runs after its approval, and once.
 */

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDeployer } from '../../examples/deployer.js';
import { resolveChainSource } from '../../src/client/read/chain-source.js';
import { readRecordedChain } from '../../src/client/read/recorded-chain.js';
import type { ChainHandle, Longhand } from '../../src/entries/client.js';
import { withWorker } from '../support/chain-test.js';
import { waitForRequests } from '../support/people.js';

let scratch: string;
let repository: string;
let remote: string;

beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'longhand-deployer-'));
  repository = join(scratch, 'shop');
  remote = join(scratch, 'shop.git');
  git(scratch, 'init', '--quiet', '--bare', '--initial-branch=main', remote);
  git(scratch, 'clone', '--quiet', remote, repository);
  git(repository, 'config', 'user.name', 'Deployer');
  git(repository, 'config', 'user.email', 'deployer@example.com');
  git(repository, 'checkout', '--quiet', '-B', 'main');
  const manifest = { name: 'shop', version: '1.0.0', private: true, scripts: { test: 'node --test' } };
  writeFileSync(join(repository, 'package.json'), JSON.stringify(manifest));
  writeFileSync(join(repository, 'shop.test.js'), "require('node:test')('opens', () => {});\n");
  git(repository, 'add', '--all');
  git(repository, 'commit', '--quiet', '--message', 'Open the shop');
  git(repository, 'push', '--quiet', 'origin', 'main');
});

afterEach(() => rmSync(scratch, { recursive: true, force: true }));

const texts = {
  question: 'Is this a minor version or a patch?',
  command: 'npm version minor',
  edited: 'npm version minor --no-git-tag-version',
  commit: 'Release 1.1.0',
};

const replies = [
  { text: 'I need to know which.', calls: [{ name: 'ask_user', input: { question: texts.question } }] },
  { text: 'I raise the version.', calls: [{ name: 'shell_exec', input: { command: texts.command } }] },
  { text: 'I commit it.', calls: [{ name: 'git_commit', input: { message: texts.commit } }] },
  { text: 'I push it.', calls: [{ name: 'git_push', input: { branch: 'main' } }] },
  { text: 'They are right.', calls: [{ name: 'run_tests', input: {} }] },
  { text: 'All is well: I push it.', calls: [{ name: 'git_push', input: { branch: 'main' } }] },
  { text: '1.1.0 is released.' },
];

test('the deployer releases a version with answers, changed arguments and a denied push', async () => {
  const deployer = createDeployer(repository);
  await withWorker({ agents: [deployer], replies }, async ({ longhand, models }) => {
    const chain = await longhand.start(deployer, 'Release the next version', { user: 'tom' });

    await waitForRequests(longhand, chain.chainId, '1.1');
    expect(await chain.listRequests()).toMatchObject([{ kind: 'question', input: { question: texts.question } }]);
    await chain.answer('1.1', 'A minor one.', { by: 'tom' });

    await waitForRequests(longhand, chain.chainId, '2.1');
    const [request] = await chain.listRequests();
    expect(request).toMatchObject({
      kind: 'approval',
      tool: 'shell_exec',
      risk: 'high',
      input: { command: texts.command },
    });
    expect(version()).toBe('1.0.0');
    await chain.approve('2.1', { digest: request?.digest, input: { command: texts.edited }, by: 'ana' });

    // A commit needs no approval; a push does.
    await waitForRequests(longhand, chain.chainId, '4.1');
    expect(version()).toBe('1.1.0');
    expect(commits(repository)).toEqual([texts.commit, 'Open the shop']);
    expect(commits(remote)).toEqual(['Open the shop']);
    await chain.deny('4.1', { by: 'ana', reason: 'Run the tests first.' });

    await waitForRequests(longhand, chain.chainId, '6.1');
    expect(commits(remote)).toEqual(['Open the shop']);
    expect(await ran(longhand, chain)).not.toContain('git_push');
    await chain.approve('6.1', { by: 'ana' });

    expect(await chain.result()).toMatchObject({ outcome: 'success', answer: '1.1.0 is released.', steps: 7 });
    expect(commits(remote)).toEqual([texts.commit, 'Open the shop']);
    expect(git(remote, 'tag')).toBe('');
    expect(await ran(longhand, chain)).toEqual(['shell_exec', 'git_commit', 'run_tests', 'git_push']);

    const { steps } = await chain.read();
    expect(steps.flatMap(({ calls }) => calls)).toMatchObject([
      { tool: 'ask_user', status: 'answered', observation: 'A minor one.' },
      { tool: 'shell_exec', status: 'ok', input: { command: texts.edited }, changedFrom: { command: texts.command } },
      { tool: 'git_commit', status: 'ok', observation: { exitCode: 0 } },
      { tool: 'git_push', status: 'denied', observation: expect.stringContaining('Run the tests first.') },
      { tool: 'run_tests', status: 'ok', observation: { exitCode: 0 } },
      { tool: 'git_push', status: 'ok', observation: { exitCode: 0 } },
    ]);
    expect(JSON.stringify(models.requests[4]?.body.messages.at(-1))).toContain('Run the tests first.');
  });
});

test('a failed command is a result: the model sees its exit code', async () => {
  const deployer = createDeployer(repository);
  const script = [{ calls: [{ name: 'shell_exec', input: { command: 'echo no; exit 3' } }] }, { text: 'It failed.' }];
  await withWorker({ agents: [deployer], replies: script }, async ({ longhand }) => {
    const chain = await longhand.start(deployer, 'Try it');
    await waitForRequests(longhand, chain.chainId, '1.1');
    await chain.approve('1.1', { by: 'ana' });

    expect(await chain.result()).toMatchObject({ outcome: 'success' });
    const [step] = (await chain.read()).steps;
    expect(step?.calls).toMatchObject([{ status: 'ok', observation: { exitCode: 3, output: 'no' } }]);
  });
});

function git(directory: string, ...args: readonly string[]): string {
  return execFileSync('git', args, { cwd: directory, encoding: 'utf8', stdio: 'pipe' }).trim();
}

function commits(directory: string): readonly string[] {
  return git(directory, 'log', '--format=%s', 'main').split('\n');
}

function version(): unknown {
  return JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')).version;
}

/** Returns the tools that ran so far, from the histories of the chain's runs. */
async function ran({ client }: Longhand, { chainId }: ChainHandle): Promise<readonly string[]> {
  const { runs } = await readRecordedChain(await resolveChainSource(client, chainId));
  const histories = await Promise.all(
    runs.map(({ runId }) => client.workflow.getHandle(chainId, runId).fetchHistory()),
  );
  const scheduled = histories
    .flatMap(({ events }) => events ?? [])
    .map((event) => event.activityTaskScheduledEventAttributes?.activityType?.name ?? '');
  return scheduled.filter((name) => name !== '' && !name.startsWith('longhand.'));
}

/**
 * The plan template `debug_bug` on a real repository, by the built command, with a scripted model and real tools. The fault is
 * edited, the failed test passes, and the commit is made only after a person has approved it.
 */

import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connect, type Longhand } from '../../../src/entries/client.js';
import { createViewer } from '../../../src/entries/view.js';
import { longhandHere } from '../../support/command-here.js';
import {
  createFaultyRepository,
  type FaultyRepository,
  faultyLine,
  mendedLine,
  mendingReplies,
} from '../../support/faulty-repository.js';
import { type MessagesServer, startMessagesServer } from '../../support/messages-server.js';
import { waitForRequests } from '../../support/people.js';
import { hasPseudoTerminal, pick, runAtTerminal } from '../../support/pseudo-terminal.js';
import { getTemporalAddress } from '../../support/temporal.js';

let repository: FaultyRepository;
let models: MessagesServer;
let client: Longhand;

beforeEach(async () => {
  repository = createFaultyRepository();
  models = await startMessagesServer(mendingReplies);
  client = await connect({ address: getTemporalAddress() });
});

afterEach(async () => {
  rmSync(repository.root, { recursive: true, force: true });
  await client.close();
  await models.close();
});

const createEnv = () => ({ TEMPORAL_ADDRESS: getTemporalAddress(), LONGHAND_MODEL_URL: models.url });
const createFlags = (id: string) => ['--root', repository.root, '--id', id, '--task-queue', `test-${randomUUID()}`];
const readSource = () => readFileSync(join(repository.root, 'src/total.js'), 'utf8');
const runTests = () => spawnSync('node', ['--test'], { cwd: repository.root }).status === 0;
const listCommits = () => repository.git('log', '--format=%s').split('\n');

describe('debug_bug', () => {
  it('fixes and commits the fault after approvals of tests and writes, with one line per change in a pipe', async () => {
    const id = `coder-${randomUUID()}`;
    expect(runTests()).toBe(false);
    const running = longhandHere(
      ['plan', 'run', 'debug_bug', '--param', 'error=The total is wrong', ...createFlags(id)],
      createEnv(),
    );

    await waitForRequests(client, id, '1.2');
    await client.getHandle(id).approve('1.2', { by: 'ann', always: true });
    await waitForRequests(client, id, '3.7');
    expect(readSource()).toContain(faultyLine);
    await client.getHandle(id).approve('3.7', { by: 'ann' });
    await waitForRequests(client, id, '5.3');
    expect(readSource()).toContain(mendedLine);
    expect(listCommits()).toEqual(['The shop opens']);
    await client.getHandle(id).approve('5.3', { by: 'ann' });

    const { code, stdout, stderr } = await running;
    expect({ code, stderr }).toMatchObject({ code: 0 });
    expect(runTests()).toBe(true);
    expect(listCommits()).toEqual(['Prices are added up', 'The shop opens']);
    expect(repository.git('status', '--porcelain')).toBe('');

    expect(stdout).toMatch(/⋯ implement_fix {2}to do after propose_fix: Make the smallest change/);
    expect(stdout).toMatch(/▶ reproduce {2}started[\s\S]*✓ reproduce {2}completed \(1\/7\): total\(\[2, 3\]\) is -5/);
    expect(stdout).toMatch(/✓ commit {2}completed \(7\/7\): Committed[\s\S]*total\(\) subtracted; it adds now\./);
    expect(stdout).not.toContain('\u001b[');
    expect(stderr).toContain(`longhand approve ${id} 3.7`);

    const { plan, steps } = await client.getHandle(id).view(createViewer('developer'));
    expect(plan).toMatchObject({ source: 'template', revision: 1 });
    expect(plan?.tasks.map(({ status }) => status)).toEqual(Array(7).fill('completed'));
    const outputs = steps.flatMap((step) =>
      step.level === 'full' && step.kind === 'tool_result' && step.tool === 'run_tests' ? [step.observation] : [],
    );
    expect(outputs).toMatchObject([{ exitCode: 1 }, { exitCode: 0 }]);
    expect(models.rejected).toEqual([]);
  });

  it.skipIf(!hasPseudoTerminal())('prompts for approvals at the terminal and redraws the plan in place', async () => {
    const id = `coder-${randomUUID()}`;
    const args = ['agent', 'debug', '"The\\ total\\ is\\ wrong"', '--files', 'src/total.js', ...createFlags(id)];
    const terminal = runAtTerminal(args, createEnv());
    try {
      await terminal.type(/run_tests[\s\S]*What do you decide\?/, pick(1));
      for (const tool of ['file_edit', 'run_tests', 'git_commit']) {
        await terminal.type(new RegExp(`${tool}[\\s\\S]*Press any key`), ' ');
        await terminal.type('What do you decide?', pick(1));
      }
      const { code, text } = await terminal.end;
      expect(code).toBe(0);
      expect(text).toMatch(/░ 1\/7 tasks/);
      expect(text).toMatch(/▶ +└ implement_fix/);
      expect(text).toMatch(/→ git_commit\(/);
      expect(text).toMatch(/step 6 of at most 80 · [\d,]+ tokens/);
      expect(text).toContain('total() subtracted; it adds now.');
      expect(listCommits()[0]).toBe('Prices are added up');
      const [first] = models.requests;
      expect(JSON.stringify(first?.body.messages)).toContain('Start with: src/total.js');
    } finally {
      terminal.kill();
    }
  });
});

describe('an invalid plan command', () => {
  it.each([
    [['plan', 'run', 'debug_bug'], 'Invalid parameters for plan template debug_bug: error: '],
    [['plan', 'run', 'debug'], 'Plan template debug not found.'],
    [['plan', 'show', 'nothing'], 'Plan template nothing not found.'],
    [['plan', 'run', 'debug_bug', '--param', 'error=x', '--root', 'nowhere'], 'Folder nowhere not found.'],
    [
      ['plan', 'run', 'debug_bug', '--param', 'error=x', '--agent', 'meteorologist', '--module', 'examples/weather.ts'],
      "Agent meteorologist does not use plans: its strategy is 'react'",
    ],
    [
      ['plan', 'run', 'debug_bug', '--param', 'error=x', '--agent', 'nobody', '--module', 'examples/weather.ts'],
      'Agent nobody not found.',
    ],
    [['agent', 'debug', ' '], 'The task is empty'],
  ])('exits 2 with the invalid argument: %j', async (args, message) => {
    const { code, stderr } = await longhandHere(args, createEnv());
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });
});

it('the built-in plan templates are listed and shown', async () => {
  const listed = await longhandHere(['plan', 'list', '--json']);
  expect(JSON.parse(listed.stdout).map(({ name }: { name: string }) => name)).toEqual([
    'debug_bug',
    'implement_feature',
    'refactor_code',
    'write_tests',
  ]);
  const { code, stdout } = await longhandHere(['plan', 'show', 'refactor_code'], createEnv());
  expect(stdout).toMatch(/needs approval: git_commit/);
  expect(code).toBe(0);
});

/** The example of a plan template, on a real repository: its plan, its confirmation, its end. */

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createFixer, fixTest } from '../../examples/fix-test.js';
import { createViewer } from '../../src/entries/view.js';
import { withWorker } from '../support/chain-test.js';
import { createFaultyRepository, type FaultyRepository, faultyLine, mendedLine } from '../support/faulty-repository.js';
import { waitForRequests } from '../support/people.js';

let repository: FaultyRepository;
beforeEach(() => {
  repository = createFaultyRepository();
});
afterEach(() => rmSync(repository.root, { recursive: true, force: true }));

const complete = (id: string) => ({ name: 'complete_task', input: { id, result: `${id} is done` } });
const runTests = (...paths: string[]) => ({ name: 'run_tests', input: { paths } });
const fix = { name: 'file_edit', input: { path: 'src/total.js', old: faultyLine, new: mendedLine } };

const replies = [
  { text: 'I run it.', calls: [runTests('test/total.test.js')] },
  {
    text: 'It fails. I read the code.',
    calls: [complete('see'), { name: 'read_file', input: { path: 'src/total.js' } }],
  },
  { text: 'I fix it.', calls: [complete('read'), fix] },
  { text: 'I prove it.', calls: [complete('fix'), runTests()] },
  { text: 'Done.', calls: [complete('prove'), { name: 'finish', input: { result: 'It adds now.' } }] },
];

test('the agent makes a test pass, and only the edit needs approval, because the plan confirms it', async () => {
  const fixer = createFixer(repository.root);
  const { task, plan } = fixTest.plan({ test: 'test/total.test.js' });
  expect(task).toBe('Make test/total.test.js pass by fixing the code. Do not change the test.');
  await withWorker({ agents: [fixer], replies }, async ({ longhand }) => {
    const chain = await longhand.start(fixer, task, { plan });
    await waitForRequests(longhand, chain.chainId, '3.2');
    expect(readFileSync(join(repository.root, 'src/total.js'), 'utf8')).toContain(faultyLine);
    expect(await chain.listRequests()).toMatchObject([{ tool: 'file_edit', reason: expect.stringContaining('fix') }]);
    await chain.approve('3.2', { by: 'ann' });

    expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'It adds now.', steps: 5 });
    expect(readFileSync(join(repository.root, 'src/total.js'), 'utf8')).toContain(mendedLine);
    const { plan: seen, steps } = await chain.view(createViewer('developer'));
    expect(seen?.tasks.map(({ id, status }) => [id, status])).toEqual(
      ['see', 'read', 'fix', 'prove'].map((id) => [id, 'completed']),
    );
    const ran = steps.flatMap((step) =>
      step.level === 'full' && step.kind === 'tool_result' && step.tool === 'run_tests' ? [step.observation] : [],
    );
    expect(ran).toMatchObject([{ exitCode: 1 }, { exitCode: 0 }]);
  });
});

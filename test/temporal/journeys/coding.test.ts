/**
 * A coder lists files, and implements a feature by its plan template in a real repository. Each move of the model needs the task of the
 * plan that it works on, and the result before.
 */

import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { coder, fileTools, implementFeature } from '../../../src/entries/tools.js';
import { defineAgent } from '../../../src/index.js';
import { withWorker } from '../../support/chain-test.js';
import { createFaultyRepository, faultyLine, mendedLine } from '../../support/faulty-repository.js';
import { waitForRequests } from '../../support/people.js';
import { reacts } from '../../support/reacting-model.js';

const { root, git } = createFaultyRepository();
afterAll(() => rmSync(root, { recursive: true, force: true }));

const done = (id: string, result: string) => [
  { name: 'start_task', input: { id } },
  { name: 'complete_task', input: { id, result } },
];

it('lists the files of a folder', async () => {
  const agent = defineAgent({ name: 'lister', model: 'claude-sonnet-5-5', tools: fileTools({ root }) });
  const replies = reacts(
    {
      needs: ['list_files', 'List files in current directory'],
      until: 'package.json',
      reply: { text: 'I look.', calls: [{ name: 'list_files', input: {} }] },
    },
    { reply: (request) => ({ text: (/package\.json|src\/total\.js/.exec(request) ?? ['nothing'])[0] }) },
  );
  await withWorker({ agents: [agent], replies }, async ({ longhand }) => {
    const chain = await longhand.start(agent, 'List files in current directory');
    expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'package.json', steps: 2 });
    expect((await chain.read()).steps[0]?.calls).toMatchObject([{ tool: 'list_files', status: 'ok' }]);
  });
});

it('implements a feature: understood, designed, built, tested, documented and committed in the order of the plan', async () => {
  const agent = coder({ root, tests: 'node --test', model: 'claude-sonnet-5-5', approval: () => ({ grant: true }) });
  const edit = { name: 'file_edit', input: { path: 'src/total.js', old: faultyLine, new: mendedLine } };
  const commit = { name: 'git_commit', input: { message: 'Totals add up', paths: ['src/total.js'] } };
  const replies = reacts(
    {
      needs: [
        'List the requirements and non-requirements',
        'Find all files that the design changes',
        'Totals that add up',
      ],
      until: 'total - price',
      reply: {
        text: 'I read the code.',
        calls: [...done('understand', 'total() adds.'), { name: 'read_file', input: { path: 'src/total.js' } }],
      },
    },
    {
      needs: ['design the feature: changed parts', 'Implement the core of the design', 'Handle invalid input'],
      until: mendedLine,
      reply: {
        text: 'One line changes.',
        calls: [
          ...done('design', 'A plus.'),
          ...done('find_files', 'src/total.js'),
          { name: 'start_task', input: { id: 'implement' } },
          edit,
        ],
      },
    },
    {
      needs: ['run all tests until they pass'],
      until: '"exitCode":0',
      reply: {
        text: 'I test it.',
        calls: [
          { name: 'complete_task', input: { id: 'implement', result: 'It adds.' } },
          ...done('handle_errors', 'None can occur.'),
          { name: 'start_task', input: { id: 'write_tests' } },
          { name: 'run_tests', input: {} },
        ],
      },
    },
    {
      needs: ['Update the documentation of the feature', 'Commit the files of this feature'],
      until: 'Totals add up',
      reply: {
        text: 'They pass.',
        calls: [
          { name: 'complete_task', input: { id: 'write_tests', result: 'They pass.' } },
          ...done('document', 'The comment is right.'),
          { name: 'start_task', input: { id: 'commit' } },
          commit,
        ],
      },
    },
    {
      reply: {
        calls: [
          { name: 'complete_task', input: { id: 'commit', result: 'Committed.' } },
          { name: 'finish', input: { result: 'Totals add up.' } },
        ],
      },
    },
  );
  await withWorker({ agents: [agent], replies }, async ({ longhand }) => {
    const { task, plan } = implementFeature.plan({ feature: 'Totals that add up', files: ['src/total.js'] });
    const chain = await longhand.start(agent, task, { plan });
    // The template has the commit confirmed by a person, also where approvals allow it.
    await waitForRequests(longhand, chain.chainId, '4.5');
    await chain.approve('4.5', { by: 'ann' });
    expect(await chain.result()).toMatchObject({ outcome: 'success', answer: 'Totals add up.' });
    expect((await chain.read()).state.plan?.tasks.map(({ status }) => status)).toEqual(Array(8).fill('completed'));
  });
  expect(readFileSync(join(root, 'src/total.js'), 'utf8')).toContain(mendedLine);
  expect(git('log', '--format=%s').split('\n')[0]).toBe('Totals add up');
});

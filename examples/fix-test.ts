/**
 * Your own plan template: it makes a failing test pass without changing the test. A person approves each change of a file.
 * The tests need no approval: they run only code that a person has approved.
 *
 * FIX_REPOSITORY=~/shop npx longhand plan run fix_test --param test=test/total.test.js \
 *   --module examples/fix-test.ts --agent fixer
 */

import { coder } from '@longhand/tools';
import { definePlan } from 'longhand';
import { z } from 'zod';

export const fixTest = definePlan({
  name: 'fix_test',
  description: 'Makes a test pass by fixing the code that it tests.',
  parameters: z.object({
    test: z.string().describe('The file of the test, from the top of the repository'),
    hint: z.string().optional().describe('Where you think the bug is'),
  }),
  goal: 'Make {test} pass by fixing the code. Do not change the test.\nThe bug may be here: {hint}',
  steps: [
    { id: 'see', description: 'Run {test} and read its output.', tools: ['run_tests'] },
    { id: 'read', description: 'Read the code that {test} tests.', dependsOn: [], tools: ['read_file', 'search_text'] },
    {
      id: 'fix',
      description: 'Fix the code.',
      dependsOn: ['see', 'read'],
      tools: ['file_edit'],
      confirm: ['file_edit'],
    },
    { id: 'prove', description: 'Run all tests.', tools: ['run_tests'] },
  ],
});

/** @param repository its folder, on the machine of the worker */
export function createFixer(repository: string) {
  // Every file that the tests run was approved, or existed before.
  return coder({ name: 'fixer', root: repository, tests: 'npm test --', approval: { run_tests: { grant: true } } });
}

export const fixer = createFixer(process.env.FIX_REPOSITORY ?? '.');

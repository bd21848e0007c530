/**
 * A plan template of one's own: a test that fails is made to pass, and the test itself is left alone. A person approves each
 * change of a file, and nothing else is asked: the tests run what that person has seen.
 *
 * FIX_REPOSITORY=~/shop npx longhand plan run fix_test --param test=test/total.test.js \
 *   --module examples/fix-test.ts --agent fixer
 */

import { coder, definePlan } from 'longhand';
import { z } from 'zod';

export const fixTest = definePlan({
  name: 'fix_test',
  description: 'Makes a test pass by mending the code that it tests.',
  parameters: z.object({
    test: z.string().describe('The file of the test, from the top of the repository'),
    hint: z.string().optional().describe('Where you think the fault is'),
  }),
  goal: 'Make {test} pass by mending the code. Leave the test as it is.\nThe fault may be here: {hint}',
  steps: [
    { id: 'see', description: 'Run {test} and read what it says.', tools: ['run_tests'] },
    { id: 'read', description: 'Read the code that {test} tests.', dependsOn: [], tools: ['read_file', 'search_text'] },
    { id: 'mend', description: 'Mend it.', dependsOn: ['see', 'read'], tools: ['file_edit'], confirm: ['file_edit'] },
    { id: 'prove', description: 'Run all tests.', tools: ['run_tests'] },
  ],
});

/** @param repository its folder, on the machine of the worker */
export function fixerOf(repository: string) {
  // The tools of `coder` ask before they write or run; every file that the tests run was approved or was there before.
  return coder({ name: 'fixer', root: repository, tests: 'npm test --', approval: { run_tests: { grant: true } } });
}

export const fixer = fixerOf(process.env.FIX_REPOSITORY ?? '.');

/** The built-in workflow `debug_bug`. */

import { z } from 'zod';
import { defineWorkflow } from './define-workflow.js';
import { files } from './parameters.js';

export const debugBug = defineWorkflow({
  name: 'debug_bug',
  description: 'Finds the cause of a fault, mends it, and proves it by a test.',
  parameters: z.object({
    error: z.string().trim().min(1).describe('What goes wrong: a message, a failing test, what somebody saw'),
    files,
  }),
  goal: 'Find the cause of this fault and mend it: {error}\nLook first in: {files}',
  steps: [
    {
      id: 'reproduce',
      description: 'Make the fault happen: run the tests, or the smallest thing that shows it, and keep what it says.',
      tools: ['run_tests', 'shell_exec'],
    },
    {
      id: 'read_code',
      description: 'Read the code that the fault goes through, and the tests that are there for it.',
      // Reading needs no failing run: both may be done at once.
      dependsOn: [],
      tools: ['list_files', 'read_file', 'search_text'],
    },
    {
      id: 'find_cause',
      description: 'Name the cause: which line does what, and why it gives what was seen. Check it against the code.',
      dependsOn: ['reproduce', 'read_code'],
      tools: ['read_file', 'search_text'],
    },
    {
      id: 'propose_fix',
      description: 'Say what is to be changed, where, and what else depends on it. Change nothing yet.',
    },
    {
      id: 'implement_fix',
      description: 'Make the change, no larger than the cause asks for. If no test shows the fault, add one that does.',
      tools: ['file_edit', 'file_write'],
    },
    {
      id: 'test_fix',
      description: 'Run all tests. The fault is gone, and nothing else has broken; else mend that first.',
      tools: ['run_tests', 'shell_exec'],
    },
    {
      id: 'commit',
      description:
        'Commit the files that were changed for this, with a message that says what was wrong and why it now holds.',
      tools: ['git_status', 'git_diff', 'git_commit'],
      confirm: ['git_commit'],
    },
  ],
});

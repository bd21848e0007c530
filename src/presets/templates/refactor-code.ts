/** The built-in workflow `refactor_code`. */

import { z } from 'zod';
import { defineWorkflow } from './define-workflow.js';
import { files } from './parameters.js';

export const refactorCode = defineWorkflow({
  name: 'refactor_code',
  description: 'Makes code better without changing what it does.',
  parameters: z.object({
    target: z.string().trim().min(1).describe('What is to become better, and in which way'),
    files,
  }),
  goal: 'Make this code better, and change nothing of what it does: {target}\nIt is in: {files}',
  steps: [
    {
      id: 'analyze',
      description:
        'Read the code and all that uses it. Run the tests first: what fails now must not be laid to the change.',
      tools: ['list_files', 'read_file', 'search_text', 'run_tests', 'shell_exec'],
    },
    {
      id: 'find_chances',
      description: 'Name what makes it hard to read or to change, the worst first, with the places.',
    },
    {
      id: 'plan_changes',
      description: 'Choose what is worth it, and put it in small steps after each of which the tests still pass.',
    },
    {
      id: 'refactor',
      description: 'Make the changes step by step. What the code does, and what others call, stays as it is.',
      tools: ['file_edit', 'file_write', 'run_tests'],
    },
    {
      id: 'verify',
      description: 'Run all tests, and look through the diff: nothing in it changes what the code does.',
      tools: ['run_tests', 'shell_exec', 'git_diff'],
    },
    {
      id: 'commit',
      description: 'Commit the files that were changed for this, with a message that says what is better now.',
      tools: ['git_status', 'git_commit'],
      confirm: ['git_commit'],
    },
  ],
});

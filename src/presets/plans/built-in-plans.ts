/** The built-in plan templates: `debug_bug`, `implement_feature` and `refactor_code`. */

import { z } from 'zod';
import { definePlan, type PlanDefinition } from './define-plan.js';

const files = z.array(z.string().min(1)).min(1).optional().describe('Files to begin with');

export const debugBug = definePlan({
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

export const implementFeature = definePlan({
  name: 'implement_feature',
  description: 'Designs a feature and builds it, with tests and documentation.',
  parameters: z.object({
    feature: z.string().trim().min(1).describe('What is wanted, as a user of it would say it'),
    files,
  }),
  goal: 'Build this: {feature}\nIt most likely belongs into: {files}',
  steps: [
    {
      id: 'understand',
      description:
        'Say what is wanted and what is not, in a few points. Ask the user where it matters and nothing tells.',
      tools: ['search_text', 'read_file', 'ask_user'],
    },
    {
      id: 'find_files',
      description: 'Find the files that it touches, and how the code beside them is written.',
      dependsOn: [],
      tools: ['list_files', 'search_text', 'read_file'],
    },
    {
      id: 'design',
      description: 'Design it: which parts change, which are new, and how they meet what is there. Change nothing yet.',
      dependsOn: ['understand', 'find_files'],
    },
    { id: 'implement', description: 'Build the core of it, as the design says.', tools: ['file_write', 'file_edit'] },
    {
      id: 'handle_errors',
      description: 'See to what can go wrong: wrong input, what is missing, what fails. Errors say what to do.',
      tools: ['file_edit'],
    },
    {
      id: 'write_tests',
      description: 'Write tests for what was asked for and for what can go wrong, and run all tests until they pass.',
      tools: ['file_write', 'file_edit', 'run_tests', 'shell_exec'],
    },
    {
      id: 'document',
      description: 'Bring the documentation up to date where the feature shows, in its own style.',
      dependsOn: ['handle_errors'],
      tools: ['search_text', 'file_edit'],
    },
    {
      id: 'commit',
      description: 'Commit the files of this feature, with a message that says what can now be done and why.',
      dependsOn: ['write_tests', 'document'],
      tools: ['git_status', 'git_diff', 'git_commit'],
      confirm: ['git_commit'],
    },
  ],
});

export const refactorCode = definePlan({
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

export const builtInPlans: readonly PlanDefinition[] = [debugBug, implementFeature, refactorCode];

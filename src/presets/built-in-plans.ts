/** The built-in plan templates: `debug_bug`, `implement_feature`, `refactor_code` and `write_tests`. */

import { z } from 'zod';
import { definePlan, type PlanDefinition } from '../plans/index.js';

const files = z.array(z.string().min(1)).min(1).optional().describe('Files to start with');

export const debugBug = definePlan({
  name: 'debug_bug',
  description: 'Finds the cause of a bug, fixes it, and proves the fix with a test.',
  parameters: z.object({
    error: z.string().trim().min(1).describe('The bug: an error message, a failing test, or the observed behaviour'),
    files,
  }),
  goal: 'Find the cause of this bug and fix it: {error}\nStart with: {files}',
  steps: [
    {
      id: 'reproduce',
      description: 'Reproduce the bug: run the tests or the smallest command that shows it, and record its output.',
      tools: ['run_tests', 'shell_exec'],
    },
    {
      id: 'read_code',
      description: 'Read the code on the path of the bug, and its tests.',
      // Does not depend on `reproduce`: both can be done at the same time.
      dependsOn: [],
      tools: ['list_files', 'read_file', 'search_text'],
    },
    {
      id: 'find_cause',
      description: 'Name the cause: which line is wrong, and why it leads to the bug. Check it against the code.',
      dependsOn: ['reproduce', 'read_code'],
      tools: ['read_file', 'search_text'],
    },
    {
      id: 'propose_fix',
      description: 'Describe the change, its place, and the code that depends on it. Change nothing yet.',
    },
    {
      id: 'implement_fix',
      description: 'Make the smallest change that fixes the cause. If no test shows the bug, add one.',
      tools: ['file_edit', 'file_write'],
    },
    {
      id: 'test_fix',
      description: 'Run all tests. The bug is fixed and nothing else is broken. Otherwise fix that first.',
      tools: ['run_tests', 'shell_exec'],
    },
    {
      id: 'commit',
      description: 'Commit the files changed for this, with a message that describes the bug and the fix.',
      tools: ['git_status', 'git_diff', 'git_commit'],
      confirm: ['git_commit'],
    },
  ],
});

export const implementFeature = definePlan({
  name: 'implement_feature',
  description: 'Designs a feature and builds it, with tests and documentation.',
  parameters: z.object({
    feature: z.string().trim().min(1).describe('The feature, as its user would describe it'),
    files,
  }),
  goal: 'Implement this feature: {feature}\nIt probably belongs in: {files}',
  steps: [
    {
      id: 'understand',
      description:
        'List the requirements and non-requirements in a few points. Ask the user about important points that are unclear.',
      tools: ['search_text', 'read_file', 'ask_user'],
    },
    {
      id: 'design',
      description:
        'Read the existing code, and design the feature: changed parts, new parts, and how they fit. Change nothing yet.',
      tools: ['list_files', 'search_text', 'read_file'],
    },
    {
      id: 'find_files',
      description: 'Find all files that the design changes, the code that depends on them, and the style of both.',
      tools: ['list_files', 'search_text', 'read_file'],
    },
    { id: 'implement', description: 'Implement the core of the design.', tools: ['file_write', 'file_edit'] },
    {
      id: 'handle_errors',
      description: 'Handle invalid input, missing data and failures. Error messages state the fix.',
      tools: ['file_edit'],
    },
    {
      id: 'write_tests',
      description: 'Write tests for the requirements and for the errors, and run all tests until they pass.',
      tools: ['file_write', 'file_edit', 'run_tests', 'shell_exec'],
    },
    {
      id: 'document',
      description: 'Update the documentation of the feature, in the existing style.',
      dependsOn: ['handle_errors'],
      tools: ['search_text', 'file_edit'],
    },
    {
      id: 'commit',
      description: 'Commit the files of this feature, with a message that describes the feature and its reason.',
      dependsOn: ['write_tests', 'document'],
      tools: ['git_status', 'git_diff', 'git_commit'],
      confirm: ['git_commit'],
    },
  ],
});

export const refactorCode = definePlan({
  name: 'refactor_code',
  description: 'Improves code without changing its behaviour.',
  parameters: z.object({
    target: z.string().trim().min(1).describe('The code to improve, and how'),
    files,
  }),
  goal: 'Improve this code without changing its behaviour: {target}\nIt is in: {files}',
  steps: [
    {
      id: 'analyze',
      description:
        'Read the code and its callers. Run the tests first, so that you know which ones fail before the change.',
      tools: ['list_files', 'read_file', 'search_text', 'run_tests', 'shell_exec'],
    },
    {
      id: 'find_chances',
      description: 'List what makes the code hard to read or to change, with the places, the worst first.',
    },
    {
      id: 'plan_changes',
      description: 'Choose the improvements that are worth it, in small steps that each keep the tests passing.',
    },
    {
      id: 'refactor',
      description: 'Make the changes step by step. Keep the behaviour and the public interfaces.',
      tools: ['file_edit', 'file_write', 'run_tests'],
    },
    {
      id: 'verify',
      description: 'Run all tests and review the diff: it must not change the behaviour.',
      tools: ['run_tests', 'shell_exec', 'git_diff'],
    },
    {
      id: 'commit',
      description: 'Commit the files changed for this, with a message that describes the improvement.',
      tools: ['git_status', 'git_commit'],
      confirm: ['git_commit'],
    },
  ],
});

export const writeTests = definePlan({
  name: 'write_tests',
  description: 'Tests code that has too few tests, and reports the bugs that they find.',
  parameters: z.object({
    target: z.string().trim().min(1).describe('The code to test'),
    files,
  }),
  goal: 'Write tests for this code: {target}\nIt is in: {files}',
  steps: [
    {
      id: 'read_code',
      description:
        'Read the code and its tests. Run the tests first, so that you know which ones fail before the change.',
      tools: ['list_files', 'read_file', 'search_text', 'run_tests', 'shell_exec'],
    },
    {
      id: 'find_gaps',
      description: 'List the behaviour that no test checks, with edge cases and errors, the most important first.',
    },
    {
      id: 'write_tests',
      description: 'Write tests of the behaviour, in the style of the existing ones. Do not change the tested code.',
      tools: ['file_write', 'file_edit', 'run_tests'],
    },
    {
      id: 'verify',
      description:
        'Run all tests. A test that fails because of a bug remains, marked as such, with the bug in the result.',
      tools: ['run_tests', 'shell_exec', 'git_diff'],
    },
    {
      id: 'commit',
      description: 'Commit the new tests, with a message that names what they check.',
      tools: ['git_status', 'git_commit'],
      confirm: ['git_commit'],
    },
  ],
});

export const builtInPlans: readonly PlanDefinition[] = [debugBug, implementFeature, refactorCode, writeTests];

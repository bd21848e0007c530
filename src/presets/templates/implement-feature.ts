/** The built-in workflow `implement_feature`. */

import { z } from 'zod';
import { defineWorkflow } from './define-workflow.js';
import { files } from './parameters.js';

export const implementFeature = defineWorkflow({
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

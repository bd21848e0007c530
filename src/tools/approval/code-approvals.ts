/** Approvals for the tools of agents that work on code, by the names that such tools usually have. */

import type { ApprovalOptions } from './approval.js';

/**
 * Presets: calls of `git_push`, `git_commit`, `file_write`, `file_edit`, `run_tests` and `shell_exec` need approval.
 *
 * A program reads its code and its settings from files, so an agent that writes files unapproved decides what runs.
 *
 * @example
 * defineAgent({ name: 'deployer', approval: codeApprovals, … })
 * defineTool({ name: 'git_push', approval: codeApprovals.git_push, … })
 * runWorker({ agents, approvals: { platform: { ...codeApprovals, deploy: { roles: ['release-manager'] } } } })
 */
export const codeApprovals = {
  git_push: { reason: 'Pushes to a remote, where others see it and build on it.', risk: 'high' },
  git_commit: { reason: 'Creates a commit.', risk: 'medium' },
  file_write: { reason: 'Writes files.', risk: 'medium' },
  file_edit: { reason: 'Changes a file.', risk: 'medium' },
  run_tests: { reason: 'Runs code and settings that the agent may have written.', risk: 'medium' },
  shell_exec: { reason: 'Runs a command with the rights of the worker.', risk: 'high' },
} as const satisfies { readonly [tool: string]: ApprovalOptions };

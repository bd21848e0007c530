/** Approvals for the tools of agents that work on code, by the names that such tools usually have. */

import type { ApprovalOptions } from './approval.js';

/**
 * Presets: calls of `git_push`, `git_commit`, `file_write`, `file_edit` and `shell_exec` need approval.
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
  shell_exec: { reason: 'Runs a command with the rights of the worker.', risk: 'high' },
} as const satisfies { readonly [tool: string]: ApprovalOptions };

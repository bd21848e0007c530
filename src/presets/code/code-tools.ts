/**
 * The built-in tools for work on code: write and edit files, run commands and tests, use Git. `fileTools` are for reading.
 *
 * File tools reach only the root. Commands start there but have the rights of the worker, and may run code and settings that
 * the model wrote. So each tool that writes or runs needs approval by default.
 */

import { check } from '../../core/lib/index.js';
import { type FileToolsOptions, restrictTools, toRoot } from '../../tools/builtin/index.js';
import type { Tool } from '../../tools/define/index.js';
import type { CommandVariables } from '../../tools/process/index.js';
import { gitCommit } from './git/git-commit.js';
import { gitPush } from './git/git-push.js';
import { gitDiff, gitStatus } from './git/git-status.js';
import { runTests, shellExec } from './shell-tools.js';
import { fileEdit, fileWrite } from './write-tools.js';

export interface CodeToolsOptions extends FileToolsOptions {
  /** Shell command that runs the tests and accepts test files at its end: `npm test --`. Adds the tool `run_tests`. */
  readonly tests?: string;
  /** Variables for commands, in addition to the worker's usual ones. */
  readonly env?: CommandVariables;
  /** Names of additional variables of the worker for commands, such as `KUBECONFIG`. Every command can read them. */
  readonly passEnv?: readonly string[];
  /** Names of Git filters that may run, such as `lfs`. Default none: status and diff then run no program. */
  readonly gitFilters?: readonly string[];
}

const checkOptions = check.members<CodeToolsOptions>({
  root: check.text,
  ...check.elsewhere('ignore', 'roles'),
  tests: check.nonEmptyText,
  env: check.define(check.record(check.text).is, "must be an object of texts, for example { CI: '1' }"),
  passEnv: check.list(check.nonEmptyText),
  gitFilters: check.list(check.nonEmptyText),
});

/**
 * Creates the tools `file_write`, `file_edit`, `shell_exec`, `git_status`, `git_diff`, `git_commit` and `git_push` for one
 * folder, and `run_tests` if `tests` is set.
 *
 * @throws {LonghandError} `invalid_options`
 * @example
 * const root = '.';
 * defineAgent({
 *   name: 'fixer',
 *   tools: [...fileTools({ root }), ...codeTools({ root, tests: 'npm test --' })],
 *   approval: codeApprovals,
 *   …
 * })
 */
export function codeTools(options: CodeToolsOptions): readonly Tool[] {
  check.assertNoProblem(checkOptions(options, ''), 'codeTools');
  const root = toRoot('codeTools', options);
  // Git owns this folder and runs some of its files.
  const context = {
    root: { ...root, ignored: new Set([...root.ignored, '.git']) },
    env: options.env ?? {},
    passEnv: options.passEnv ?? [],
    gitFilters: options.gitFilters ?? [],
  };
  const tools = [
    fileWrite(context.root),
    fileEdit(context.root),
    ...(options.tests === undefined ? [] : [runTests(context, options.tests)]),
    shellExec(context),
    gitStatus(context),
    gitDiff(context),
    gitCommit(context),
    gitPush(context),
  ];
  return restrictTools('codeTools', tools, options);
}

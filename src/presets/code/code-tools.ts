/**
 * The built-in tools that let an agent work on code: write and edit files, run commands and tests, use Git. They stand
 * beside `fileTools`, with which it reads.
 *
 * Files are reached below the root alone. Commands begin there, and have the rights of the worker; they run what the model
 * has written, and read settings that it has written. So each tool that writes or runs needs approval by default.
 */

import { checkList, checkMembers, checkNonEmptyText, checkText } from '../../core/lib/check-value.js';
import { isObject } from '../../core/lib/json.js';
import { type FileToolsOptions, toRoot } from '../../tools/builtin/files.js';
import type { Tool } from '../../tools/define/define-tool.js';
import type { Variables } from './command-environment.js';
import { gitCommit } from './git/git-commit.js';
import { gitPush } from './git/git-push.js';
import { gitDiff, gitStatus } from './git/git-status.js';
import { runTests, shellExec } from './shell-tools.js';
import { fileEdit, fileWrite } from './write-tools.js';

export interface CodeToolsOptions extends FileToolsOptions {
  /**
   * The command that runs the tests, a line of shell that test files can be named behind: `npm test --`. With it there is
   * the tool `run_tests`.
   */
  readonly tests?: string;
  /** Variables for commands, besides the usual ones of the worker's. */
  readonly env?: Variables;
  /** Names of further variables of the worker that commands get, such as `KUBECONFIG`. Each command can read them. */
  readonly passEnv?: readonly string[];
  /** Names of filters of Git's settings that may run, such as `lfs`. Default none: status and diff then run no program. */
  readonly gitFilters?: readonly string[];
}

const optionsCheck = checkMembers<CodeToolsOptions>({
  root: checkText,
  ignore: () => null,
  tests: checkNonEmptyText,
  env: (value, at) =>
    isObject(value) && Object.values(value).every((each) => typeof each === 'string')
      ? null
      : `${at} must be an object of texts, { CI: '1' }`,
  passEnv: checkList(checkNonEmptyText),
  gitFilters: checkList(checkNonEmptyText),
});

/**
 * The tools `file_write`, `file_edit`, `shell_exec`, `git_status`, `git_diff`, `git_commit` and `git_push` over one folder;
 * and `run_tests`, where it is said how.
 *
 * @throws {TypeError} saying what to write instead
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
  const wrong = optionsCheck(options, '');
  if (wrong !== null) throw new TypeError(`codeTools: ${wrong}.`);
  const root = toRoot('codeTools', options);
  // What is in there is Git's, and some of it is run.
  const workshop = {
    root: { ...root, ignored: new Set([...root.ignored, '.git']) },
    env: options.env ?? {},
    passEnv: options.passEnv ?? [],
    gitFilters: options.gitFilters ?? [],
  };
  return [
    fileWrite(workshop.root),
    fileEdit(workshop.root),
    ...(options.tests === undefined ? [] : [runTests(workshop, options.tests)]),
    shellExec(workshop),
    gitStatus(workshop),
    gitDiff(workshop),
    gitCommit(workshop),
    gitPush(workshop),
  ];
}

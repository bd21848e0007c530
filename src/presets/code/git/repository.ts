/**
 * Opens the repository of the root, for each tool call, and finds its settings, hooks and paths.
 *
 * The person who set up the repository is trusted; the model is not, and it can write every file of the tree. So files of
 * the tree are never used as a repository or as settings, and settings that run a program of the tree are found here.
 */

import { lstat, readdir } from 'node:fs/promises';
import { delimiter, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { findPlace, type Root } from '../../../tools/builtin/index.js';
import { ToolError } from '../../../tools/define/index.js';
import { type CommandVariables, NotStarted } from '../../../tools/process/index.js';
import { type CommandContext, openCommandContext } from '../command-context.js';
import { type Git, type GitResult, readGit, runGit } from './run-git.js';
import {
  disableFilter,
  findFilter,
  findInclude,
  type GitSettingEntry,
  namesProgram,
  parseGitSettings,
} from './settings.js';
import { isInTree, resolveSettingPath, runsFromTree } from './work-tree.js';

export interface Repository {
  readonly git: Git;
  /** The real path of the root. */
  readonly top: string;
  /** Configured filters that may not run. */
  readonly filters: readonly string[];
  /** Names of settings that would run a program of the tree during a commit or a push. */
  readonly programs: readonly string[];
}

/** @throws {ToolError} without a repository or Git, or with settings that the model could write */
export async function openRepository(context: CommandContext, signal: AbortSignal): Promise<Repository> {
  const { cwd: top, env: all, masker } = await openCommandContext(context);
  const env = { ...all, ...(await excludeTreePrograms(top, all)), ...(await excludeTreeSettings(top, all)) };
  if (!(await pathExists(join(top, '.git')))) throw createNotTopError();
  const bare = { cwd: top, env, masker, signal, gitDir: null, settings: [] };
  const gitDir = await findGitDir(top, (args) => runGit(bare, args));
  const gitSettings = await readSettings(top, env.HOME, (args) => runGit({ ...bare, gitDir }, args));
  const filterNames = new Set(gitSettings.flatMap((setting) => findFilter(setting) ?? []));
  const filters = [...filterNames].filter((name) => !context.gitFilters.includes(name));
  const settings = filters.flatMap(disableFilter);
  return {
    git: (args, more) => runGit({ ...bare, gitDir, settings }, args, more),
    top,
    filters,
    programs: await listTreePrograms(top, env.HOME, gitSettings, filters),
  };
}

async function findGitDir(top: string, git: (args: readonly string[]) => Promise<GitResult>): Promise<string> {
  const args = ['rev-parse', '--absolute-git-dir', '--git-common-dir', '--show-toplevel'];
  const { code, output, errorOutput } = await git(args).catch((cause: unknown) => {
    if (!(cause instanceof NotStarted)) throw cause;
    throw new ToolError(`${cause.message}. Continue without Git.`, { cause });
  });
  if (code !== 0)
    throw /not a git repository/i.test(errorOutput) ? createNotTopError() : createUnusableError(errorOutput);
  const [gitDir = '', common = '', worktree] = output.split('\n');
  if (worktree !== top) throw createNotTopError();
  for (const folder of [gitDir, resolve(top, common)])
    if (await isInTree(top, folder)) throw createUnusableError('you can write its repository');
  return gitDir;
}

async function readSettings(
  top: string,
  home: string | undefined,
  git: (args: readonly string[]) => Promise<GitResult>,
): Promise<readonly GitSettingEntry[]> {
  const { code, output, errorOutput } = await git(['config', '--list', '-z', '--show-origin']);
  if (code !== 0) throw createUnusableError(errorOutput);
  const gitSettings = parseGitSettings(output);
  for (const setting of gitSettings) {
    if (setting.file === null) continue;
    const file = resolve(top, setting.file);
    const included = findInclude(setting);
    const files = included === null ? [file] : [file, resolveSettingPath(resolve(file, '..'), included, home)];
    for (const path of files)
      if (await isInTree(top, path)) throw createUnusableError('its settings include a file that you can write');
  }
  return gitSettings;
}

/** Lists settings that run a program of the tree. A permitted filter that does so is an error. */
async function listTreePrograms(
  top: string,
  home: string | undefined,
  gitSettings: readonly GitSettingEntry[],
  off: readonly string[],
): Promise<readonly string[]> {
  const names: string[] = [];
  for (const setting of gitSettings) {
    const filter = findFilter(setting);
    const runs = filter === null ? namesProgram(setting) : !off.includes(filter);
    if (!runs || !(await runsFromTree(top, setting.value, home))) continue;
    if (filter !== null) throw createUnusableError(`its filter ${filter} runs a file that you can write`);
    names.push(setting.name);
  }
  return names;
}

/** Removes folders of the tree from PATH, so that Git and its programs come from outside. */
async function excludeTreePrograms(top: string, { PATH = '' }: CommandVariables): Promise<CommandVariables> {
  const folders: string[] = [];
  for (const folder of PATH.split(delimiter))
    if (isAbsolute(folder) && !(await isInTree(top, folder))) folders.push(folder);
  return { PATH: folders.join(delimiter) };
}

/** Ignores the user's settings if their file is in the tree. */
async function excludeTreeSettings(top: string, env: CommandVariables): Promise<CommandVariables> {
  const { HOME = '', XDG_CONFIG_HOME = join(HOME, '.config'), GIT_CONFIG_GLOBAL } = env;
  const files = GIT_CONFIG_GLOBAL
    ? [GIT_CONFIG_GLOBAL]
    : [join(HOME, '.gitconfig'), join(XDG_CONFIG_HOME, 'git/config')];
  for (const file of files) if (await isInTree(top, resolve(top, file))) return { GIT_CONFIG_GLOBAL: '/dev/null' };
  return {};
}

const pathExists = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  );

const createNotTopError = () =>
  new ToolError('The top folder is not the top of a Git repository. Continue without Git.');
const createUnusableError = (why: string) => new ToolError(`Git cannot be used here: ${why}. Continue without Git.`);

/** Returns a hook, or the folder of hooks, in the tree, relative to the root; else null. The model could have written it. */
export async function findHooksInTree({ git, top }: Repository): Promise<string | null> {
  const folder = resolve(top, (await readGit(git, ['rev-parse', '--git-path', 'hooks'], { starts: 'hooks' })).trim());
  if (await isInTree(top, folder)) return relative(top, folder) || '.';
  // A folder that does not exist has no hooks.
  for (const name of await readdir(folder).catch(() => [])) {
    const hook = join(folder, name);
    if (await isInTree(top, hook)) return relative(top, hook);
  }
  return null;
}

/**
 * Returns a path relative to the root, with `/`, also for a deleted file.
 *
 * @throws {ToolError} for a path that is outside of the root or ignored
 */
export async function findInRepository(root: Root, path: string): Promise<string> {
  const place = await findPlace(root, path);
  if (place !== null) return place.shown;
  // It may have been deleted. `findPlace` has checked that the path is inside.
  const top = (await findPlace(root, '.'))?.real ?? root.path;
  return relative(top, resolve(top, path)).split(sep).join('/');
}

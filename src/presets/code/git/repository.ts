/**
 * Finds the repository of the root, once for each call of a tool, and reads its settings, its hooks and paths in it.
 *
 * The person who set up the repository is trusted, and the model is not: it can write every file of the tree. So nothing of
 * the tree is taken for a repository or for settings, and what the settings run there is found here.
 */

import { lstat, readdir } from 'node:fs/promises';
import { delimiter, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { findPlace, type Root } from '../../../tools/builtin/files/root.js';
import { ToolError } from '../../../tools/define/errors.js';
import { type CommandContext, openCommandContext } from '../command-context.js';
import {
  disableFilter,
  findFilter,
  findInclude,
  type GitSettingEntry,
  namesProgram,
  parseGitSettings,
  type Variables,
} from '../command-environment.js';
import { NotStarted } from '../run-command.js';
import { type Git, type GitResult, readGit, runGit } from './run-git.js';
import { isInTree, resolveSettingPath, runsFromTree } from './work-tree.js';

export interface Repository {
  readonly git: Git;
  /** The root, without links. */
  readonly top: string;
  /** Filters that the settings have, and that are not run. */
  readonly filters: readonly string[];
  /** Names of settings that would run a program of the tree at a commit or a push. */
  readonly programs: readonly string[];
}

/** @throws {ToolError} when there is none, no Git, or settings that the model could write */
export async function openRepository(workshop: CommandContext, signal: AbortSignal): Promise<Repository> {
  const { cwd: top, env: all, hider } = await openCommandContext(workshop);
  const env = { ...all, ...(await excludeTreePrograms(top, all)), ...(await excludeTreeSettings(top, all)) };
  if (!(await pathExists(join(top, '.git')))) throw createNotTopError();
  const bare = { cwd: top, env, hider, signal, gitDir: null, settings: [] };
  const gitDir = await findGitDir(top, (args) => runGit(bare, args));
  const found = await readSettings(top, env.HOME, (args) => runGit({ ...bare, gitDir }, args));
  const named = new Set(found.flatMap((setting) => findFilter(setting) ?? []));
  const filters = [...named].filter((name) => !workshop.gitFilters.includes(name));
  const settings = filters.flatMap(disableFilter);
  return {
    git: (args, more) => runGit({ ...bare, gitDir, settings }, args, more),
    top,
    filters,
    programs: await listTreePrograms(top, env.HOME, found, filters),
  };
}

async function findGitDir(top: string, git: (args: readonly string[]) => Promise<GitResult>): Promise<string> {
  const asked = ['rev-parse', '--absolute-git-dir', '--git-common-dir', '--show-toplevel'];
  const { code, output, errorOutput } = await git(asked).catch((cause: unknown) => {
    if (!(cause instanceof NotStarted)) throw cause;
    throw new ToolError(`${cause.message}. Go on without it.`, { cause });
  });
  if (code !== 0)
    throw /not a git repository/i.test(errorOutput) ? createNotTopError() : createUnusableError(errorOutput);
  const [gitDir = '', common = '', worktree] = output.split('\n');
  if (worktree !== top) throw createNotTopError();
  for (const folder of [gitDir, resolve(top, common)])
    if (await isInTree(top, folder))
      throw createUnusableError('its repository lies among the files that you can write');
  return gitDir;
}

async function readSettings(
  top: string,
  home: string | undefined,
  git: (args: readonly string[]) => Promise<GitResult>,
): Promise<readonly GitSettingEntry[]> {
  const { code, output, errorOutput } = await git(['config', '--list', '-z', '--show-origin']);
  if (code !== 0) throw createUnusableError(errorOutput);
  const found = parseGitSettings(output);
  for (const setting of found) {
    if (setting.file === null) continue;
    const file = resolve(top, setting.file);
    const included = findInclude(setting);
    const files = included === null ? [file] : [file, resolveSettingPath(resolve(file, '..'), included, home)];
    for (const each of files)
      if (await isInTree(top, each)) throw createUnusableError('its settings include a file that you can write');
  }
  return found;
}

/** A filter that may run must not lie in the tree either. */
async function listTreePrograms(
  top: string,
  home: string | undefined,
  found: readonly GitSettingEntry[],
  off: readonly string[],
): Promise<readonly string[]> {
  const names: string[] = [];
  for (const setting of found) {
    const filter = findFilter(setting);
    const runs = filter === null ? namesProgram(setting) : !off.includes(filter);
    if (!runs || !(await runsFromTree(top, setting.value, home))) continue;
    if (filter !== null) throw createUnusableError(`its filter ${filter} runs a file that you can write`);
    names.push(setting.name);
  }
  return names;
}

/** Git, and all that it starts, comes from outside of the tree. */
async function excludeTreePrograms(top: string, { PATH = '' }: Variables): Promise<Variables> {
  const folders: string[] = [];
  for (const folder of PATH.split(delimiter))
    if (isAbsolute(folder) && !(await isInTree(top, folder))) folders.push(folder);
  return { PATH: folders.join(delimiter) };
}

/** The user's settings are left out where the user's home is the tree, or lies in it. */
async function excludeTreeSettings(top: string, env: Variables): Promise<Variables> {
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

const createNotTopError = () => new ToolError('The top folder is not the top of a Git repository. Go on without Git.');
const createUnusableError = (why: string) => new ToolError(`Git cannot be used here: ${why}. Go on without it.`);

/** The model could have written a hook of the tree, so it is not run. Returns a hook, or the folder of all hooks, from the root; null where none lies in the tree. */
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

/** A path as Git is given it, also of a file that was deleted: from the root, with `/`. @throws {ToolError} for what lies outside of it, or is left out */
export async function findInRepository(root: Root, path: string): Promise<string> {
  const place = await findPlace(root, path);
  if (place !== null) return place.shown;
  // It may have been deleted: `find` has looked that it would be inside.
  const top = (await findPlace(root, '.'))?.real ?? root.path;
  return relative(top, resolve(top, path)).split(sep).join('/');
}

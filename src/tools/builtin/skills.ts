/**
 * Skills as tools: folders with SKILL.md, in the open format of Agent Skills.
 *
 * The model sees the name and the description of a skill. Its instructions are read when it is called, its other files when they are
 * requested, and each of these is a call of its own in the chain.
 */

import { lstatSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { check, findNearest, LonghandError, toErrorMessage } from '../../core/lib/index.js';
import { checkDuration, type Duration } from '../../options/index.js';
import { type Approval, checkToolRoles, type Tool } from '../define/index.js';
import type { CommandVariables } from '../process/index.js';
import { foldName, type Root } from './files/root.js';
import { parseSkill, type Skill } from './skills/front-matter.js';
import { defineSkillReader, instructionsFile, maxInstructionsBytes } from './skills/read-skill.js';
import { defineSkillRunner, type SkillScript, scriptsFolder } from './skills/run-script.js';

export type { SkillScript } from './skills/run-script.js';

export interface SkillToolsOptions {
  /** A skill's folder, which has a SKILL.md, or a folder of such folders. It has to exist where the definition is imported. */
  readonly folder: string;
  /** Only these skills. Default: all. */
  readonly only?: readonly string[];
  /** Whether scripts may be run, with a tool of its own for each skill that has some. Default true. */
  readonly scripts?: boolean;
  /** Whether a run of a script needs a person's approval. Default: each does. */
  readonly approval?: Approval<SkillScript>;
  /** The time limit of a script: milliseconds or `'90s'`. Default two minutes. */
  readonly timeout?: Duration;
  /** The folder in which scripts run. Default: that of the skill. */
  readonly cwd?: string;
  /** Variables for scripts, in addition to the worker's usual ones. */
  readonly env?: CommandVariables;
  /** Names of additional variables of the worker for scripts. */
  readonly passEnv?: readonly string[];
  /** Roles that may have the tools called. Default: all chains. */
  readonly roles?: readonly string[];
}

const checkOptions = check.members<SkillToolsOptions>({
  folder: check.nonEmptyText,
  only: check.list(check.nonEmptyText),
  scripts: check.boolean,
  approval: check.anything,
  timeout: checkDuration,
  cwd: check.nonEmptyText,
  env: check.define(check.record(check.text).is, "must be an object of texts, for example { CI: '1' }"),
  passEnv: check.list(check.nonEmptyText),
  roles: checkToolRoles,
});

/**
 * Makes tools of skills: for each a tool with its name, which reads its instructions and files, and if it has scripts, another one
 * whose name ends in `_run`, which is unsafe.
 *
 * `allowed-tools` of a skill changes nothing: an agent has the tools and approvals of its definition.
 *
 * @throws {LonghandError} `invalid_options` for a folder without a valid skill; `invalid_tool`
 * @example
 * defineAgent({ name: 'clerk', tools: [...skillTools({ folder: 'skills' }), ...fileTools({ root: '.' })], … })
 */
export function skillTools(options: SkillToolsOptions): readonly Tool[] {
  const invalid = (problem: string) => new LonghandError('invalid_options', `skillTools: ${problem}.`);
  check.assertNoProblem(checkOptions({ ...options, folder: options?.folder ?? '' }, ''), 'skillTools');
  const top = resolve(options.folder);
  const folders = hasInstructions(top) ? [top] : listFolders(top, invalid).filter(hasInstructions);
  if (folders.length === 0)
    throw invalid(
      `${options.folder} has no ${instructionsFile}, nor has a folder in it: a skill is a folder with ${instructionsFile}`,
    );
  const names = folders.map((folder) => basename(folder));
  for (const name of options.only ?? []) {
    if (names.includes(name)) continue;
    const near = findNearest(name, names);
    throw invalid(
      `skill ${JSON.stringify(name)} not found; ${near === null ? `it has ${names.join(', ')}` : `you may mean ${near}`}`,
    );
  }
  return folders
    .filter((folder) => options.only === undefined || options.only.includes(basename(folder)))
    .flatMap((folder) => toTools(folder, readSkill(folder, invalid), options));
}

function hasInstructions(folder: string): boolean {
  return lstatSync(join(folder, instructionsFile), { throwIfNoEntry: false }) !== undefined;
}

type Invalid = (problem: string) => LonghandError;

function listFolders(top: string, invalid: Invalid): readonly string[] {
  try {
    const entries = readdirSync(top, { withFileTypes: true });
    return entries
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(top, name))
      .sort();
  } catch (error) {
    throw invalid(`the folder ${top} cannot be read: ${toErrorMessage(error)}`);
  }
}

function readSkill(folder: string, invalid: Invalid): Skill {
  const path = join(folder, instructionsFile);
  const stats = lstatSync(path);
  if (!stats.isFile()) throw invalid(`${path} must be a file, not a link or a folder`);
  if (stats.size > maxInstructionsBytes)
    throw invalid(
      `${path} has ${stats.size} bytes; the limit is ${maxInstructionsBytes}. Move parts into files beside it`,
    );
  const parsed = parseSkill(readFileSync(path, 'utf8'), basename(folder));
  if (!parsed.ok) throw invalid(`${path}: ${parsed.problem}`);
  return parsed.skill;
}

function toTools(folder: string, skill: Skill, options: SkillToolsOptions): readonly Tool[] {
  const root: Root = { path: folder, ignored: new Set(['.git', 'node_modules'].map(foldName)) };
  const hasScripts =
    options.scripts !== false &&
    lstatSync(join(folder, scriptsFolder), { throwIfNoEntry: false })?.isDirectory() === true;
  const reader = defineSkillReader({ root, skill, hasScripts, roles: options.roles });
  return hasScripts ? [reader, defineSkillRunner(root, skill.name, options)] : [reader];
}

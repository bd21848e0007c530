/** Git's settings, which variables of the environment can override. */

import type { CommandVariables } from '../../../tools/process/index.js';

/** A name and a value, as in `git -c name=value`. */
export type GitSetting = readonly [name: string, value: string];

/** Keeps Git, also within commands, from using a bare repository in the tree: the model could have written it. */
export const explicitRepositoriesOnly: GitSetting = ['safe.bareRepository', 'explicit'];

/** Adds settings that override those in files, for Git and for all Git commands that a script starts. */
export function withGitSettings(env: CommandVariables, settings: readonly GitSetting[]): CommandVariables {
  const before = Number(env.GIT_CONFIG_COUNT ?? 0) || 0;
  const added = settings.flatMap(([name, value], at) => [
    [`GIT_CONFIG_KEY_${before + at}`, name],
    [`GIT_CONFIG_VALUE_${before + at}`, value],
  ]);
  return { ...env, ...Object.fromEntries(added), GIT_CONFIG_COUNT: String(before + settings.length) };
}

export interface GitSettingEntry {
  /** The file that contains it; null for a setting of the call. */
  readonly file: string | null;
  readonly name: string;
  readonly value: string;
}

/** Parses the output of `git config --list -z --show-origin`. */
export function parseGitSettings(out: string): readonly GitSettingEntry[] {
  const parts = out.split('\0');
  const entries: GitSettingEntry[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [origin = '', setting = ''] = parts.slice(at, at + 2);
    const end = setting.indexOf('\n');
    entries.push({
      file: origin.startsWith('file:') ? origin.slice('file:'.length) : null,
      name: end === -1 ? setting : setting.slice(0, end),
      value: end === -1 ? '' : setting.slice(end + 1),
    });
  }
  return entries;
}

/** Returns the file that a setting includes, as written; null for any other setting. */
export function findInclude({ name, value }: GitSettingEntry): string | null {
  return name === 'include.path' || /^includeif\..*\.path$/s.test(name) ? value : null;
}

/** Returns the name of the filter that a setting belongs to; null for any other setting. */
export function findFilter({ name }: GitSettingEntry): string | null {
  return /^filter\.(.+)\.(?:clean|smudge|process|required)$/s.exec(name)?.[1] ?? null;
}

/** Returns settings that disable a filter, regardless of the files. */
export function disableFilter(name: string): readonly GitSetting[] {
  return [
    [`filter.${name}.clean`, ''],
    [`filter.${name}.smudge`, ''],
    [`filter.${name}.process`, ''],
    [`filter.${name}.required`, 'false'],
  ];
}

/** Whether Git runs the value of a setting as a program when it commits or pushes. */
export function namesProgram({ name }: GitSettingEntry): boolean {
  return /^(?:core\.(?:sshcommand|askpass|gitproxy|alternaterefscommand)|gpg\.(?:.*\.)?(?:program|defaultkeycommand)|credential\.(?:.*\.)?helper|remote\..*\.(?:uploadpack|receivepack|vcs))$/s.test(
    name,
  );
}

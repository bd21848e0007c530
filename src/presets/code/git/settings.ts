/** Git's settings: those that a call brings along, and those that Git has found. */

import type { Variables } from '../clean-environment.js';

/** A name and a value, as in `git -c name=value`. */
export type GitSetting = readonly [name: string, value: string];

/** Files of the tree never become a repository, also for Git in a command: the model could have written them. */
export const onlyRealRepositories: GitSetting = ['safe.bareRepository', 'explicit'];

/** Adds settings that outrank those in files, for Git and for all Git commands that a script starts. */
export function withGitSettings(env: Variables, settings: readonly GitSetting[]): Variables {
  const before = Number(env.GIT_CONFIG_COUNT ?? 0) || 0;
  const added = settings.flatMap(([name, value], at) => [
    [`GIT_CONFIG_KEY_${before + at}`, name],
    [`GIT_CONFIG_VALUE_${before + at}`, value],
  ]);
  return { ...env, ...Object.fromEntries(added), GIT_CONFIG_COUNT: String(before + settings.length) };
}

export interface FoundSetting {
  /** The file that has it; null for one of a call. */
  readonly file: string | null;
  readonly name: string;
  readonly value: string;
}

/** Reads the output of `git config --list -z --show-origin`. */
export function settingsIn(out: string): readonly FoundSetting[] {
  const parts = out.split('\0');
  const found: FoundSetting[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [origin = '', setting = ''] = parts.slice(at, at + 2);
    const end = setting.indexOf('\n');
    found.push({
      file: origin.startsWith('file:') ? origin.slice('file:'.length) : null,
      name: end === -1 ? setting : setting.slice(0, end),
      value: end === -1 ? '' : setting.slice(end + 1),
    });
  }
  return found;
}

/** The file that a setting includes, as it is written there; null for any other setting. */
export function includedBy({ name, value }: FoundSetting): string | null {
  return name === 'include.path' || /^includeif\..*\.path$/s.test(name) ? value : null;
}

/** The name of the filter that a setting belongs to; null for any other setting. */
export function filterOf({ name }: FoundSetting): string | null {
  return /^filter\.(.+)\.(?:clean|smudge|process|required)$/s.exec(name)?.[1] ?? null;
}

/** Settings with which a filter does nothing, whatever the files say. */
export function withoutFilter(name: string): readonly GitSetting[] {
  return [
    [`filter.${name}.clean`, ''],
    [`filter.${name}.smudge`, ''],
    [`filter.${name}.process`, ''],
    [`filter.${name}.required`, 'false'],
  ];
}

/** Whether Git runs the value of a setting as a program when it commits or pushes. */
export function namesProgram({ name }: FoundSetting): boolean {
  return /^(?:core\.(?:sshcommand|askpass|gitproxy|alternaterefscommand)|gpg\.(?:.*\.)?(?:program|defaultkeycommand)|credential\.(?:.*\.)?helper|remote\..*\.(?:uploadpack|receivepack|vcs))$/s.test(
    name,
  );
}

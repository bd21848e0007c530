/** Reads a SKILL.md of the open format of Agent Skills: YAML front matter, then instructions. */

import { check, isObject } from '../../../core/lib/index.js';
import { parseFrontMatter } from '../../../options/index.js';

export interface Skill {
  readonly name: string;
  readonly description: string;
  /** What it needs, such as programs. */
  readonly compatibility: string | null;
  /** The body, in Markdown. */
  readonly instructions: string;
}

/** Either the skill, or what is wrong, as a sentence without its full stop. */
export type ParsedSkill =
  | { readonly ok: true; readonly skill: Skill }
  | { readonly ok: false; readonly problem: string };

/** Characters of the front matter. Its longest value, the description, has at most 1,024. */
const maxFrontMatter = 16_000;

/** @param folder the name of the skill's folder, which is the name of the skill */
export function parseSkill(text: string, folder: string): ParsedSkill {
  const fail = (problem: string) => ({ ok: false, problem }) as const;
  const parsed = parseFrontMatter(text, maxFrontMatter);
  if (!parsed.ok) return fail(parsed.problem);
  const { data, body } = parsed;
  const problem = checkFrontMatter(data, folder);
  if (problem !== null) return fail(problem);
  const { name, description, compatibility } = data as Record<string, string>;
  const skill = { name: name!, description: description!.trim(), compatibility: compatibility ?? null };
  return { ok: true, skill: { ...skill, instructions: body.trim() } };
}

/** Members of other programs are left alone. */
function checkFrontMatter(data: Readonly<Record<string, unknown>>, folder: string): string | null {
  return checkName(data.name, folder) ?? checkOthers(data, '');
}

const checkOthers = check.shape({
  description: checkTextUpTo(1_024),
  license: check.optional(check.nonEmptyText),
  compatibility: check.optional(checkTextUpTo(500)),
  'allowed-tools': check.optional(check.nonEmptyText),
  metadata: check.optional(check.define(isObject, 'must have members')),
});

function checkName(value: unknown, folder: string): string | null {
  if (typeof value !== 'string' || value.length > 64 || !/^[a-z0-9]+(?:-[a-z0-9]+)*$/.test(value))
    return `name must be 1 to 64 lowercase letters, digits and single hyphens between them, not ${JSON.stringify(value) ?? 'absent'}`;
  return value === folder ? null : `name is ${value}, but its folder is ${folder}: they must be equal`;
}

function checkTextUpTo(max: number): check.Check<string> {
  return check.refine(
    check.nonEmptyText,
    ({ length }) => length <= max,
    ({ length }) => `has ${length} characters; the limit is ${max}`,
  );
}

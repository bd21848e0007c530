/**
 * Whether a value that came from a file or a tenant's settings is rules on who sees what. A member that nobody reads would
 * leave open what its author meant to close, so it is a fault like any other.
 */

import { type Check, type Checks, firstOf, listOf, membersOf, oneOf } from '../lib/check-value.js';
import { isObject } from '../lib/json.js';
import { nearest } from '../lib/nearest.js';
import type { Level } from '../model/agent.js';
import {
  isReadablePath,
  optionalKinds,
  patternKinds,
  type RedactionPolicy,
  type UserPattern,
} from '../redact/policy.js';
import { createRedactor } from '../redact/redactor.js';
import { problemWithTemplate } from './summary-text.js';
import { knownKinds, type LevelKind, type SecurityRule, type ToolRule, type VisibilityConfig } from './visibility.js';

const levels: readonly Level[] = ['full', 'summary', 'hidden'];
const kinds: readonly LevelKind[] = ['thinking', 'tool_call', 'tool_result', 'synthesis', 'notice'];

const level: Check = (value, at) => known(levels, value, at);
const text: Check = (value, at) => (typeof value === 'string' && value !== '' ? null : `${at} must be a text`);
const texts = listOf(text);
const stepLevels = membersOf(Object.fromEntries(kinds.map((kind) => [kind, level])));
const levelOrLevels: Check = (value, at) => (isObject(value) ? stepLevels(value, at) : level(value, at));

const pattern = membersOf<UserPattern>({ kind: text, source: text });
/** What cannot be read leads nowhere, and hides nothing. */
const pathText: Check = (value, at) =>
  text(value, at) ??
  (isReadablePath(value as string) ? null : `${at} cannot be read: write it like \`user.ssn\` or \`rows[*].note\``);
const path: Check = (value, at) => {
  if (!Array.isArray(value)) {
    const wrong = pathText(value, at);
    return wrong === null || typeof value !== 'string'
      ? wrong
      : `${wrong}, or as a list of names, \`["rows", "*", "note"]\``;
  }
  return value.length === 0 ? `${at} is an empty list: write the names that lead to the field` : texts(value, at);
};
const policy: Checks<RedactionPolicy> = {
  kinds: listOf((value, at) => oneOf(patternKinds, value, at)),
  optionalKinds: listOf((value, at) => oneOf(optionalKinds, value, at)),
  keys: texts,
  paths: listOf(path),
  patterns: listOf(pattern),
};
/** Whether its expressions can be used, the redactor says. */
const redact: Check = (value, at) => membersOf(policy)(value, at) ?? tried(value as RedactionPolicy, at);

const rule = membersOf<ToolRule>({
  level,
  childChain: level,
  summary: (value, at) => {
    const wrong = typeof value === 'string' ? problemWithTemplate(value) : 'must be a text';
    return wrong === null ? null : `${at} ${wrong}`;
  },
  sensitive: listOf(pathText),
  redact: (value, at) => membersOf({ keys: policy.keys, patterns: policy.patterns })(value, at) ?? redact(value, at),
});
const security = membersOf<SecurityRule>({
  atMost: (value, at) => known(['summary', 'hidden'], value, at),
  tool: text,
  toolKind: text,
  step: (value, at) => known(kinds, value, at),
  tenant: text,
});

const config = membersOf<VisibilityConfig>({
  default: level,
  deployment: levelOrLevels,
  roles: named(levelOrLevels),
  agents: named(levelOrLevels),
  toolKinds: named(rule),
  kinds: texts,
  tools: named(rule),
  steps: named(level),
  required: listOf((value, at) => {
    return isObject(value) && value.atMost === undefined ? `${at} says no \`atMost\`` : security(value, at);
  }),
  redact,
  tenants: named(redact),
});

/**
 * What is wrong with rules on who sees what, as the end of a sentence; null when they can be used.
 *
 * @example
 * const problem = problemWithVisibility(JSON.parse(readFileSync('visibility.json', 'utf8')));
 * if (problem !== null) throw new Error(`visibility.json cannot be used: ${problem}.`);
 */
export function problemWithVisibility(value: unknown): string | null {
  return config(value, '') ?? unknownKind(value as VisibilityConfig);
}

/** A kind that no tool has: a rule that names it would protect nothing. */
function unknownKind({ toolKinds = {}, required = [], kinds: own = [] }: VisibilityConfig): string | null {
  const all = [...knownKinds, ...own];
  const named: readonly (readonly [at: string, kind: string])[] = [
    ...Object.keys(toolKinds).map((kind) => [`toolKinds.${kind}`, kind] as const),
    ...required.flatMap(({ toolKind }, at) =>
      toolKind === undefined ? [] : [[`required.${at}.toolKind "${toolKind}"`, toolKind] as const],
    ),
  ];
  const unknown = named.find(([, kind]) => !all.includes(kind));
  if (unknown === undefined) return null;
  const [at, kind] = unknown;
  const meant = nearest(kind, all);
  const known = meant === null ? `known are ${all.join(', ')}` : `you may mean ${meant}`;
  return `${at} is not a known kind of tool; ${known}. List kinds of your own in \`kinds\``;
}

/** One of these words, with the nearest of them as a suggestion. */
function known(words: readonly string[], value: unknown, at: string): string | null {
  const wrong = oneOf(words, value, at);
  const meant = wrong !== null && typeof value === 'string' ? nearest(value, words) : null;
  return meant === null ? wrong : `${wrong}; you may mean ${meant}`;
}

function named(check: Check): Check {
  return (value, at) => {
    if (!isObject(value)) return `${at} must be an object`;
    return firstOf(Object.entries(value).map(([name, held]) => check(held, `${at}.${name}`)));
  };
}

function tried(given: RedactionPolicy, at: string): string | null {
  try {
    createRedactor(given);
    return null;
  } catch (error) {
    return `${at}: ${error instanceof Error ? error.message : String(error)}`;
  }
}

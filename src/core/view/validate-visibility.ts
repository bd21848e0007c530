/**
 * Validates visibility rules from a file or a tenant's settings. An unknown member is an error: it would leave open
 * what its author meant to close.
 */

import {
  checkList,
  checkMembers,
  checkNonEmptyText,
  checkOneOf,
  findFirstProblem,
  type MemberChecks,
  type ValueCheck,
} from '../lib/check-value.js';
import { toErrorMessage } from '../lib/errors.js';
import { isObject } from '../lib/json.js';
import { findNearest } from '../lib/nearest.js';
import { validateBlockRule } from '../model/block.js';
import type { VisibilityLevel } from '../model/level.js';
import { knownToolKinds } from '../model/tool-kind.js';
import { isValidPath, optionalKinds, patternKinds, type RedactionPolicy, type UserPattern } from '../redact/policy.js';
import { createRedactor } from '../redact/redactor.js';
import { validateTemplate } from './summary-text.js';
import type { LevelKind, SecurityRule, ToolRule, VisibilityConfig } from './visibility.js';

const levels: readonly VisibilityLevel[] = ['full', 'summary', 'hidden'];
const kinds: readonly LevelKind[] = ['thinking', 'tool_call', 'tool_result', 'synthesis', 'notice'];

const checkLevel: ValueCheck = (value, at) => checkKnownWord(levels, value, at);
const checkTexts = checkList(checkNonEmptyText);
const checkStepLevels = checkMembers(Object.fromEntries(kinds.map((kind) => [kind, checkLevel])));
const checkLevelOrLevels: ValueCheck = (value, at) =>
  isObject(value) ? checkStepLevels(value, at) : checkLevel(value, at);

const checkRoleLevels = checkMembers({
  ...Object.fromEntries(kinds.map((kind) => [kind, checkLevel])),
  expand: (value: unknown, at: string) => checkKnownWord(['summary', 'full'], value, at),
  why: (value: unknown, at: string) => checkKnownWord(['stated', 'thought'], value, at),
});
const checkRole: ValueCheck = (value, at) => (isObject(value) ? checkRoleLevels(value, at) : checkLevel(value, at));

const checkPattern = checkMembers<UserPattern>({ kind: checkNonEmptyText, source: checkNonEmptyText });
/** An invalid path would hide nothing. */
const checkPathText: ValueCheck = (value, at) =>
  checkNonEmptyText(value, at) ??
  (isValidPath(value as string)
    ? null
    : `${at} is not a valid path; expected the form \`user.ssn\` or \`rows[*].note\``);
const checkPath: ValueCheck = (value, at) => {
  if (!Array.isArray(value)) {
    const wrong = checkPathText(value, at);
    return wrong === null || typeof value !== 'string'
      ? wrong
      : `${wrong}, or a list of names, \`["rows", "*", "note"]\``;
  }
  return value.length === 0
    ? `${at} is an empty list; expected the names that lead to the field`
    : checkTexts(value, at);
};
const policyChecks: MemberChecks<RedactionPolicy> = {
  kinds: checkList((value, at) => checkOneOf(patternKinds, value, at)),
  optionalKinds: checkList((value, at) => checkOneOf(optionalKinds, value, at)),
  keys: checkTexts,
  paths: checkList(checkPath),
  patterns: checkList(checkPattern),
};
/** The redactor validates the expressions. */
const checkRedaction: ValueCheck = (value, at) =>
  checkMembers(policyChecks)(value, at) ?? checkRedactor(value as RedactionPolicy, at);

const checkTemplate: ValueCheck = (value, at) => {
  const wrong = typeof value === 'string' ? validateTemplate(value) : 'must be a text';
  return wrong === null ? null : `${at} ${wrong}`;
};
const checkToolRule = checkMembers<ToolRule>({
  level: checkLevel,
  childChain: checkLevel,
  summary: checkTemplate,
  request: checkTemplate,
  response: checkTemplate,
  block: (value, at) => {
    const wrong = validateBlockRule(value);
    return wrong === null ? null : `${at} ${wrong}`;
  },
  why: checkTemplate,
  sensitive: checkList(checkPathText),
  redact: (value, at) =>
    checkMembers({ keys: policyChecks.keys, patterns: policyChecks.patterns })(value, at) ?? checkRedaction(value, at),
});
const checkSecurityRule = checkMembers<SecurityRule>({
  atMost: (value, at) => checkKnownWord(['summary', 'hidden'], value, at),
  tool: checkNonEmptyText,
  toolKind: checkNonEmptyText,
  step: (value, at) => checkKnownWord(kinds, value, at),
  tenant: checkNonEmptyText,
});

const checkConfig = checkMembers<VisibilityConfig>({
  default: checkLevel,
  deployment: checkLevelOrLevels,
  roles: checkEachMember(checkRole),
  agents: checkEachMember(checkLevelOrLevels),
  toolKinds: checkEachMember(checkToolRule),
  kinds: checkTexts,
  tools: checkEachMember(checkToolRule),
  steps: checkEachMember(checkLevel),
  required: checkList((value, at) => {
    return isObject(value) && value.atMost === undefined ? `${at} has no \`atMost\`` : checkSecurityRule(value, at);
  }),
  redact: checkRedaction,
  tenants: checkEachMember(checkRedaction),
});

/**
 * Returns the problem of visibility rules as the end of a sentence; null when they are valid.
 * @example
 * const problem = validateVisibility(JSON.parse(readFileSync('visibility.json', 'utf8')));
 * if (problem !== null) throw new Error(`Invalid visibility.json: ${problem}.`);
 */
export function validateVisibility(value: unknown): string | null {
  return checkConfig(value, '') ?? findUnknownKind(value as VisibilityConfig);
}

/** Finds a kind that no tool has: a rule for it would protect nothing. */
function findUnknownKind({ toolKinds = {}, required = [], kinds: own = [] }: VisibilityConfig): string | null {
  const all: readonly string[] = [...knownToolKinds, ...own];
  const named: readonly (readonly [at: string, kind: string])[] = [
    ...Object.keys(toolKinds).map((kind) => [`toolKinds.${kind}`, kind] as const),
    ...required.flatMap(({ toolKind }, at) =>
      toolKind === undefined ? [] : [[`required.${at}.toolKind "${toolKind}"`, toolKind] as const],
    ),
  ];
  const unknown = named.find(([, kind]) => !all.includes(kind));
  if (unknown === undefined) return null;
  const [at, kind] = unknown;
  const meant = findNearest(kind, all);
  const known = meant === null ? `expected one of ${all.join(', ')}` : `you may mean ${meant}`;
  return `${at} is not a known kind of tool; ${known}. List your own kinds in \`kinds\``;
}

/** Checks that a value is one of these words, and suggests the nearest. */
function checkKnownWord(words: readonly string[], value: unknown, at: string): string | null {
  const wrong = checkOneOf(words, value, at);
  const meant = wrong !== null && typeof value === 'string' ? findNearest(value, words) : null;
  return meant === null ? wrong : `${wrong}; you may mean ${meant}`;
}

function checkEachMember(check: ValueCheck): ValueCheck {
  return (value, at) => {
    if (!isObject(value)) return `${at} must be an object`;
    return findFirstProblem(Object.entries(value).map(([name, held]) => check(held, `${at}.${name}`)));
  };
}

function checkRedactor(given: RedactionPolicy, at: string): string | null {
  try {
    createRedactor(given);
    return null;
  } catch (error) {
    return `${at}: ${toErrorMessage(error)}`;
  }
}

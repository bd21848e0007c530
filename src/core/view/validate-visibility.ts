/**
 * Validates visibility rules from a file or a tenant's settings. An unknown member is an error: it would leave open
 * what its author meant to close.
 */

import { check, findNearest, isObject, toErrorMessage } from '../lib/index.js';
import { knownToolKinds, type VisibilityLevel, validateBlockRule } from '../model/index.js';
import {
  createRedactor,
  isValidPath,
  optionalKinds,
  patternKinds,
  type RedactionPolicy,
  type UserPattern,
} from '../redact/index.js';
import { validateTemplate } from './summary-text.js';
import type { LevelKind, SecurityRule, ToolRule, VisibilityConfig } from './visibility.js';

const levels: readonly VisibilityLevel[] = ['full', 'summary', 'hidden'];
const kinds: readonly LevelKind[] = ['thinking', 'tool_call', 'tool_result', 'synthesis', 'notice'];

const checkLevel = checkKnownWord(levels);
const checkTexts = check.list(check.nonEmptyText);
const checkStepLevels = check.members(Object.fromEntries(kinds.map((kind) => [kind, checkLevel])));
const checkLevelOrLevels: check.ValueCheck = (value, at) =>
  isObject(value) ? checkStepLevels(value, at) : checkLevel(value, at);

const checkRoleLevels = check.members({
  ...Object.fromEntries(kinds.map((kind) => [kind, checkLevel])),
  expand: checkKnownWord(['summary', 'full']),
  why: checkKnownWord(['stated', 'thought']),
});
const checkRole: check.ValueCheck = (value, at) =>
  isObject(value) ? checkRoleLevels(value, at) : checkLevel(value, at);

const checkPattern = check.members<UserPattern>({ kind: check.nonEmptyText, source: check.nonEmptyText });
/** An invalid path would hide nothing. */
const checkPathText = check.refine(
  check.nonEmptyText,
  isValidPath,
  'is not a valid path; expected the form `user.ssn` or `rows[*].note`',
);
const checkPath: check.ValueCheck = (value, at) => {
  if (!Array.isArray(value)) {
    const problem = checkPathText(value, at);
    return problem === null || typeof value !== 'string'
      ? problem
      : `${problem}, or a list of names, \`["rows", "*", "note"]\``;
  }
  return value.length === 0
    ? `${at} is an empty list; expected the names that lead to the field`
    : checkTexts(value, at);
};
const policyChecks: check.MemberChecks<RedactionPolicy> = {
  kinds: check.list(check.oneOf(patternKinds)),
  optionalKinds: check.list(check.oneOf(optionalKinds)),
  keys: checkTexts,
  paths: check.list(checkPath),
  patterns: check.list(checkPattern),
};
/** The redactor validates the expressions. */
const checkRedaction: check.ValueCheck = (value, at) =>
  check.members(policyChecks)(value, at) ?? checkRedactor(value as RedactionPolicy, at);

const checkTemplate: check.ValueCheck = (value, at) => {
  const problem = typeof value === 'string' ? validateTemplate(value) : 'must be a text';
  return problem === null ? null : `${at} ${problem}`;
};
const checkToolRule = check.members<ToolRule>({
  level: checkLevel,
  childChain: checkLevel,
  summary: checkTemplate,
  request: checkTemplate,
  response: checkTemplate,
  block: (value, at) => {
    const problem = validateBlockRule(value);
    return problem === null ? null : `${at} ${problem}`;
  },
  why: checkTemplate,
  sensitive: check.list(checkPathText),
  redact: (value, at) =>
    check.members({ keys: policyChecks.keys, patterns: policyChecks.patterns })(value, at) ?? checkRedaction(value, at),
});
const checkSecurityRule = check.members<SecurityRule>({
  atMost: checkKnownWord(['summary', 'hidden']),
  tool: check.nonEmptyText,
  toolKind: check.nonEmptyText,
  step: checkKnownWord(kinds),
  tenant: check.nonEmptyText,
});

const checkConfig = check.members<VisibilityConfig>({
  default: checkLevel,
  deployment: checkLevelOrLevels,
  roles: check.record(checkRole),
  agents: check.record(checkLevelOrLevels),
  toolKinds: check.record(checkToolRule),
  kinds: checkTexts,
  tools: check.record(checkToolRule),
  steps: check.record(checkLevel),
  required: check.list((value, at) => {
    return isObject(value) && value.atMost === undefined ? `${at} has no \`atMost\`` : checkSecurityRule(value, at);
  }),
  redact: checkRedaction,
  tenants: check.record(checkRedaction),
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
  const kindsByPlace: readonly (readonly [at: string, kind: string])[] = [
    ...Object.keys(toolKinds).map((kind) => [`toolKinds.${kind}`, kind] as const),
    ...required.flatMap(({ toolKind }, at) =>
      toolKind === undefined ? [] : [[`required.${at}.toolKind "${toolKind}"`, toolKind] as const],
    ),
  ];
  const unknown = kindsByPlace.find(([, kind]) => !all.includes(kind));
  if (unknown === undefined) return null;
  const [at, kind] = unknown;
  const meant = findNearest(kind, all);
  const known = meant === null ? `expected one of ${all.join(', ')}` : `you may mean ${meant}`;
  return `${at} is not a known kind of tool; ${known}. List your own kinds in \`kinds\``;
}

/** Checks that a value is one of these words, and suggests the nearest. */
function checkKnownWord(words: readonly string[]): check.Check {
  const checkWord = check.oneOf(words);
  return check.from((value, at) => {
    const problem = checkWord(value, at);
    const meant = problem !== null && typeof value === 'string' ? findNearest(value, words) : null;
    return meant === null ? problem : `${problem}; you may mean ${meant}`;
  });
}

function checkRedactor(redactionPolicy: RedactionPolicy, at: string): string | null {
  try {
    createRedactor(redactionPolicy);
    return null;
  } catch (error) {
    return `${at}: ${toErrorMessage(error)}`;
  }
}

/** What is hidden in a chain: plain data, so that it can stand in a tool's snapshot or a tenant's settings. */

/** What is found by how it looks or by the name it stands under. */
export const patternKinds = [
  'private-key',
  'api-key',
  'jwt',
  'token',
  'password',
  'secret',
  'card',
  'iban',
  'email',
  'phone',
  'ssn',
] as const;

export type PatternKind = (typeof patternKinds)[number];

/** What is found only where a policy switches it on: much of it is no secret in most chains. */
export const optionalKinds = [
  'ip-address',
  'mac-address',
  'national-id',
  'birth-date',
  'bank-number',
  'wallet-key',
  'password-hash',
  'password-file',
  'wifi-code',
  'hex-key',
  'broken-key',
  'encoded',
] as const;

export type OptionalKind = (typeof optionalKinds)[number];

/** Members by name, items by number, `*` for any of them: `['users', '*', 'ssn']`, or `users.*.ssn` in one. */
export type FieldPath = string | readonly string[];

export interface UserPattern {
  /** What the mark says: `ticket` gives `[redacted:ticket]`. Lower-case letters, digits and dashes. */
  readonly kind: string;
  /**
   * A regular expression in JavaScript's syntax; what it matches is hidden. Contract: it must be linear in the text.
   * Expressions in which a repetition repeats, `(a+)+`, are not, and nothing here stops them.
   */
  readonly source: string;
}

export interface RedactionPolicy {
  /** The kinds to look for; all of them if left out. Fields marked by a path and own patterns do not depend on it. */
  readonly kinds?: readonly PatternKind[];
  /** Kinds to look for in addition, none of which is looked for by itself. */
  readonly optionalKinds?: readonly OptionalKind[];
  /** Names of further fields that hold secrets, however their words are joined: `client pin` is `clientPin` too. */
  readonly keys?: readonly string[];
  /** Fields that are hidden whatever is in them. Case counts. */
  readonly paths?: readonly FieldPath[];
  readonly patterns?: readonly UserPattern[];
}

/**
 * A tool's policy and a tenant's as one: what one of them hides is hidden. Kinds that nobody names are all kinds; where
 * some name them, those that leave them out have no say.
 */
export function mergePolicies(...policies: readonly RedactionPolicy[]): RedactionPolicy {
  const kinds = policies.flatMap((policy) => (policy.kinds === undefined ? [] : [policy.kinds]));
  return {
    ...(kinds.length > 0 ? { kinds: deduplicate(kinds.flat()) } : {}),
    optionalKinds: deduplicate(policies.flatMap((policy) => policy.optionalKinds ?? [])),
    keys: deduplicate(policies.flatMap((policy) => policy.keys ?? [])),
    paths: deduplicate(policies.flatMap((policy) => policy.paths ?? [])),
    patterns: deduplicate(policies.flatMap((policy) => policy.patterns ?? [])),
  };
}

function deduplicate<T>(items: readonly T[]): readonly T[] {
  return [...new Map(items.map((item) => [JSON.stringify(item), item])).values()];
}

/** Names with dots between them; items as `rows[*]`, `rows[]` or `rows[0]`. A name with other signs needs a list. */
const pathPattern = /^(?:\$?\.)?(?:[^.[\]]+|\[(?:\*|\d{1,9})\])(?:\.[^.[\]]+|\[(?:\*|\d{1,9})?\])*$/;

/** Whether a path leads to something in a value: what is mistyped would lead nowhere, and hide nothing. */
export function isValidPath(path: FieldPath): boolean {
  return typeof path === 'string' ? pathPattern.test(path) : path.length > 0;
}

export function toPathParts(path: FieldPath): readonly string[] {
  if (typeof path !== 'string') return path;
  // `users[*].ssn`, `users[].ssn` and `users[0]` are ways to write the same.
  return path
    .replace(/\[\]/g, '.*')
    .replace(/\[(\*|\d{1,9})\]/g, '.$1')
    .replace(/^\$?\./, '')
    .split('.');
}

/** The redaction policy of a chain: plain data, so a tool's snapshot or a tenant's settings can contain it. */

/** Kinds that are found by their form or by the name of their field. */
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

/** Kinds that a policy must enable: many of these values are no secret in most chains. */
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
  /** The kind in the mark: `ticket` gives `[redacted:ticket]`. Lower-case letters, digits and dashes. */
  readonly kind: string;
  /**
   * A JavaScript regular expression; its matches are masked. Contract: linear in the text. Nested repetitions such as
   * `(a+)+` are not linear, and nothing here stops them.
   */
  readonly source: string;
}

export interface RedactionPolicy {
  /** The kinds to find. Default all. Paths and own patterns do not depend on it. */
  readonly kinds?: readonly PatternKind[];
  /** Optional kinds to find in addition. Default none. */
  readonly optionalKinds?: readonly OptionalKind[];
  /** Names of further fields that hold secrets, however their words are joined: `client pin` is `clientPin` too. */
  readonly keys?: readonly string[];
  /** Fields that are always masked. Case-sensitive. */
  readonly paths?: readonly FieldPath[];
  readonly patterns?: readonly UserPattern[];
}

/**
 * Merges policies, such as a tool's and a tenant's: what one of them masks is masked.
 *
 * Without `kinds` in any policy, all kinds are found; otherwise the kinds of those that list them.
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

/** Names joined by dots; items as `rows[*]`, `rows[]` or `rows[0]`. A name with other characters needs a list. */
const pathPattern = /^(?:\$?\.)?(?:[^.[\]]+|\[(?:\*|\d{1,9})\])(?:\.[^.[\]]+|\[(?:\*|\d{1,9})?\])*$/;

/** Returns whether a path is well-formed: a malformed path would mask nothing. */
export function isValidPath(path: FieldPath): boolean {
  return typeof path === 'string' ? pathPattern.test(path) : path.length > 0;
}

export function toPathParts(path: FieldPath): readonly string[] {
  if (typeof path !== 'string') return path;
  // `users[*].ssn` and `users[].ssn` are `users.*.ssn`; `users[0]` is `users.0`.
  return path
    .replace(/\[\]/g, '.*')
    .replace(/\[(\*|\d{1,9})\]/g, '.$1')
    .replace(/^\$?\./, '')
    .split('.');
}

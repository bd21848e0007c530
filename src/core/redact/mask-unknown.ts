/** Masks known secrets in values that are not JSON: errors of tools, and fields of log lines. */

import type { Json } from '../lib/index.js';
import type { SecretMasker } from './known-secrets.js';

/** Deeper values become a text; this also ends a circular value. */
const deepest = 8;

const unreadableText = 'a value that cannot be written';

/**
 * Returns the value as masked plain data; errors with name, message, stack and cause, as loggers expect them.
 *
 * Never throws, even if the value's getters do.
 */
export function maskUnknown(value: unknown, { text }: Pick<SecretMasker, 'text'>): Json | undefined {
  const within = (value: unknown, depth: number): Json | undefined => {
    if (value === undefined || value === null || typeof value === 'boolean') return value;
    if (typeof value !== 'object') return typeof value === 'number' ? number(value) : text(String(value));
    if (depth === deepest) return text(String(value));
    const isSelfWriting = 'toJSON' in value && typeof value.toJSON === 'function';
    if (isSelfWriting) return within((value.toJSON as () => unknown)(), depth + 1);
    if (Array.isArray(value)) return value.map((item) => safe(item, depth + 1) ?? null);
    const own: readonly (readonly [string, unknown])[] = Object.entries(value);
    const members = value instanceof Error ? [...listErrorMembers(value), ...own] : own;
    return Object.fromEntries(
      members.flatMap(([key, member]) => {
        const content = safe(member, depth + 1);
        return content === undefined ? [] : [[text(key), content]];
      }),
    );
  };
  const number = (value: number): Json => (text(String(value)) === String(value) ? value : text(String(value)));
  const safe = (value: unknown, depth: number): Json | undefined => {
    try {
      return within(value, depth);
    } catch {
      return unreadableText;
    }
  };
  return safe(value, 0);
}

/** An error's members that `Object.entries` does not list. */
function listErrorMembers({ name, message, stack, cause }: Error): readonly (readonly [string, unknown])[] {
  return [
    ['name', name],
    ['message', message],
    ['stack', stack],
    ['cause', cause],
  ];
}

/** Returns the message of an error, or any other thrown value as a text. Never throws. */
export function toSafeErrorMessage(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return unreadableText;
  }
}

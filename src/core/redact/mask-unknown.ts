/** Masks known secrets in values that are not JSON: errors of tools, and fields of log lines. */

import type { Json } from '../lib/json.js';
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
  const within = (held: unknown, depth: number): Json | undefined => {
    if (held === undefined || held === null || typeof held === 'boolean') return held;
    if (typeof held !== 'object') return typeof held === 'number' ? number(held) : text(String(held));
    if (depth === deepest) return text(String(held));
    const isSelfWriting = 'toJSON' in held && typeof held.toJSON === 'function';
    if (isSelfWriting) return within((held.toJSON as () => unknown)(), depth + 1);
    if (Array.isArray(held)) return held.map((item) => safe(item, depth + 1) ?? null);
    const own: readonly (readonly [string, unknown])[] = Object.entries(held);
    const members = held instanceof Error ? [...listErrorMembers(held), ...own] : own;
    return Object.fromEntries(
      members.flatMap(([key, member]) => {
        const shown = safe(member, depth + 1);
        return shown === undefined ? [] : [[text(key), shown]];
      }),
    );
  };
  const number = (held: number): Json => (text(String(held)) === String(held) ? held : text(String(held)));
  const safe = (held: unknown, depth: number): Json | undefined => {
    try {
      return within(held, depth);
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

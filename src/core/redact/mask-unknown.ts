/** Hides what is known in values that are not JSON: what a tool throws, or says in a line of the log. */

import type { Json } from '../lib/json.js';
import type { SecretMasker } from './known-secrets.js';

/** Deeper values are told as far as this, and of a loop its first round. */
const deepest = 8;

const unreadableText = 'a value that cannot be written';

/**
 * The value as plain data, errors as what loggers look for in them: type, message, stack and cause. Never throws, whatever
 * the value does when it is looked at.
 */
export function maskUnknown(value: unknown, { text }: Pick<SecretMasker, 'text'>): Json | undefined {
  const within = (held: unknown, depth: number): Json | undefined => {
    if (held === undefined || held === null || typeof held === 'boolean') return held;
    if (typeof held !== 'object') return typeof held === 'number' ? number(held) : text(String(held));
    if (depth === deepest) return text(String(held));
    const isSelfWriting = 'toJSON' in held && typeof held.toJSON === 'function';
    if (isSelfWriting) return within((held.toJSON as () => unknown)(), depth + 1);
    if (Array.isArray(held)) return held.map((item) => told(item, depth + 1) ?? null);
    const own: readonly (readonly [string, unknown])[] = Object.entries(held);
    const members = held instanceof Error ? [...listErrorMembers(held), ...own] : own;
    return Object.fromEntries(
      members.flatMap(([key, member]) => {
        const shown = told(member, depth + 1);
        return shown === undefined ? [] : [[text(key), shown]];
      }),
    );
  };
  const number = (held: number): Json => (text(String(held)) === String(held) ? held : text(String(held)));
  const told = (held: unknown, depth: number): Json | undefined => {
    try {
      return within(held, depth);
    } catch {
      return unreadableText;
    }
  };
  return told(value, 0);
}

/** None of them is listed among the members of an error. */
function listErrorMembers({ name, message, stack, cause }: Error): readonly (readonly [string, unknown])[] {
  return [
    ['name', name],
    ['message', message],
    ['stack', stack],
    ['cause', cause],
  ];
}

/** What an error says, or a thrown value that is none. Never throws. */
export function toSafeErrorMessage(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return unreadableText;
  }
}

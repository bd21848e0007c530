/** How far a running call is: an interim result in the shape of MCP's progress notifications. */

import { formatCount, isObject, type Json } from '../lib/index.js';

/**
 * An interim result that readers see as a bar. It has no other members.
 * @example
 * emit({ progress: 3, total: 6, message: 'reading c.txt' } satisfies CallProgress);
 */
export interface CallProgress {
  /** From 0 to `total`. */
  readonly progress: number;
  /** The progress of a call that is done. Null or absent if unknown: readers then see `progress` as a count. */
  readonly total?: number | null;
  /** What is done now. */
  readonly message?: string | null;
}

const members: ReadonlySet<string> = new Set(['progress', 'total', 'message'] satisfies (keyof CallProgress)[]);

/** Returns an interim result as progress; null if it is another value, which may have such members among others. */
export function toCallProgress(value: Json): CallProgress | null {
  if (!isObject(value) || Object.keys(value).some((name) => !members.has(name))) return null;
  const { progress, total = null, message = null } = value;
  if (typeof progress !== 'number' || !(progress >= 0)) return null;
  if (total !== null && typeof total !== 'number') return null;
  if (message !== null && typeof message !== 'string') return null;
  return { progress, total, message };
}

/** Returns the part that is done, from 0 to 1; null if the total is not known. */
export function computeShare({ progress, total = null }: CallProgress): number | null {
  return total === null || !(total > 0) ? null : Math.min(1, progress / total);
}

/** `50 % · 3 of 6 · reading c.txt`. A total of 1 or 100 adds nothing to the percentage. */
export function formatCallProgress(callProgress: CallProgress): string {
  const { progress, total = null, message = null } = callProgress;
  const share = computeShare(callProgress);
  const count = share === null ? formatAmount(progress) : `${formatAmount(progress)} of ${formatAmount(total ?? 0)}`;
  return [
    ...(share === null ? [] : [formatShare(share)]),
    ...(share !== null && (total === 1 || total === 100) ? [] : [count]),
    ...(message === null || message.trim() === '' ? [] : [message]),
  ].join(' · ');
}

/** Rounded down: a call that runs is not at 100 % before it is. */
function formatShare(share: number): string {
  return `${Math.floor(share * 100)} %`;
}

function formatAmount(value: number): string {
  const [whole = '', decimals] = String(Math.round(value * 10) / 10).split('.');
  return /^\d+$/.test(whole) ? formatCount(Number(whole)) + (decimals === undefined ? '' : `.${decimals}`) : whole;
}

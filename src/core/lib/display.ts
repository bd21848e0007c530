/** How things are written for people: numbers, sums, times, calls, addresses. */

import { isObject, type Json, toValueText } from './json.js';
import { showInvisible, toOneLine } from './plain-text.js';

/** A call in one short line. */
export function formatCall(tool: string, input: Json): string {
  return `${tool}(${shorten(toValueText(input), 200)})`;
}

/** The arguments of a call in one line, `city="Paris" days=3`; any other value as it is. */
export function formatArguments(input: Json): string {
  if (!isObject(input)) return toOneLine(showInvisible(toValueText(input)));
  const members = Object.entries(input).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return toOneLine(showInvisible(members.join(' ')));
}

/** At most so many UTF-16 units, and never half a character. */
export function shorten(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const last = text.charCodeAt(characters - 2);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return `${text.slice(0, isHalf ? characters - 2 : characters - 1)}…`;
}

/** How often each word stands in a list: `78 success, 2 failure` */
export function formatTally(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, times]) => `${times} ${word}`).join(', ');
}

export function formatCount(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Instead of the tokens of a call whose provider reported no plausible usage: what it was charged. */
export function formatUnreportedUsage({
  inputTokens,
  outputTokens,
}: {
  readonly inputTokens: number;
  readonly outputTokens: number;
}): string {
  return `usage not reported plausibly, charged in full: ${formatCount(inputTokens)} tokens in, ${formatCount(outputTokens)} out`;
}

export function formatUsd(value: number | null): string {
  if (value === null) return 'no price';
  return `$${value >= 0.01 ? value.toFixed(2) : String(Number(value.toPrecision(2)))}`;
}

/** With every digit that it has, the noise of binary fractions aside: what is compared must not be rounded. */
export function formatExactUsd(value: number | null): string {
  if (value === null) return 'no price';
  return `$${value.toFixed(10).replace(/(\.\d\d\d*?)0+$/, '$1')}`;
}

/** In the largest unit that it can be said in with one decimal place, else in seconds with all that it has. */
export function formatExactDuration(ms: number): string {
  return ms % 6_000 === 0 || ms < 1_000 ? formatDuration(ms) : `${ms / 1_000} s`;
}

export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 60_000) return `${Math.round(ms / 100) / 10} s`;
  return `${Math.round(ms / 6_000) / 10} min`;
}

/** In the largest unit that has a whole one. */
export function formatBytes(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  return `${power === 0 ? bytes : (bytes / 1_000 ** power).toFixed(1)} ${units[power]}`;
}

/** How a call was answered without being run. */
export function formatCacheAge(ageMs: number): string {
  return `cached, ${ageMs >= 2 * 3_600_000 ? formatLongDuration(ageMs) : formatDuration(ageMs)} old`;
}

/** What people take their time for: `7 days`, `3 hours`, and shorter times as `duration` says them. */
export function formatLongDuration(ms: number): string {
  const hours = Math.round(ms / 3_600_000);
  if (hours >= 48) return `${Math.round(hours / 24)} days`;
  return hours >= 2 ? `${hours} hours` : formatDuration(ms);
}

/** `2026-11-21 15:42:26`, in UTC like every time of a chain. */
export function formatTime(at: number): string {
  return new Date(at).toISOString().slice(0, 19).replace('T', ' ');
}

/**
 * An address that somebody wrote wrong, to be repeated to them: it may hold a password. It cannot be parsed, so it is cut at
 * its marks: without what stands before its last `@`, and what follows a `?`, `#` or `&`.
 */
export function maskAddress(written: string): string {
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(written)?.[0] ?? '';
  const at = written.lastIndexOf('@');
  const host = at < scheme.length ? written.slice(scheme.length) : `…${written.slice(at)}`;
  return scheme + host.replace(/[?#&].*$/s, '?…');
}

/** Formats values for people: numbers, amounts, times, calls, addresses. */

import { countUtf8Bytes, findOwn, isObject, type Json, toValueText } from './json.js';
import { showInvisible, toOneLine } from './plain-text.js';

/** Formats a call in one short line. */
export function formatCall(tool: string, input: Json): string {
  return `${tool}(${shorten(toValueText(input), 200)})`;
}

/** Formats the name of a tool with the model that a call asks: `llm/fast`. */
export function formatToolName(tool: string, toolKind: string, input: Json): string {
  const model = toolKind === 'llm' && isObject(input) ? findOwn(input, 'model') : undefined;
  return typeof model === 'string' && model.length <= maxModelLength ? `${tool}/${model}` : tool;
}

const maxModelLength = 100;

/** Formats arguments in one line, `city="Paris" days=3`; any other value as it is. */
export function formatArguments(input: Json): string {
  if (!isObject(input)) return toOneLine(showInvisible(toValueText(input)));
  const members = Object.entries(input).map(([name, value]) => `${name}=${JSON.stringify(value)}`);
  return toOneLine(showInvisible(members.join(' ')));
}

/** Shortens a text to this many UTF-16 units, never inside a surrogate pair. */
export function shorten(text: string, characters: number): string {
  if (text.length <= characters) return text;
  const last = text.charCodeAt(characters - 2);
  const isHalf = last >= 0xd800 && last <= 0xdbff;
  return `${text.slice(0, isHalf ? characters - 2 : characters - 1)}…`;
}

/** Shortens a text to UTF-8 bytes. */
export function shortenToBytes(text: string, bytes: number): string {
  let short = shorten(text, bytes);
  for (let size = countUtf8Bytes(short); size > bytes; size = countUtf8Bytes(short))
    short = shorten(short, Math.floor((short.length * bytes) / size) - 1);
  return short;
}

/** Counts equal words: `78 success, 2 failure` */
export function formatTally(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, times]) => `${times} ${word}`).join(', ');
}

// Not toLocaleString: that depends on how the runtime was built, and a chain must read the same everywhere.
export function formatCount(value: number): string {
  return String(value).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** `1 call`, `2,000 calls` */
export function formatPlural(count: number, what: string): string {
  return `${formatCount(count)} ${what}${count === 1 ? '' : 's'}`;
}

/** Formats the charge of a call whose provider reported no plausible usage. */
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

/** Formats a sum of costs, with the tokens whose cost it does not contain: `$0.02 + 1,204 tokens without a price`. */
export function formatTotalUsd(value: number | null, unpricedTokens = 0): string {
  const isComplete = value === null || unpricedTokens === 0;
  return isComplete ? formatUsd(value) : `${formatUsd(value)} + ${formatCount(unpricedTokens)} tokens without a price`;
}

/** Formats an amount with all digits, without the noise of binary fractions: amounts to compare must not be rounded. */
export function formatExactUsd(value: number | null): string {
  if (value === null) return 'no price';
  return `$${value.toFixed(10).replace(/(\.\d\d\d*?)0+$/, '$1')}`;
}

/** Formats a duration exactly: in the largest unit where one decimal place is enough, else in seconds. */
export function formatExactDuration(ms: number): string {
  return ms % 6_000 === 0 || ms < 1_000 ? formatDuration(ms) : `${ms / 1_000} s`;
}

export function formatDuration(ms: number): string {
  if (ms < 1_000) return `${ms} ms`;
  if (ms < 60_000) return `${Math.round(ms / 100) / 10} s`;
  return `${Math.round(ms / 6_000) / 10} min`;
}

/** Formats bytes in the largest unit of which there is at least 1. */
export function formatBytes(bytes: number): string {
  const units = ['bytes', 'KB', 'MB', 'GB', 'TB'];
  const power = Math.min(units.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)));
  return `${power === 0 ? bytes : (bytes / 1_000 ** power).toFixed(1)} ${units[power]}`;
}

/** Formats the age of a cached result. */
export function formatCacheAge(ageMs: number): string {
  return `cached, ${ageMs >= 2 * 3_600_000 ? formatLongDuration(ageMs) : formatDuration(ageMs)} old`;
}

/** Formats a duration for people's decisions: `7 days`, `3 hours`; shorter ones as `formatDuration`. */
export function formatLongDuration(ms: number): string {
  const hours = Math.round(ms / 3_600_000);
  if (hours >= 48) return `${Math.round(hours / 24)} days`;
  return hours >= 2 ? `${hours} hours` : formatDuration(ms);
}

/** Formats a time for people, everywhere in this form: `2026-11-21 15:42:26 UTC`. */
export function formatTime(at: number): string {
  return `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}

/** Formats a time for programs: `2026-11-21T15:42:26.000Z`. */
export function toIsoTime(at: number): string {
  return new Date(at).toISOString();
}

/**
 * Masks an invalid address before it is repeated: it may contain a password. It cannot be parsed, so everything before the
 * last `@` and after a `?`, `#` or `&` is removed.
 */
export function maskAddress(address: string): string {
  const scheme = /^[a-z][a-z0-9+.-]*:\/\//i.exec(address)?.[0] ?? '';
  const at = address.lastIndexOf('@');
  const host = at < scheme.length ? address.slice(scheme.length) : `…${address.slice(at)}`;
  return scheme + host.replace(/[?#&].*$/s, '?…');
}

/** `up to $0.12`, or in tokens where no price is known. */
export function formatMaxCost({
  inputTokens,
  outputTokens,
  usd,
}: {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly usd: number | null;
}): string {
  return usd === null
    ? `up to ${formatCount(inputTokens + outputTokens)} tokens, price unknown`
    : `up to ${formatUsd(usd)}`;
}

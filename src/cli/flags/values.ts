/** Parses values of options and arguments: numbers, points in time, lists. */

import { type Command, Option } from 'commander';
import { toMilliseconds } from '../../options/index.js';
import { UsageError } from './usage-error.js';

/** Collects the values of a repeatable option. */
export function collectValues(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}

/** Creates a repeatable option. @param none the value without the option, in the help. Omit it for a required option */
export function createListOption(flags: string, description: string, none?: string): Option {
  const option = new Option(flags, description).argParser(collectValues);
  return none === undefined ? option : option.default([], none);
}

/** Returns the repeatable option `--role`. @param none the value without the option, in the help */
export function createRoleOption(description: string, none = 'none'): Option {
  return createListOption('--role <name>', description, none);
}

/** Splits values with commas: `read,start`. */
export function splitList(texts: readonly string[]): readonly string[] {
  return texts.flatMap((text) => text.split(',').map((name) => name.trim())).filter((name) => name !== '');
}

/** Rejects empty values, which come from unset variables. @throws UsageError with the first such option */
export function rejectEmptyOptions(command: Command): void {
  for (const option of command.options) {
    const values = [command.getOptionValue(option.attributeName())].flat();
    if (values.some((value) => typeof value === 'string' && value.trim() === '')) {
      throw new UsageError(`${option.long ?? option.flags} is empty. Write a value, or leave the option out.`);
    }
  }
}

/** Parses a whole number above 0. @throws UsageError */
export function parseWholeNumber(label: string, text: string): number {
  const value = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= 1) return value;
  throw new UsageError(`Invalid ${label} ${text}: expected a whole number above 0.`);
}

/** Parses a number of at least 0. @throws UsageError */
export function parseAmount(label: string, text: string): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && value >= 0) return value;
  throw new UsageError(`Invalid ${label} ${text}: expected a number of at least 0.`);
}

/**
 * Parses a point in time: `2h` (ago) or `2026-11-20`. Returns milliseconds since 1970.
 *
 * @throws UsageError if it is neither a duration nor a date
 */
export function parseTime(text: string, now: number, label = '--since'): number {
  const ago = parseTimeSpan(text);
  if (ago !== null) return now - ago;
  const at = /^\d{4}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(at)) {
    throw new UsageError(`Invalid ${label} ${text}. Write 30m, 2h, 7d, 2026-11-20 or 2026-11-20T14:00:00Z.`);
  }
  return at;
}

function parseTimeSpan(text: string): number | null {
  if (!/^\d+(\.\d+)?\s*[a-z]+$/i.test(text)) return null;
  try {
    const ms = toMilliseconds(text);
    return Number.isFinite(ms) ? ms : null;
  } catch {
    return null;
  }
}

/** Parses the agent of a filter: `weather`, or `weather@1.4.0` for one version. @throws UsageError */
export function parseAgentFilter(text: string | undefined): {
  readonly agent: string | null;
  readonly agentVersion: string | null;
} {
  const [agent = null, ...version] = text?.split('@') ?? [];
  const agentVersion = version.length === 0 ? null : version.join('@');
  if (agent !== '' && agentVersion !== '') return { agent, agentVersion };
  throw new UsageError(`Invalid --agent ${text}. Write the name of an agent, or name@version: weather@1.4.0.`);
}

/** Formats a duration in its largest unit: `40s`, `12m`, `5h`, `3d`. */
export function formatAge(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1_000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

/** Formats a time that is left, rounded to the nearest unit: `5m` of 4 min 58 s. */
export function formatTimeLeft(ms: number): string {
  const seconds = Math.max(0, Math.round(ms / 1_000));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes}m`;
  const hours = Math.round(minutes / 60);
  return hours < 48 ? `${hours}h` : `${Math.round(hours / 24)}d`;
}

/** Parses the value of `--port`; 0 is a free port. @throws {UsageError} */
export function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d+$/.test(text) && port <= 65_535) return port;
  throw new UsageError(`Invalid --port ${text}. Use a number from 0 to 65535.`);
}

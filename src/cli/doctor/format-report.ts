/** Formats the report of `longhand doctor`: one line for each check with its remedy below it; and the defaults. */

import { formatExactDuration, formatLongDuration } from '../../core/lib/index.js';
import { defaults } from '../../core/model/index.js';
import { getColors } from '../terminal/colors.js';

export interface DoctorCheck {
  readonly name: string;
  /** `warning`: chains can run all the same, or the check was not possible. */
  readonly status: 'ok' | 'warning' | 'missing';
  readonly found: string;
  /** The fix; null when there is nothing to fix. */
  readonly remedy: string | null;
}

const nameColumns = 24;

export function formatReport(checks: readonly DoctorCheck[], color: boolean): string {
  const { dim, green, red, yellow } = getColors({ color });
  const marks = { ok: green('✓'), warning: yellow('!'), missing: red('✗') };
  const lines = checks.flatMap(({ name, status, found, remedy }) => [
    `${marks[status]} ${name.padEnd(nameColumns)}${found}`,
    ...(remedy === null ? [] : [`  ${' '.repeat(nameColumns)}${dim(`→ ${remedy}`)}`]),
  ]);
  return `${lines.join('\n')}\n`;
}

/** Formats all limits and other defaults, one a line. */
export function formatDefaults(): string {
  const names = Object.keys(defaults).map(formatSettingName);
  const columns = Math.max(...names.map((name) => name.length)) + 2;
  const values = Object.entries(defaults).map(([key, value]) => formatSettingValue(key, value));
  return names.map((name, at) => `${name.padEnd(columns)}${values[at]}\n`).join('');
}

/** Turns `modelTimeoutMs` into `model timeout`: the value has the unit. */
function formatSettingName(key: string): string {
  return key
    .replace(/(Ms|Usd|Bytes)$/, (unit) => (unit === 'Bytes' ? 'Bytes' : ''))
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function formatSettingValue(key: string, value: number): string {
  if (key.endsWith('Ms')) return value >= 3_600_000 ? formatLongDuration(value) : formatExactDuration(value);
  if (key.endsWith('Usd')) return `$${value}`;
  return value.toLocaleString('en-US');
}

/** Formats the report of `longhand doctor`: one line for each check with its remedy below it, then the defaults. */

import { formatExactDuration, formatLongDuration } from '../../core/lib/display.js';
import { defaults } from '../../core/model/defaults.js';
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
  const { bold, dim, green, red, yellow } = getColors({ color });
  const marks = { ok: green('✓'), warning: yellow('!'), missing: red('✗') };
  const lines = checks.flatMap(({ name, status, found, remedy }) => [
    `${marks[status]} ${name.padEnd(nameColumns)}${found}`,
    ...(remedy === null ? [] : [`  ${' '.repeat(nameColumns)}${dim(`→ ${remedy}`)}`]),
  ]);
  const settings = Object.entries(defaults).map(
    ([key, value]) => `  ${formatSettingName(key).padEnd(nameColumns)}${formatSettingValue(key, value)}`,
  );
  return `${[...lines, '', bold('Defaults'), ...settings].join('\n')}\n`;
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

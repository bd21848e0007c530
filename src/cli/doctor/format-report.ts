/** The findings of `longhand doctor` as text: a line for each, its remedy below it, then the defaults. */

import { formatExactDuration, formatLongDuration } from '../../core/lib/display.js';
import { defaults } from '../../core/model/defaults.js';
import { getColors } from '../terminal/colors.js';

export interface DoctorCheck {
  readonly name: string;
  /** `warning`: chains can run nevertheless, or it could not be checked. */
  readonly status: 'ok' | 'warning' | 'missing';
  readonly found: string;
  /** What to do about it; null where nothing needs doing. */
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

/** `modelTimeoutMs` is read as `model timeout`: the unit stands with the value. */
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

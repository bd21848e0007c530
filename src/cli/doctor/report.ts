/** How `longhand doctor` reads at a terminal: one aligned line per finding, what to do below it, then the defaults. */

import { durationExact, longDuration } from '../../core/lib/display.js';
import { defaults } from '../../core/model/defaults.js';
import { colorsFor } from '../terminal/colors.js';
import type { Check } from './check.js';

const width = 24;

export function report(checks: readonly Check[], color: boolean): string {
  const { bold, dim, green, red, yellow } = colorsFor({ color });
  const marks = { ok: green('✓'), warning: yellow('!'), missing: red('✗') };
  const lines = checks.flatMap(({ name, status, found, remedy }) => [
    `${marks[status]} ${name.padEnd(width)}${found}`,
    ...(remedy === null ? [] : [`  ${' '.repeat(width)}${dim(`→ ${remedy}`)}`]),
  ]);
  const settings = Object.entries(defaults).map(
    ([key, value]) => `  ${wordsOf(key).padEnd(width)}${amountOf(key, value)}`,
  );
  return `${[...lines, '', bold('Defaults'), ...settings].join('\n')}\n`;
}

/** `modelTimeoutMs` is read as `model timeout`: the unit stands with the value. */
function wordsOf(key: string): string {
  return key
    .replace(/(Ms|Usd|Bytes)$/, (unit) => (unit === 'Bytes' ? 'Bytes' : ''))
    .replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

function amountOf(key: string, value: number): string {
  if (key.endsWith('Ms')) return value >= 3_600_000 ? longDuration(value) : durationExact(value);
  if (key.endsWith('Usd')) return `$${value}`;
  return value.toLocaleString('en-US');
}

/** Rules for options as commander reads them. */

import type { Command } from 'commander';
import { UsageError } from './usage-error.js';

/** Gathers an option that may be given several times. */
export function collect(value: string, before: readonly string[]): readonly string[] {
  return [...before, value];
}

/** Rejects an empty value: it comes from a variable that is not set. @throws UsageError naming the first such option */
export function refuseEmptyOptions(command: Command): void {
  for (const option of command.options) {
    const values = [command.getOptionValue(option.attributeName())].flat();
    if (values.some((value) => typeof value === 'string' && value.trim() === '')) {
      throw new UsageError(`${option.long ?? option.flags} is empty. Give it a value, or leave it out.`);
    }
  }
}

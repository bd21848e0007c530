/** An option that takes a value is given one: an empty one comes of a variable that was not set, and means nothing. */

import type { Command } from 'commander';
import { UsageError } from './usage-error.js';

/** @throws UsageError naming the first that is empty */
export function refuseEmptyOptions(command: Command): void {
  for (const option of command.options) {
    const values = [command.getOptionValue(option.attributeName())].flat();
    if (values.some((value) => typeof value === 'string' && value.trim() === '')) {
      throw new UsageError(`${option.long ?? option.flags} is empty. Give it a value, or leave it out.`);
    }
  }
}

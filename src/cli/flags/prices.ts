/** `--prices`: looked at before anything is started. */

import { loadCatalogue } from '../../models/catalogue.js';
import { UsageError } from './usage-error.js';

/** @throws {UsageError} when the file cannot be read or is no price map */
export function checkPrices(file: string | undefined): void {
  if (file === undefined) return;
  try {
    loadCatalogue(file);
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

/** Whole numbers that a person gives to an option or an argument. */

import { UsageError } from './usage-error.js';

/** @throws UsageError naming what was given */
export function wholeNumber(named: string, written: string): number {
  const value = Number(written);
  if (/^\d+$/.test(written) && Number.isSafeInteger(value) && value >= 1) return value;
  throw new UsageError(`${named} must be a whole number from 1 on; it is ${written}.`);
}

/** @throws UsageError naming what was given */
export function amount(named: string, written: string): number {
  const value = Number(written);
  if (written.trim() !== '' && Number.isFinite(value) && value >= 0) return value;
  throw new UsageError(`${named} must be a number from 0 on; it is ${written}.`);
}

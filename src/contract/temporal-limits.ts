/**
 * What Temporal accepts in a command, and the nearest accepted value for any other. A workflow task whose command the server
 * rejects is retried for ever: no time limit and no cancel ends such a chain (L7). So every number and text that goes into a
 * search attribute, a timer, a timeout or a summary passes here, whatever the state holds. Temporal's own tools print texts as
 * they are, so nothing in a summary or in details can command a terminal (X1).
 */

import { shorten } from '../core/lib/display.js';
import { toOneLine, toPlainText } from '../core/lib/plain-text.js';

/** For a search attribute of type Int: the server reads 64 bits, and the SDK rejects fractions. */
export function toIntAttribute(value: number): number {
  return Math.round(toDoubleAttribute(value));
}

/** For a search attribute of type Double. SQL visibility stores DECIMAL(20, 5): 15 digits before the point. */
export function toDoubleAttribute(value: number): number {
  if (Number.isNaN(value)) return 0;
  return Math.min(maxAttributeNumber, Math.max(-maxAttributeNumber, value));
}

const maxAttributeNumber = 999_999_999_999_999;

/** For a search attribute of type Keyword. SQL visibility stores VARCHAR(255). */
export function toKeywordAttribute(text: string): string {
  return shorten(text, maxKeywordLength);
}

/** Characters. */
export const maxKeywordLength = 255;

/** Milliseconds of a timer or of an activity's timeout: at least 1, at most ten years. Not a number is the longest. */
export function toTimeout(ms: number): number {
  return Number.isNaN(ms) ? maxTimeoutMs : Math.min(maxTimeoutMs, Math.max(1, Math.round(ms)));
}

/** Attempts of an activity: Temporal takes 0 for no limit, and the SDK rejects fractions. */
export function toAttempts(attempts: number): number {
  return Number.isNaN(attempts) ? 1 : Math.min(maxAttempts, Math.max(1, Math.round(attempts)));
}

const maxAttempts = 1_000_000;

const maxTimeoutMs = 10 * 365 * 24 * 60 * 60_000;

/** The line beside an activity, a timer or a workflow: 400 bytes at most, which 130 characters of any kind fit in. */
export function toSummary(text: string): string {
  return shorten(toOneLine(text), 130);
}

/** The static details of a workflow: 20,000 bytes at most. */
export function toDetails(text: string): string {
  return shorten(toPlainText(text), 6_000);
}

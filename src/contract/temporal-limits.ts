/**
 * Brings values into the range that Temporal accepts in commands. The server retries a workflow task with a rejected
 * command for ever: no time limit and no cancel ends such a chain (L7). So every number and text for a search
 * attribute, a timer, a timeout or a summary passes here. Temporal's own tools print texts as they are, so summaries
 * and details have no control characters (X1).
 */

import { shorten, toOneLine, toPlainText } from '../core/lib/index.js';

/** Converts to a search attribute of type Int: the server reads 64 bits, and the SDK rejects fractions. */
export function toIntAttribute(value: number): number {
  return Math.round(toDoubleAttribute(value));
}

/** Converts to a search attribute of type Double. SQL visibility stores DECIMAL(20, 5): 15 digits before the point. */
export function toDoubleAttribute(value: number): number {
  if (Number.isNaN(value)) return 0;
  return Math.min(maxAttributeNumber, Math.max(-maxAttributeNumber, value));
}

const maxAttributeNumber = 999_999_999_999_999;

/** Converts to a search attribute of type Keyword. SQL visibility stores VARCHAR(255). */
export function toKeywordAttribute(text: string): string {
  return shorten(text, maxKeywordLength);
}

/** Characters. */
const maxKeywordLength = 255;

/** Converts to milliseconds of a timer or timeout: at least 1, at most ten years. NaN becomes the longest. */
export function toTimeout(ms: number): number {
  return Number.isNaN(ms) ? maxTimeoutMs : Math.min(maxTimeoutMs, Math.max(1, Math.round(ms)));
}

/** Converts to attempts of an activity: 0 would be no limit for Temporal, and the SDK rejects fractions. */
export function toAttempts(attempts: number): number {
  return Number.isNaN(attempts) ? 1 : Math.min(maxAttempts, Math.max(1, Math.round(attempts)));
}

const maxAttempts = 1_000_000;

const maxTimeoutMs = 10 * 365 * 24 * 60 * 60_000;

/** Cuts the summary of an activity, a timer or a workflow: at most 400 bytes, which fit 130 characters of any kind. */
export function toSummary(text: string): string {
  return shorten(toOneLine(text), 130);
}

/** Cuts the static details of a workflow: at most 20,000 bytes. */
export function toDetails(text: string): string {
  return shorten(toPlainText(text), 6_000);
}

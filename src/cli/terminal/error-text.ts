/** Errors as text, with their stacks and causes. Secrets are masked: an error may quote a key. */

import {
  isLonghandError,
  listStackLines,
  type StackOptions,
  toErrorMessage,
  toPlainText,
} from '../../core/lib/index.js';
import { createRedactor } from '../../core/redact/index.js';
import { registeredSecretsMasker } from '../../secrets/index.js';

/** A stack for a person at a terminal may be longer than one in a history. */
const maxCharacters = 20_000;

export function maskErrorText(text: string): string {
  return toPlainText(createRedactor().text(registeredSecretsMasker.text(text)));
}

interface StackRows extends Pick<StackOptions, 'until'> {
  /** Default: all are. */
  readonly isShown?: (row: string) => boolean;
}

/** Formats the frames and the causes of an error, each in a row of its own, below its message. */
export function formatStack(error: unknown, { isShown = () => true, ...options }: StackRows = {}): string {
  const rows = listStackLines(error, { ...options, mask: maskErrorText, maxCharacters }).filter(isShown);
  return rows.map((row) => `\n    ${row}`).join('');
}

/** Formats an error for `--debug`: its message, its class and code, its stack, its causes. */
export function formatWithStack(error: unknown): string {
  const name = error instanceof Error ? error.name : typeof error;
  const code = isLonghandError(error) ? ` (${error.code})` : '';
  return `${maskErrorText(toErrorMessage(error))}\n    ${name}${code}${formatStack(error)}`;
}

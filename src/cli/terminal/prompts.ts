/**
 * Prompts for people. Ctrl-D cancels a prompt like Ctrl-C and Esc; by default it would end the input.
 *
 * The library moves the cursor itself, so its stream cannot be cleaned: each text is cleaned before (X3).
 */

import * as clack from '@clack/prompts';
import { cleanText } from './colors.js';

clack.updateSettings({ aliases: { '\u0004': 'cancel' } });

export const { isCancel } = clack;

export function cancel(message: string): void {
  clack.cancel(cleanText(message));
}

export function printOutro(message: string): void {
  clack.outro(cleanText(message));
}

export const log = {
  message: (message: string) => clack.log.message(cleanText(message)),
  success: (message: string) => clack.log.success(cleanText(message)),
  warn: (message: string) => clack.log.warn(cleanText(message)),
  error: (message: string) => clack.log.error(cleanText(message)),
};

export interface SelectOptions<T> {
  readonly message: string;
  readonly options: readonly { readonly value: T; readonly label: string; readonly hint?: string }[];
  readonly initialValue?: T;
  readonly maxItems?: number;
  readonly signal?: AbortSignal;
}

export function promptSelect<T>({
  message,
  options,
  ...rest
}: SelectOptions<T>): Promise<T | typeof clack.CANCEL_SYMBOL> {
  const cleanOptions = options.map(({ value, label, hint }) => ({
    value,
    label: toOneLine(label),
    ...(hint === undefined ? {} : { hint: toOneLine(hint) }),
  }));
  return clack.select<T>({ ...rest, message: cleanText(message), options: cleanOptions as clack.Option<T>[] });
}

/** Removes line breaks: a line break in an option would look like a second option. */
function toOneLine(text: string): string {
  return cleanText(text).replace(/\s*\n\s*/g, ' ');
}

export interface TextOptions {
  readonly message: string;
  readonly placeholder?: string;
  readonly defaultValue?: string;
  /** Must be safe for a terminal: cleaning would change the answer. Use `toPlainJson` for JSON. */
  readonly initialValue?: string;
  readonly validate?: (value: string | undefined) => string | undefined;
  readonly signal?: AbortSignal;
}

export function promptText({
  message,
  placeholder,
  initialValue,
  ...rest
}: TextOptions): Promise<string | typeof clack.CANCEL_SYMBOL> {
  return clack.text({
    ...rest,
    message: cleanText(message),
    ...(placeholder === undefined ? {} : { placeholder: cleanText(placeholder) }),
    ...(initialValue === undefined ? {} : { initialValue: cleanText(initialValue) }),
  });
}

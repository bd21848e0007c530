/**
 * The prompts that people are asked with. Ctrl-D leaves one as Ctrl-C and Esc do: by itself it would end the input.
 *
 * The library moves the cursor itself, so its stream cannot be cleaned: each text is cleaned before it gets there (X3).
 */

import * as clack from '@clack/prompts';
import { cleaned } from './colors.js';

clack.updateSettings({ aliases: { '\u0004': 'cancel' } });

export const { isCancel } = clack;

export function cancel(message: string): void {
  clack.cancel(cleaned(message));
}

export function outro(message: string): void {
  clack.outro(cleaned(message));
}

export const log = {
  message: (message: string) => clack.log.message(cleaned(message)),
  success: (message: string) => clack.log.success(cleaned(message)),
  warn: (message: string) => clack.log.warn(cleaned(message)),
  error: (message: string) => clack.log.error(cleaned(message)),
};

export interface Choices<T> {
  readonly message: string;
  readonly options: readonly { readonly value: T; readonly label: string; readonly hint?: string }[];
  readonly initialValue?: T;
  readonly maxItems?: number;
  readonly signal?: AbortSignal;
}

export function select<T>({ message, options, ...rest }: Choices<T>): Promise<T | typeof clack.CANCEL_SYMBOL> {
  const shown = options.map(({ value, label, hint }) => ({
    value,
    label: inOneLine(label),
    ...(hint === undefined ? {} : { hint: inOneLine(hint) }),
  }));
  return clack.select<T>({ ...rest, message: cleaned(message), options: shown as clack.Option<T>[] });
}

/** A line break in an option would begin one that looks like another. */
function inOneLine(text: string): string {
  return cleaned(text).replace(/\s*\n\s*/g, ' ');
}

export interface Line {
  readonly message: string;
  readonly placeholder?: string;
  readonly defaultValue?: string;
  /** Fit for a terminal as it is: cleaning would change what is sent back. JSON comes from `plainJson`. */
  readonly initialValue?: string;
  readonly validate?: (value: string | undefined) => string | undefined;
  readonly signal?: AbortSignal;
}

export function text({
  message,
  placeholder,
  initialValue,
  ...rest
}: Line): Promise<string | typeof clack.CANCEL_SYMBOL> {
  return clack.text({
    ...rest,
    message: cleaned(message),
    ...(placeholder === undefined ? {} : { placeholder: cleaned(placeholder) }),
    ...(initialValue === undefined ? {} : { initialValue: cleaned(initialValue) }),
  });
}

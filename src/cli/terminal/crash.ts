/**
 * Masks secrets in the message of a crash. An error that a tool throws outside its promise, in a timer or an event, ends the
 * process.
 */

import { writeSync } from 'node:fs';
import { inspect } from 'node:util';
import { isObject } from '../../core/lib/index.js';
import { maskUnknown } from '../../core/redact/index.js';
import { registeredSecretsMasker } from '../../secrets/index.js';
import { maskErrorText } from './error-text.js';

export function maskCrashes(): void {
  process.on('uncaughtException', (error) => {
    const text = maskErrorText(formatCrash(error));
    try {
      // Synchronous: later output would be lost.
      writeSync(process.stderr.fd, `longhand: Uncaught error in a timer or an event: ${text}\n`);
    } finally {
      process.exit(1);
    }
  });
}

/** Masks member by member before formatting: the formatted text escapes quotes and line breaks, which hides secrets. */
function formatCrash(error: unknown): string {
  const masked = maskUnknown(error, registeredSecretsMasker);
  if (!isObject(masked)) return inspect(masked);
  const { stack, name: _name, message: _message, ...more } = masked;
  const rest = Object.keys(more).length === 0 ? '' : `\n${inspect(more, { depth: 4 })}`;
  return typeof stack === 'string' ? stack + rest : inspect(masked);
}

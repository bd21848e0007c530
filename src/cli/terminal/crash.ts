/**
 * Masks secrets in the message of a crash. An error that a tool throws outside of its promise, in a timer or an event, still
 * ends the process.
 */

import { writeSync } from 'node:fs';
import { inspect } from 'node:util';
import { isObject } from '../../core/lib/json.js';
import { toPlainText } from '../../core/lib/plain-text.js';
import { maskUnknown } from '../../core/redact/mask-unknown.js';
import { createRedactor } from '../../core/redact/redactor.js';
import { registeredSecretsMasker } from '../../secrets/secret-registry.js';

export function maskCrashes(): void {
  process.on('uncaughtException', (error) => {
    const said = toPlainText(createRedactor().text(registeredSecretsMasker.text(formatCrash(error))));
    try {
      // At once: nothing that is written later would come out.
      writeSync(process.stderr.fd, `longhand: it crashed, in code that nobody waits for: ${said}\n`);
    } finally {
      process.exit(1);
    }
  });
}

/** Hidden member by member before it is written as one text, in which quotes and line breaks are escaped in many ways. */
function formatCrash(error: unknown): string {
  const told = maskUnknown(error, registeredSecretsMasker);
  if (!isObject(told)) return inspect(told);
  const { stack, name: _name, message: _message, ...more } = told;
  const rest = Object.keys(more).length === 0 ? '' : `\n${inspect(more, { depth: 4 })}`;
  return typeof stack === 'string' ? stack + rest : inspect(told);
}

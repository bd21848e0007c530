/** `longhand audit key`: makes a key to sign the audit log with, or says which one there is. */

import { auditKeyVariable, makeAuditKey, readAuditKey } from '../../store/audit/key.js';
import { UsageError } from '../flags/usage-error.js';
import { jsonLine } from '../terminal/json-line.js';
import type { Terminal } from '../terminal/terminal.js';

export interface KeyFlags {
  readonly out?: string;
  readonly public?: boolean;
  readonly json?: boolean;
}

export async function key(terminal: Terminal, { out, public: shown, json }: KeyFlags): Promise<number> {
  const path = out ?? process.env[auditKeyVariable];
  if (path === undefined || path === '') {
    throw new UsageError(
      `Say where the new key is to lie with --out, or name the one there is in ${auditKeyVariable}.`,
    );
  }
  const { id, publicKey } = out === undefined ? readAuditKey(path) : makeAuditKey(path);
  if (json) terminal.write(jsonLine({ id, publicKey, path }));
  else terminal.write(shown ? publicKey : `${id}\n`);
  if (out !== undefined) {
    terminal.say(
      `A new key lies in ${path}, for its owner alone. Keep a copy, and set ${auditKeyVariable}=${path} where workers run.`,
    );
    terminal.say('The line above is its id: give it to those who are to verify, by another way than the exports.');
  }
  return 0;
}

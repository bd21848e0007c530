/** `longhand keys`: creates, rotates and lists encryption keys. A key itself is never printed. */

import {
  addMasterKey,
  createKeyFile,
  createMasterKeys,
  EncryptionError,
  readKeyFile,
  setCurrentKey,
  updateKeyFile,
} from '../../encryption/index.js';
import { UsageError } from '../flags/usage-error.js';
import { getColors } from '../terminal/colors.js';
import { formatTable } from '../terminal/table.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';

export interface RotateFlags {
  readonly later?: boolean;
  readonly to?: string;
}

export interface KeyListFlags {
  readonly json?: boolean;
}

export async function writeNewKeyFile({ report }: Terminal, file: string | undefined): Promise<number> {
  const path = resolveKeyPath(file);
  const keys = createMasterKeys(new Date());
  rethrowAsUsageError(() => createKeyFile(path, keys));
  const lines = [
    `Created key ${keys.current} in ${path}; only its owner can read the file.`,
    `Set LONGHAND_ENCRYPTION_KEYS=${path} for workers and for all clients that start or read chains.`,
    'Keep a copy elsewhere: without the key, encrypted content cannot be read.',
  ];
  report(lines.join('\n'));
  return 0;
}

export async function rotateKeys({ report }: Terminal, file: string | undefined, flags: RotateFlags): Promise<number> {
  const path = resolveKeyPath(file);
  const { later = false, to } = flags;
  if (later && to !== undefined)
    throw new UsageError('--later and --to cannot be combined: --to uses an existing key.');
  if (to !== undefined) {
    rethrowAsUsageError(() => updateKeyFile(path, (keys) => setCurrentKey(keys, to)));
    report(`${path} now encrypts with ${to}; ${rotationHint}`);
    return 0;
  }
  const { current, keys } = rethrowAsUsageError(() =>
    updateKeyFile(path, (known) => addMasterKey(known, new Date(), later)),
  );
  const added = Object.keys(keys).at(-1) ?? current;
  report(
    later
      ? `Added key ${added} to ${path}. When all machines have the file, run \`longhand keys rotate --to ${added}\`.`
      : `${path} now encrypts with the new key ${added} and still decrypts with the others; ${rotationHint}`,
  );
  return 0;
}

const rotationHint = 'running processes load it within 10 minutes. Copy the file to all machines that have a copy.';

export async function listKeys(terminal: Terminal, file: string | undefined, flags: KeyListFlags): Promise<number> {
  const { current, keys } = rethrowAsUsageError(() => readKeyFile(resolveKeyPath(file)));
  const rows = Object.entries(keys).map(([id, { created = null }]) => ({ id, created, current: id === current }));
  if (flags.json) {
    terminal.write(formatJson(rows));
    return 0;
  }
  const c = getColors(terminal);
  const cells = rows.map(({ id, created, current: used }) => [
    { text: id, paint: c.bold },
    { text: created ?? 'unknown' },
    { text: used ? '✓ encrypts' : 'decrypts', ...(used ? { paint: c.green } : {}) },
  ]);
  terminal.write(formatTable([{ head: 'key', isId: true }, { head: 'created' }, { head: 'use' }], cells, terminal));
  return 0;
}

function resolveKeyPath(file: string | undefined): string {
  const path = file ?? (process.env.LONGHAND_ENCRYPTION_KEYS || undefined);
  if (path === undefined) throw new UsageError('Name a key file, or set LONGHAND_ENCRYPTION_KEYS to its path.');
  return path;
}

/** The user can fix a key file. */
function rethrowAsUsageError<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw error instanceof EncryptionError ? new UsageError(error.message, { cause: error }) : error;
  }
}

/** What `longhand keys` does. A key is never printed: who may read the file has them. */

import { EncryptionError } from '../../encryption/errors.js';
import { createKeyFile, readKeyFile, updateKeyFile } from '../../encryption/key-file.js';
import { addMasterKey, createMasterKeys, setCurrentKey } from '../../encryption/master-keys.js';
import { UsageError } from '../flags/usage-error.js';
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
    `${path} holds the key ${keys.current}, for you alone.`,
    `Set LONGHAND_ENCRYPTION_KEYS=${path} for workers, and for all who start and read chains.`,
    'Keep a copy of it elsewhere: without it, nothing that was encrypted can be read again, by anybody.',
  ];
  report(lines.join('\n'));
  return 0;
}

export async function rotateKeys({ report }: Terminal, file: string | undefined, flags: RotateFlags): Promise<number> {
  const path = resolveKeyPath(file);
  const { later = false, to } = flags;
  if (later && to !== undefined) throw new UsageError('Give --later or --to, not both: --to uses a key that is there.');
  if (to !== undefined) {
    rethrowAsUsageError(() => updateKeyFile(path, (keys) => setCurrentKey(keys, to)));
    report(`${path} encrypts with ${to} from now on; ${rotationHint}`);
    return 0;
  }
  const { current, keys } = rethrowAsUsageError(() =>
    updateKeyFile(path, (known) => addMasterKey(known, new Date(), later)),
  );
  const added = Object.keys(keys).at(-1) ?? current;
  report(
    later
      ? `${path} holds a new key, ${added}. When all machines have the file: \`longhand keys rotate --to ${added}\`.`
      : `${path} encrypts with the new key ${added} from now on, and reads with the others; ${rotationHint}`,
  );
  return 0;
}

const rotationHint = 'what runs takes it up within 10 minutes. Machines with a copy of the file need the new one.';

export async function listKeys({ write }: Terminal, file: string | undefined, flags: KeyListFlags): Promise<number> {
  const { current, keys } = rethrowAsUsageError(() => readKeyFile(resolveKeyPath(file)));
  const rows = Object.entries(keys).map(([id, { created = null }]) => ({ id, created, current: id === current }));
  if (flags.json) {
    write(formatJson(rows));
    return 0;
  }
  const width = Math.max(...rows.map(({ id }) => id.length));
  for (const { id, created, current: used } of rows) {
    const line = [
      used ? '*' : ' ',
      id.padEnd(width),
      created ?? 'made at an unknown time',
      ...(used ? ['current'] : []),
    ];
    write(`${line.join('  ')}\n`);
  }
  return 0;
}

function resolveKeyPath(file: string | undefined): string {
  const path = file ?? (process.env.LONGHAND_ENCRYPTION_KEYS || undefined);
  if (path === undefined) throw new UsageError('Name a key file, or set LONGHAND_ENCRYPTION_KEYS to its path.');
  return path;
}

/** A key file is the person's to put right. */
function rethrowAsUsageError<T>(act: () => T): T {
  try {
    return act();
  } catch (error) {
    throw error instanceof EncryptionError ? new UsageError(error.message) : error;
  }
}

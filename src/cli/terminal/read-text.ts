/** Reads the files that a person named. An error that keeps one from being read names the file. */

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { LoadedDataConverter } from '@temporalio/common';
import { InvalidChainFileError } from '../../client/errors/errors.js';

/** A chain has at most 50 MB of history; in base 64, indented, it is not twice that. Node reads no text much longer. */
const maxBytes = 500_000_000;

/** @throws InvalidChainFileError that names the file */
export async function parseFile<T>(
  file: string,
  read: (text: string, converter: LoadedDataConverter) => Promise<T>,
): Promise<T> {
  try {
    const { loadDataConverter } = await import('@temporalio/common/lib/internal-non-workflow/index.js');
    // Downloaded histories lie as Temporal holds them.
    const { resolveEncryption: encryptionFor, toSealingConverter: sealedConverter } = await import(
      '../../encryption/encryption.js'
    );
    const converter = sealedConverter(undefined, encryptionFor(undefined, process.env));
    return await read(readText(file), loadDataConverter(converter));
  } catch (error) {
    throw error instanceof InvalidChainFileError ? new InvalidChainFileError(error.problem, file) : error;
  }
}

/** @throws InvalidChainFileError */
function readText(file: string): string {
  const bytes = readBytes(file);
  if (bytes.length === 0) throw new InvalidChainFileError('it is empty');
  if (isUtf16(bytes)) throw new InvalidChainFileError('it is written in UTF-16; save it as UTF-8');
  try {
    // A mark of its byte order, which some editors put before a text, is left out.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new InvalidChainFileError('it is no text, or was damaged');
  }
}

function readBytes(file: string): Buffer {
  try {
    const { size } = statSync(file);
    if (size > maxBytes) throw new InvalidChainFileError(`it has ${Math.round(size / 1e6)} MB, more than any chain`);
    return readFileSync(file);
  } catch (error) {
    if (error instanceof InvalidChainFileError) throw error;
    throw new InvalidChainFileError(
      errorTexts[getErrorCode(error)] ?? `it cannot be opened (${getErrorCode(error) || error})`,
    );
  }
}

const errorTexts: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder; name a file in it',
  EACCES: 'you may not read it; ask its owner, or copy it as somebody who may',
  EPERM: 'you may not read it; ask its owner, or copy it as somebody who may',
};

export function getErrorCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/** As some shells write what is redirected into a file. */
function isUtf16(bytes: Buffer): boolean {
  return (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
}

export interface ListedFile {
  readonly path: string;
  /** Whether it was named itself, and not a folder that it lies in. */
  readonly isNamed: boolean;
}

/**
 * The files that a person means by names of files and folders: of a folder its JSON files, without those of folders in it.
 *
 * @throws Error naming what is not there
 */
export function listFiles(places: readonly string[]): readonly ListedFile[] {
  return places.flatMap((place): readonly ListedFile[] => {
    if (!existsSync(place)) throw new Error(`There is no file or folder ${place}.`);
    if (!statSync(place).isDirectory()) return [{ path: place, isNamed: true }];
    const names = readdirSync(place).filter((name) => name.endsWith('.json'));
    return names.sort().map((name) => ({ path: join(place, name), isNamed: false }));
  });
}

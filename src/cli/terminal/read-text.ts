/** Reads files that a person named. Errors name the file. */

import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { LoadedDataConverter } from '@temporalio/common';
import { getErrorCode, LonghandError } from '../../core/lib/index.js';
import { InvalidChainFileError } from '../../core/record/index.js';

/** A history has at most 50 MB, less than twice that as indented base 64. Node cannot read much longer texts. */
const maxBytes = 500_000_000;

/** Reads and parses a file. @throws InvalidChainFileError with the name of the file */
export async function parseFile<T>(
  file: string,
  read: (text: string, converter: LoadedDataConverter) => Promise<T>,
): Promise<T> {
  try {
    const { loadFileConverter } = await import('./file-converter.js');
    return await read(readText(file), loadFileConverter(process.env));
  } catch (error) {
    throw error instanceof InvalidChainFileError ? new InvalidChainFileError(error.problem, file) : error;
  }
}

/** @throws InvalidChainFileError */
function readText(file: string): string {
  const bytes = readBytes(file);
  if (bytes.length === 0) throw new InvalidChainFileError('it is empty');
  if (isUtf16(bytes)) throw new InvalidChainFileError('it is UTF-16; save it as UTF-8');
  try {
    // Removes a byte order mark.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new InvalidChainFileError('it is not UTF-8 text, or is damaged');
  }
}

function readBytes(file: string): Buffer {
  try {
    const { size } = statSync(file);
    if (size > maxBytes)
      throw new InvalidChainFileError(`it is ${Math.round(size / 1e6)} MB; the limit is ${maxBytes / 1e6} MB`);
    return readFileSync(file);
  } catch (error) {
    if (error instanceof InvalidChainFileError) throw error;
    throw new InvalidChainFileError(describeFileError(error));
  }
}

/** Returns why a file cannot be read, as the end of a sentence. */
export function describeFileError(error: unknown): string {
  return errorTexts[getErrorCode(error)] ?? `it cannot be opened (${getErrorCode(error) || error})`;
}

const errorTexts: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a folder; name a file in it',
  EACCES: 'permission to read it is missing',
  EPERM: 'permission to read it is missing',
};

/** Some shells redirect output as UTF-16. */
function isUtf16(bytes: Buffer): boolean {
  return (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
}

export interface ListedFile {
  readonly path: string;
  /** Whether the file was named itself, not found in a folder. */
  readonly isNamed: boolean;
}

/**
 * Lists the named files and the JSON files of named folders, without subfolders.
 *
 * @throws LonghandError file_not_found
 */
export function listFiles(places: readonly string[]): readonly ListedFile[] {
  return places.flatMap((place): readonly ListedFile[] => {
    if (!existsSync(place)) throw new LonghandError('file_not_found', `File or folder ${place} not found.`);
    if (!statSync(place).isDirectory()) return [{ path: place, isNamed: true }];
    const names = readdirSync(place).filter((name) => name.endsWith('.json'));
    return names.sort().map((name) => ({ path: join(place, name), isNamed: false }));
  });
}

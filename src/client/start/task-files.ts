/**
 * The files of a start. A chain has references; the bytes travel beside its input as arguments of the workflow, which no fact
 * contains, and the worker that prepares the agent stores them. Files that exceed Temporal's limit for a start go to the
 * store immediately: client and workers then need the same one.
 */

import { formatBytes } from '../../core/lib/index.js';
import { defaults, describeFile, type FileContent, type StoredFile } from '../../core/model/index.js';
import { computeDigest } from '../../store/index.js';
import { InvalidInputError } from '../errors/errors.js';

/** Stores a content of a chain. */
export type ContentWriter = (content: Uint8Array, mediaType: string) => Promise<unknown>;

export function toStoredFiles(files: readonly FileContent[]): readonly StoredFile[] {
  return files.map((file) => ({ ...describeFile(file), digest: computeDigest(file.data) }));
}

/**
 * Returns the arguments of the start beside its input: the contents, or none where the store has them.
 *
 * @param inputBytes bytes of the input
 * @throws {InvalidInputError} when the files are too large for a start and there is no store
 */
export async function sendContents(
  files: readonly FileContent[],
  inputBytes: number,
  write: ContentWriter | null,
): Promise<readonly Uint8Array[]> {
  const bytes = files.reduce((sum, { data }) => sum + data.byteLength, 0);
  const room = defaults.payloadBytes - inputBytes;
  if (bytes <= room) return files.map(({ data }) => data);
  if (write === null) {
    throw new InvalidInputError(
      `The files have ${formatBytes(bytes)}, and a start has room for ${formatBytes(Math.max(0, room))}. Set LONGHAND_STORE to the store of the workers: larger files go there.`,
    );
  }
  for (const file of files) await write(file.data, describeFile(file).mediaType);
  return [];
}

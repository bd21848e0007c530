/** Where a query reads its data: a text of the call, or a file below a folder. */

import { check, formatBytes } from '../../../core/lib/index.js';
import type { ToolView } from '../../../core/model/index.js';
import { ToolError } from '../../define/index.js';
import { findFile } from './find-files.js';
import { openFile } from './open-file.js';
import { describeErrorCode, type Root } from './root.js';

/** Options of the tools that query data. */
export interface DataQueryOptions {
  /** For the model: when to call the tool. */
  readonly description?: string | undefined;
  /** The folder whose files may be queried, on the machine of the worker. Default: only data that the model writes. */
  readonly root?: string | undefined;
  /** Names of files and folders that may not be read, as in `fileTools`. */
  readonly ignore?: readonly string[] | undefined;
  /** Roles that may have the tool called. Default: all chains. */
  readonly roles?: readonly string[] | undefined;
  /** How its calls are shown to people. */
  readonly view?: ToolView | undefined;
}

export const dataQueryChecks = {
  name: check.anything,
  description: check.nonEmptyText,
  ...check.elsewhere('root', 'ignore', 'roles', 'view'),
};

const pieceBytes = 64 * 1024;

/** Yields the bytes of a file. @throws {ToolError} for a path outside of the root, no file, or one over `maxBytes` */
export async function* readPieces(
  root: Root,
  path: string,
  { signal, maxBytes }: { readonly signal: AbortSignal; readonly maxBytes: number },
): AsyncGenerator<Buffer> {
  const { real, shown } = await findFile(root, path, signal);
  const file = await openFile(real).catch((cause: unknown) => {
    throw new ToolError(`${shown} cannot be read (${describeErrorCode(cause)}). Choose another file.`, { cause });
  });
  try {
    let size = 0;
    for (;;) {
      signal.throwIfAborted();
      const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(pieceBytes), 0, pieceBytes, null);
      if (bytesRead === 0) return;
      size += bytesRead;
      if (size > maxBytes) throw new ToolError(`${shown} is larger than ${formatBytes(maxBytes)}, the limit.`);
      yield buffer.subarray(0, bytesRead);
    }
  } finally {
    await file.close();
  }
}

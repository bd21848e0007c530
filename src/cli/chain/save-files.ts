/** Saves the files of a chain that its viewer may see, for `longhand chain show --save-files`. */

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { listFiles, readVisibleFile, type ViewedChain } from '../../client/index.js';
import { LonghandError, toErrorMessage } from '../../core/lib/index.js';
import type { Terminal } from '../terminal/terminal.js';
import { writeOutputFile } from '../terminal/write-out.js';
import { withArchive } from './blob.js';

/** Writes each file as `task-receipt.png` or `3.1-page.png`. A chain without visible files creates no folder. */
export async function saveFiles(terminal: Terminal, viewed: ViewedChain, folder: string): Promise<void> {
  const files = listFiles(viewed.viewReasoning(viewed.reasoning));
  if (files.length === 0) return terminal.report('No file of the chain is visible here.');
  createFolder(folder);
  const used = new Set<string>();
  await withArchive(async (archive) => {
    for (const file of files) {
      const { content } = await readVisibleFile(archive, viewed, file);
      writeOutputFile(terminal, content, join(folder, chooseName(`${file.call ?? 'task'}-${file.file.name}`, used)));
    }
  });
}

/** Chooses a name without folders and characters that file systems reject: tools and people choose the names of files. */
function chooseName(name: string, used: Set<string>): string {
  const safe = name.replace(/[/\\:*?"<>|]|\p{Cc}/gu, '_').replace(/[. ]+$/, '_');
  for (let number = 1; ; number++) {
    const chosen = number === 1 ? safe : safe.replace(/(\.[^.]*)?$/, `-${number}$1`);
    if (used.has(chosen)) continue;
    used.add(chosen);
    return chosen;
  }
}

function createFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
  } catch (error) {
    throw new LonghandError('file_not_written', `Cannot create the folder ${folder}: ${toErrorMessage(error)}.`, {
      cause: error,
    });
  }
}

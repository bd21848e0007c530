/**
 * `longhand chain blob`: prints stored content of a chain: a file of its task, or the full observation or a file of a call.
 *
 * L8: the content is visible if the task, or the call's result, is. Text and JSON pass through the mask.
 */

import {
  type ChainArchive,
  findFile,
  findObservation,
  listFiles,
  maskContent,
  openChainArchive,
  readContent,
  type ViewedChain,
} from '../../client/index.js';
import { isLonghandError, LonghandError, toPlainText } from '../../core/lib/index.js';
import type { StoredContent } from '../../core/model/index.js';
import { toReasoning } from '../../core/view/index.js';
import { createChainViewer, type ViewFlags } from '../access/chain-viewer.js';
import { findStoreUrl } from '../access/command-store.js';
import { findRecordedChain } from '../access/find-chain.js';
import { getNamespace, withServer } from '../access/open.js';
import { recordView, toViewedChain } from '../access/record-view.js';
import { UsageError } from '../flags/usage-error.js';
import type { Terminal } from '../terminal/terminal.js';
import { writeOutputFile } from '../terminal/write-out.js';

export interface BlobFlags extends ViewFlags {
  readonly file?: string;
  readonly out?: string;
}

/** @param call id of a call; undefined for a file of the task */
export async function printBlob(
  terminal: Terminal,
  reference: string,
  call: string | undefined,
  flags: BlobFlags,
): Promise<number> {
  const chainViewer = await createChainViewer(flags);
  return withServer(async (connect) => {
    const recorded = await findRecordedChain(reference, connect);
    await recordView({ role: chainViewer.role, command: 'chain blob', named: reference }, [toViewedChain(recorded)]);
    const viewed: ViewedChain = { reasoning: toReasoning(recorded), viewReasoning: chainViewer.viewReasoning };
    const contentReference = findContent(viewed, call, flags.file);
    const content = await withArchive((archive) => readContent(archive, viewed.reasoning, contentReference));
    writeContent(terminal, maskContent(content, viewed, call ?? null), flags.out);
    return 0;
  });
}

/** Opens the store of the command. */
export async function withArchive<T>(read: (archive: ChainArchive | null) => Promise<T>): Promise<T> {
  const archive = openChainArchive(await findStoreUrl(), process.env, getNamespace());
  try {
    return await read(archive);
  } finally {
    await archive?.close();
  }
}

function writeContent(terminal: Terminal, content: string | Uint8Array, out: string | undefined): void {
  if (out !== undefined) writeOutputFile(terminal, content, out);
  else if (typeof content === 'string')
    terminal.write(content.endsWith('\n') ? toPlainText(content) : `${toPlainText(content)}\n`);
  else throw new UsageError(`The content is not text (${content.byteLength} bytes). Write it to a file with --out.`);
}

/** Finds the reference to the stored content. @throws {LonghandError} `call_not_found`, `not_visible` */
function findContent(
  { reasoning, viewReasoning }: ViewedChain,
  call: string | undefined,
  name: string | undefined,
): StoredContent {
  const chain = viewReasoning(reasoning);
  if (name !== undefined) return findFile(chain, { name, call }).file;
  if (call === undefined) throw new UsageError('Name a call, such as 3.1, or a file of the task with --file.');
  try {
    return findObservation(chain, call);
  } catch (error) {
    const names = listFiles(chain).flatMap((file) => (file.call === call ? [file.file.name] : []));
    if (names.length === 0 || !isLonghandError(error)) throw error;
    throw new LonghandError(error.code, `${error.message} Name one of its files with --file: ${names.join(', ')}.`);
  }
}

/**
 * The files of a chain, and the full content of a call's result, for a viewer.
 *
 * L8: a content is visible where the chain's view shows its reference in full. Text and JSON pass through the mask; other
 * content is unchanged.
 */

import { LonghandError, parseJsonOrText, toValueText } from '../../core/lib/index.js';
import type { StoredContent, StoredFile } from '../../core/model/index.js';
import type { Reasoning, ReasoningView } from '../../core/view/index.js';
import type { ChainArchive } from './chain-archive.js';
import type { ChainContent } from './stored-archive.js';

/** A file as its viewer names it. */
export interface FileRef {
  readonly name: string;
  /** The call whose result has it, such as `3.1`. Default: the task. */
  readonly call?: string | undefined;
}

/** A visible file of a chain. */
export interface ChainFile {
  readonly file: StoredFile;
  /** Null for a file of the task. */
  readonly call: string | null;
}

export interface FileWithContent extends ChainFile {
  readonly content: Uint8Array;
}

/** A chain with what its viewer may see of it. */
export interface ViewedChain {
  readonly reasoning: Reasoning;
  readonly viewReasoning: (reasoning: Reasoning) => ReasoningView;
}

/** Lists the files that a view shows, in the order of the chain: those of the task, then those of results. */
export function listFiles({ files = [], steps }: ReasoningView): readonly ChainFile[] {
  const ofResults = steps.flatMap((step) =>
    step.level === 'full' && step.kind === 'tool_result'
      ? [...(step.files ?? []), ...(step.artifacts ?? [])].map((file) => ({ file, call: step.correlationId }))
      : [],
  );
  return [...files.map((file) => ({ file, call: null })), ...ofResults];
}

/** Finds a file by its visible name; of several, the last. @throws {LonghandError} `call_not_found` */
export function findFile(view: ReasoningView, { name, call }: FileRef): ChainFile {
  const files = listFiles(view);
  const file = files.findLast((file) => file.file.name === name && file.call === (call ?? null));
  if (file !== undefined) return file;
  const visibleFiles = files.map((file) => `${file.file.name} (${file.call ?? 'task'})`);
  throw new LonghandError(
    'call_not_found',
    `${call === undefined ? 'The task' : `Call ${call}`} has no file ${name} that is visible here. ${visibleFiles.length === 0 ? 'No file is.' : `Visible files: ${visibleFiles.join(', ')}.`}`,
  );
}

/** Finds the reference to a call's result in full, which the chain has only in part. @throws {LonghandError} `call_not_found`, `not_visible` */
export function findObservation({ steps }: ReasoningView, call: string): StoredContent {
  const step = steps.find(({ id, kind }) => id === `${call}r` && kind === 'tool_result');
  if (step === undefined) {
    throw new LonghandError(
      'call_not_found',
      `The chain has no result of a call ${call}. Write the id of a call, such as 3.1.`,
    );
  }
  if (step.level !== 'full' || step.kind !== 'tool_result')
    throw new LonghandError('not_visible', `The result of call ${call} is not visible to this role.`);
  if (step.fullObservation !== undefined) return step.fullObservation;
  const why =
    step.clippedFrom === null
      ? 'is complete in the chain'
      : 'was not stored: the worker had no store, or the store was unavailable';
  throw new LonghandError('call_not_found', `The result of call ${call} ${why}.`);
}

/** Reads a call's result in full, as far as its viewer may see it. */
export async function readObservation(
  archive: ChainArchive | null,
  viewed: ViewedChain,
  call: string,
): Promise<ChainContent> {
  const reference = findObservation(viewed.viewReasoning(viewed.reasoning), call);
  const original = await readContent(archive, viewed.reasoning, reference);
  const content = maskContent(original, viewed, call);
  return { mediaType: original.mediaType, bytes: typeof content === 'string' ? Buffer.from(content) : original.bytes };
}

/** Reads a stored content. @throws {LonghandError} `store_missing`, `call_not_found` */
export async function readContent(
  archive: ChainArchive | null,
  { chainId, origin }: Pick<Reasoning, 'chainId' | 'origin'>,
  { digest }: StoredContent,
): Promise<ChainContent> {
  if (archive === null)
    throw new LonghandError('store_missing', 'LONGHAND_STORE names no store. Set it to the store of the workers.');
  const content = await archive.readContent([chainId, ...(origin === null ? [] : [origin.chainId])], digest);
  if (content !== null) return content;
  throw new LonghandError(
    'call_not_found',
    `The store does not have this content of chain ${chainId}. It may be in another store than LONGHAND_STORE, or deleted.`,
  );
}

/** Masks text and JSON. Content that the mask does not change is returned byte for byte, as is binary content. */
export function maskContent(
  { mediaType, bytes }: ChainContent,
  { reasoning, viewReasoning }: ViewedChain,
  call: string | null,
): string | Uint8Array {
  const text = decodeText(bytes);
  if (text === null) return bytes;
  if (call === null) return viewReasoning({ ...reasoning, task: text }).task;
  // A tool states the media type.
  const value = /^application\/(json|.*\+json)\b/.test(mediaType) ? parseJsonOrText(text) : text;
  const steps = reasoning.steps.map((step) =>
    step.kind === 'tool_result' && step.correlationId === call ? { ...step, observation: value } : step,
  );
  const resultView = viewReasoning({ ...reasoning, steps }).steps.find(({ id }) => id === `${call}r`);
  if (resultView?.level !== 'full' || resultView.kind !== 'tool_result') return '';
  const masked = toValueText(resultView.observation);
  return masked === toValueText(value) ? text : masked;
}

/** Reads a file as far as its viewer may see it. */
export async function readFile(
  archive: ChainArchive | null,
  viewed: ViewedChain,
  ref: FileRef,
): Promise<FileWithContent> {
  return readVisibleFile(archive, viewed, findFile(viewed.viewReasoning(viewed.reasoning), ref));
}

export async function readVisibleFile(
  archive: ChainArchive | null,
  viewed: ViewedChain,
  chainFile: ChainFile,
): Promise<FileWithContent> {
  const content = maskContent(await readContent(archive, viewed.reasoning, chainFile.file), viewed, chainFile.call);
  return { ...chainFile, content: typeof content === 'string' ? Buffer.from(content) : content };
}

/** Null for binary content. Decided by the bytes, not by the tool's media type. */
function decodeText(bytes: Buffer): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}

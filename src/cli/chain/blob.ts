/**
 * `longhand chain blob`: prints the stored content of a call: its full observation, or an artifact.
 *
 * L8: the content is visible if the call's result is. Text and JSON pass through the mask.
 */

import { toReasoning } from '../../client/read/recorded-chain.js';
import { LonghandError } from '../../core/lib/errors.js';
import { type Json, toValueText } from '../../core/lib/json.js';
import { toPlainText } from '../../core/lib/plain-text.js';
import type { Artifact, StoredContent } from '../../core/model/stored-content.js';
import type { Reasoning } from '../../core/view/reasoning.js';
import { openConfiguredBlobs } from '../../store/blobs/blobs.js';
import { openStore } from '../../store/db/open.js';
import { readStoreUrl } from '../../store/db/store-location.js';
import { type ChainViewer, createChainViewer, type ViewFlags } from '../access/chain-viewer.js';
import { findRecordedChain } from '../access/find-chain.js';
import { withServer } from '../access/open.js';
import { recordView, toViewedChain } from '../access/record-view.js';
import { UsageError } from '../flags/usage-error.js';
import type { Terminal } from '../terminal/terminal.js';
import { writeOutputFile } from '../terminal/write-out.js';

export interface BlobFlags extends ViewFlags {
  readonly artifact?: string;
  readonly out?: string;
}

export async function printBlob(terminal: Terminal, named: string, call: string, flags: BlobFlags): Promise<number> {
  const seen = await createChainViewer(flags);
  return withServer(async (connect) => {
    const recorded = await findRecordedChain(named, connect);
    await recordView({ role: seen.role, command: 'chain blob', named }, [toViewedChain(recorded)]);
    const reasoning = toReasoning(recorded);
    const content = getContent(reasoning, call, flags.artifact, seen);
    const namespace = process.env.TEMPORAL_NAMESPACE || 'default';
    const blob = await readBlob({ namespace, chainId: recorded.chainId }, content);
    writeContent(terminal, maskContent(blob, reasoning, call, seen), flags.out);
    return 0;
  });
}

function writeContent(terminal: Terminal, content: string | Uint8Array, out: string | undefined): void {
  if (out !== undefined) writeOutputFile(terminal, content, out);
  else if (typeof content === 'string')
    terminal.write(content.endsWith('\n') ? toPlainText(content) : `${toPlainText(content)}\n`);
  else throw new UsageError(`The content is not text (${content.byteLength} bytes). Write it to a file with --out.`);
}

/** Returns the reference to the stored content. @throws LonghandError call_not_found, not_visible */
function getContent(reasoning: Reasoning, call: string, name: string | undefined, seen: ChainViewer): StoredContent {
  const step = seen.viewReasoning(reasoning).steps.find(({ id, kind }) => id === `${call}r` && kind === 'tool_result');
  if (step === undefined) {
    throw new LonghandError(
      'call_not_found',
      `The chain has no result of a call ${call}. Write the id of a call, such as 3.1.`,
    );
  }
  if (step.level !== 'full' || step.kind !== 'tool_result') {
    throw new LonghandError('not_visible', `The result of call ${call} is not visible to the role ${seen.role}.`);
  }
  const { fullObservation, artifacts = [] } = step;
  const names = artifacts.map(({ artifact }) => artifact);
  const found =
    name === undefined ? fullObservation : artifacts.findLast(({ artifact }: Artifact) => artifact === name);
  if (found !== undefined) return found;
  const others = names.length === 0 ? '' : ` Name one of its artifacts with --artifact: ${names.join(', ')}.`;
  if (name !== undefined) throw new LonghandError('call_not_found', `Call ${call} has no artifact ${name}.${others}`);
  const why =
    step.clippedFrom === null
      ? 'is complete in the chain: `longhand chain show` prints it'
      : 'was not stored: the worker had no store, or the store was unavailable';
  throw new LonghandError('call_not_found', `The result of call ${call} ${why}.${others}`);
}

interface BlobContent {
  readonly mediaType: string;
  readonly bytes: Buffer;
}

async function readBlob(
  owner: { readonly namespace: string; readonly chainId: string },
  { digest }: StoredContent,
): Promise<BlobContent> {
  const where = readStoreUrl(process.env);
  if (where === null) {
    throw new LonghandError('store_missing', 'LONGHAND_STORE names no store. Set it to the store of the workers.');
  }
  const store = await openStore(where);
  try {
    const blob = await openConfiguredBlobs(store, process.env).get(owner, digest);
    if (blob === null) {
      throw new LonghandError(
        'call_not_found',
        `The store ${store.location} does not have this content of chain ${owner.chainId}. It may be in another store, or deleted.`,
      );
    }
    const parts: Uint8Array[] = [];
    for await (const part of blob.content) parts.push(part);
    return { mediaType: blob.mediaType, bytes: Buffer.concat(parts) };
  } finally {
    await store.close();
  }
}

/** Masks text and JSON. Content that the mask does not change is returned byte for byte, as is binary content. */
function maskContent(
  { mediaType, bytes }: BlobContent,
  reasoning: Reasoning,
  call: string,
  seen: ChainViewer,
): string | Uint8Array {
  const text = decodeText(bytes);
  if (text === null) return bytes;
  const value = /^application\/(json|.*\+json)\b/.test(mediaType) ? (JSON.parse(text) as Json) : text;
  const steps = reasoning.steps.map((step) =>
    step.kind === 'tool_result' && step.correlationId === call ? { ...step, observation: value } : step,
  );
  const shown = seen.viewReasoning({ ...reasoning, steps }).steps.find(({ id }) => id === `${call}r`);
  if (shown?.level !== 'full' || shown.kind !== 'tool_result') return '';
  const masked = toValueText(shown.observation);
  return masked === toValueText(value) ? text : masked;
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

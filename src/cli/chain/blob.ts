/**
 * `longhand chain blob`: what the store keeps of a call, an observation as a whole or what its tool has made.
 *
 * L8: it is shown as far as the call's result is, and by the same rules: text and JSON through the mask.
 */

import { toReasoning } from '../../client/read/recorded-chain.js';
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
  const seen = createChainViewer(flags);
  return withServer(async (connect) => {
    const recorded = await findRecordedChain(named, connect);
    await recordView({ role: seen.role, command: 'chain blob', named }, [toViewedChain(recorded)]);
    const reasoning = toReasoning(recorded);
    const content = getContent(reasoning, call, flags.artifact, seen);
    const namespace = process.env.TEMPORAL_NAMESPACE || 'default';
    const kept = await readBlob({ namespace, chainId: recorded.chainId }, content);
    writeContent(terminal, maskContent(kept, reasoning, call, seen), flags.out);
    return 0;
  });
}

function writeContent(terminal: Terminal, content: string | Uint8Array, out: string | undefined): void {
  if (out !== undefined) writeOutputFile(terminal, content, out);
  else if (typeof content === 'string')
    terminal.write(content.endsWith('\n') ? toPlainText(content) : `${toPlainText(content)}\n`);
  else throw new UsageError(`It is no text, but ${content.byteLength} bytes. Name a file for it with --out.`);
}

/** @throws Error where there is none that this viewer may see */
function getContent(reasoning: Reasoning, call: string, made: string | undefined, seen: ChainViewer): StoredContent {
  const step = seen.viewReasoning(reasoning).steps.find(({ id, kind }) => id === `${call}r` && kind === 'tool_result');
  if (step === undefined) throw new Error(`The chain has no result of a call ${call}. Calls are named as 3.1.`);
  if (step.level !== 'full' || step.kind !== 'tool_result') {
    throw new Error(`What call ${call} gave back is not shown to the role ${seen.role}.`);
  }
  const { whole, artifacts = [] } = step;
  const there = artifacts.map(({ artifact }) => artifact);
  const found = made === undefined ? whole : artifacts.findLast(({ artifact }: Artifact) => artifact === made);
  if (found !== undefined) return found;
  const others = there.length === 0 ? '' : ` Name what it has made with --artifact: ${there.join(', ')}.`;
  if (made !== undefined) throw new Error(`Call ${call} has made no ${made}.${others}`);
  const why = step.clippedFrom === null ? 'is whole in the chain' : 'was not kept: there was no store, or it was down';
  throw new Error(`What call ${call} gave back ${why}.${others}`);
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
  if (where === null) throw new Error('There is no store: LONGHAND_STORE is none. Name the one of the workers.');
  const store = await openStore(where);
  try {
    const kept = await openConfiguredBlobs(store, process.env).get(owner, digest);
    if (kept === null) {
      throw new Error(
        `The store ${store.location} has no such content of chain ${owner.chainId}. It may be another store's, or deleted.`,
      );
    }
    const parts: Uint8Array[] = [];
    for await (const part of kept.content) parts.push(part);
    return { mediaType: kept.mediaType, bytes: Buffer.concat(parts) };
  } finally {
    await store.close();
  }
}

/** What the mask leaves as it is goes out byte for byte; what is neither text nor JSON has no words to hide. */
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
  const told = toValueText(shown.observation);
  return told === toValueText(value) ? text : told;
}

/** By what it is, not by what its tool calls it. */
function decodeText(bytes: Buffer): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}

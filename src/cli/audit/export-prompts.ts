/**
 * Reads the prompts of an export from the archive, as an auditor sees them: the originals, so that the digests in the
 * entries prove them. The audit log records the export.
 */

import { foldRecordedTurns } from '../../core/engine/index.js';
import { isLonghandError } from '../../core/lib/index.js';
import { listPrompts } from '../../core/record/index.js';
import { buildReasoning, createViewer, viewPrompt } from '../../core/view/index.js';
import { type ExportedChain, type ReadPrompts, readRuns, type Store, sha256 } from '../../store/index.js';

/** @param report receives the reason where the archive has no content of a chain */
export function createPromptReader(store: Store, report: (line: string) => void): ReadPrompts {
  return async function* (chain) {
    const turns = await readTurns(store, chain, report);
    if (turns.length === 0) return;
    const reasoning = buildReasoning(foldRecordedTurns(turns, undefined, sha256).chain);
    const auditor = createViewer('auditor');
    for (const prompt of listPrompts(turns, sha256)) yield viewPrompt(reasoning, prompt, auditor);
  };
}

async function readTurns(store: Store, chain: ExportedChain, report: (line: string) => void) {
  try {
    const runs = await readRuns(store, chain);
    if (runs !== null) return runs.flatMap((run) => run.turns);
    report(`Chain ${chain.chainId} is not in the archive: the export has no prompts of it.`);
  } catch (error) {
    if (!isLonghandError(error) || error.code !== 'chain_erased') throw error;
    report(`The content of chain ${chain.chainId} was erased: the export has no prompts of it.`);
  }
  return [];
}

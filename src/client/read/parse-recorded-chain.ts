/** Parses recorded chains. The engine that folds them is loaded with the first one. */

import type { LoadedDataConverter } from '@temporalio/common';
import type { RecordedHistory } from './recorded-chain.js';

/**
 * Parses a chain file, or a history downloaded with the Web UI or the Temporal CLI.
 *
 * @param converter for encoded payloads: `longhand.client.workflow.options.loadedDataConverter`
 * @throws {InvalidChainFileError} when the file is invalid, also when a fact in it was altered
 * @example
 * const recorded = await parseRecordedChain(await readFile('weather-1.json', 'utf8'));
 * const chain = await longhand.fork(recorded, { atStep: 2 });
 */
export async function parseRecordedChain(text: string, converter?: LoadedDataConverter): Promise<RecordedHistory> {
  const { parseHistoryOrFile } = await import('./recorded-chain.js');
  return parseHistoryOrFile(text, converter);
}

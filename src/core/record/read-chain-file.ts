/** Chain files for users. The rules that replay a file are loaded with the first one: a page may only need views. */

import type { RecordedChain } from './recorded-chain.js';

/**
 * Reads a chain file, as `longhand chain export` writes it, and verifies it. It needs no server.
 *
 * @throws {InvalidChainFileError} when the file is invalid, also when a fact in it was altered
 * @example
 * const recorded = await readChainFile(await readFile('weather-1.json', 'utf8'));
 * const shown = view(toReasoning(recorded), createViewer('developer'));
 */
export async function readChainFile(text: string): Promise<RecordedChain> {
  const { readVerifiedFile } = await import('./recorded-chain.js');
  return readVerifiedFile(text);
}

/** Stored histories, read as the commands read files. */

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { parseRecordedChain } from '../../src/client/read/parse-recorded-chain.js';
import type { RecordedHistory } from '../../src/client/read/recorded-chain.js';
import { toReasoning } from '../../src/core/view/build-reasoning.js';
import { view } from '../../src/core/view/view.js';
import { createViewer } from '../../src/core/view/visibility.js';
import type { ReasoningView } from '../../src/entries/view.js';

/** @param name the name of a scenario of test/histories */
export function storedFile(name: string): string {
  return fileURLToPath(new URL(`../histories/releases/next/chains/${name}.history.json`, import.meta.url));
}

export function storedChain(name: string): Promise<RecordedHistory> {
  return parseRecordedChain(readFileSync(storedFile(name), 'utf8'), loadDataConverter());
}

export async function storedView(name: string, role = 'developer'): Promise<ReasoningView> {
  return view(toReasoning(await storedChain(name)), createViewer(role), {});
}

/** Reads all stored chains. */
export async function storedRecords(): Promise<readonly RecordedHistory[]> {
  const folder = fileURLToPath(new URL('../histories/releases/next/chains/', import.meta.url));
  const names = readdirSync(folder).flatMap((file) => /^(.*)\.history\.json$/.exec(file)?.[1] ?? []);
  return Promise.all(names.map(storedChain));
}

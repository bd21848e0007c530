/** The exports: `*.chain.json` as Longhand exports, `*.cli.json` and `*.ui.json` as Temporal's tools download. */

import { readdirSync, readFileSync } from 'node:fs';
import { parseRecordedChain } from '../../src/client/read/parse-recorded-chain.js';
import { toChainFile } from '../../src/client/read/recorded-chain.js';
import { sealChainFile } from '../../src/core/record/chain-file.js';
import { formatHistoryJson } from '../../src/history/history-json.js';
import { converter, getStoredFolder, readStoredHistories } from './stored.js';

/** Written by record.ts. All later versions read the files of a release. */
export const exported = getStoredFolder('exports');

export interface Export {
  readonly file: string;
  /** The name of the scenario. */
  readonly name: string;
  readonly kind: 'chain' | 'cli' | 'ui';
  readonly text: string;
}

export interface StoredExport extends Export {
  readonly path: string;
}

export function readStoredExports(release = 'next'): readonly StoredExport[] {
  const folder = getStoredFolder('exports', release);
  return readdirSync(folder)
    .sort()
    .flatMap((file) => {
      const [, name, kind] = /^(.+)\.(chain|cli|ui)\.json$/.exec(file) ?? [];
      if (name === undefined || kind === undefined) return [];
      const at = new URL(file, folder);
      return [{ file, path: at.pathname, name, kind: kind as Export['kind'], text: readFileSync(at, 'utf8') }];
    });
}

/** Returns the stored exports, and for every other stored history the export that current code computes. */
export async function readAllExports(release = 'next'): Promise<readonly Export[]> {
  const stored: readonly Export[] = readStoredExports(release);
  const names = new Set(stored.map(({ name }) => name));
  const derived = readStoredHistories(release)
    .filter(({ name }) => !names.has(name))
    .map(async ({ name, events }): Promise<Export> => {
      const recorded = await parseRecordedChain(formatHistoryJson(events), converter);
      return {
        file: `${name}.chain.json`,
        name,
        kind: 'chain',
        text: JSON.stringify(sealChainFile(toChainFile(recorded))),
      };
    });
  return [...stored, ...(await Promise.all(derived))];
}

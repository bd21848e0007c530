/** The exports: `*.chain.json` as Longhand exports, `*.cli.json` and `*.ui.json` as Temporal's tools download. */

import { readdirSync, readFileSync } from 'node:fs';
import { parseRecordedChain } from '../../src/client/read/parse-recorded-chain.js';
import { toChainFile } from '../../src/client/read/recorded-chain.js';
import { sealChainFile } from '../../src/core/record/chain-file.js';
import { formatHistoryJson } from '../../src/history/history-json.js';
import { converter, readStoredHistories } from './stored.js';

/** Written by record.ts. From the first release on, all later versions read such a file. */
export const exported = new URL('./exports-v1/', import.meta.url);

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

export function readStoredExports(): readonly StoredExport[] {
  return readdirSync(exported)
    .sort()
    .flatMap((file) => {
      const [, name, kind] = /^(.+)\.(chain|cli|ui)\.json$/.exec(file) ?? [];
      if (name === undefined || kind === undefined) return [];
      const at = new URL(file, exported);
      return [{ file, path: at.pathname, name, kind: kind as Export['kind'], text: readFileSync(at, 'utf8') }];
    });
}

/** Returns the stored exports, and for every other stored history the export that current code computes. */
export async function readAllExports(): Promise<readonly Export[]> {
  const stored: readonly Export[] = readStoredExports();
  const names = new Set(stored.map(({ name }) => name));
  const derived = readStoredHistories()
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

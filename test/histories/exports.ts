/** The stored exports: `*.chain.json` as Longhand exports, `*.cli.json` and `*.ui.json` as Temporal's tools download. */

import { readdirSync, readFileSync } from 'node:fs';

/** Written by record.ts. From the first release on, all later versions read such a file. */
export const exported = new URL('./exports-v1/', import.meta.url);

export interface StoredExport {
  readonly file: string;
  readonly path: string;
  /** Of the scenario. */
  readonly name: string;
  readonly kind: 'chain' | 'cli' | 'ui';
  readonly text: string;
}

export function storedExports(): readonly StoredExport[] {
  return readdirSync(exported)
    .sort()
    .flatMap((file) => {
      const [, name, kind] = /^(.+)\.(chain|cli|ui)\.json$/.exec(file) ?? [];
      if (name === undefined || kind === undefined) return [];
      const at = new URL(file, exported);
      return [{ file, path: at.pathname, name, kind: kind as StoredExport['kind'], text: readFileSync(at, 'utf8') }];
    });
}

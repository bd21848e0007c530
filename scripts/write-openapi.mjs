/**
 * Writes docs/openapi.json from the source: `node scripts/write-openapi.mjs`. With `--check` it writes nothing and exits
 * with 1 if the document differs from the source.
 */

import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './child.mjs';
import { main } from './stage.mjs';

const page = join(root, 'docs/openapi.json');

await main(async (args) => {
  const { tsImport } = await import('tsx/esm/api');
  const { createOpenApiDocument } = await tsImport('../src/gateway/openapi.ts', import.meta.url);
  const text = format(JSON.stringify(createOpenApiDocument(), null, 2));
  if (!args.includes('--check')) {
    await writeFile(page, text);
    return 0;
  }
  if ((await readFile(page, 'utf8')) === text) return 0;
  process.stderr.write('docs/openapi.json differs from the source. Run `node scripts/write-openapi.mjs`.\n');
  return 1;
});

/** As `npm run lint` wants it. */
function format(json) {
  const biome = join(root, 'node_modules/.bin/biome');
  return execFileSync(biome, ['format', '--stdin-file-path', page], { cwd: root, input: json, encoding: 'utf8' });
}

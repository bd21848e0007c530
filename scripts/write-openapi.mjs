/**
 * Writes docs/openapi.json and the table of operations in docs/http.md from the source: `node scripts/write-openapi.mjs`.
 * With `--check` it writes nothing and exits with 1 if one of them differs from the source.
 */

import { execFileSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './child.mjs';
import { main } from './stage.mjs';

const document = 'docs/openapi.json';
const page = 'docs/http.md';

await main(async (args) => {
  const { tsImport } = await import('tsx/esm/api');
  const { createOpenApiDocument } = await tsImport('../src/gateway/openapi.ts', import.meta.url);
  const { operations } = await tsImport('../src/http/operations.ts', import.meta.url);
  const files = [
    [document, format(JSON.stringify(createOpenApiDocument(), null, 2))],
    [page, replaceTable(await readFile(join(root, page), 'utf8'), operations)],
  ];
  if (!args.includes('--check')) {
    for (const [file, text] of files) await writeFile(join(root, file), text);
    return 0;
  }
  for (const [file, text] of files) {
    if ((await readFile(join(root, file), 'utf8')) === text) continue;
    process.stderr.write(`${file} differs from the source. Run \`node scripts/write-openapi.mjs\`.\n`);
    return 1;
  }
  return 0;
});

function replaceTable(text, operations) {
  const rows = Object.entries(operations).map(
    ([id, { method, path, scope, summary }]) =>
      `| \`${id}\` | \`${method} ${path}\` | ${scope === null ? '' : `\`${scope}\``} | ${summary.replaceAll('|', '\\|')} |`,
  );
  const table = ['| operation | request | scope | |', '| --- | --- | --- | --- |', ...rows].join('\n');
  return text.replace(
    /(<!-- operations.*-->\n)[\s\S]*(<!-- end of operations -->)/,
    (_, before, after) => `${before}\n${table}\n\n${after}`,
  );
}

/** As `npm run lint` wants it. */
function format(json) {
  const biome = join(root, 'node_modules/.bin/biome');
  return execFileSync(biome, ['format', '--stdin-file-path', join(root, document)], {
    cwd: root,
    input: json,
    encoding: 'utf8',
  });
}

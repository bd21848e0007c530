/** `longhand/http`, as it is built, in a browser: no module of Node, no Temporal, no zod, and small. */

import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { expect, it } from 'vitest';

async function bundle() {
  const { outputFiles, metafile } = await build({
    entryPoints: [fileURLToPath(new URL('../../dist/src/entries/http.js', import.meta.url))],
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
  });
  return { code: outputFiles[0]?.contents ?? new Uint8Array(), packages: listPackages(Object.keys(metafile.inputs)) };
}

function listPackages(files: readonly string[]): readonly string[] {
  const names = files.flatMap((file) =>
    [...file.matchAll(/node_modules\/((?:@[^/]+\/)?[^/]+)/g)].map(([, name]) => name),
  );
  return [...new Set(names)].map(String);
}

it('the client is a bundle for browsers of less than 6 kB, compressed, with one package', async () => {
  const { code, packages } = await bundle();
  expect(packages).toEqual(['eventsource-parser']);
  expect(gzipSync(code).byteLength).toBeLessThan(6_000);
});

/**
 * `isolate` and the functions of isolated-functions.ts, compiled: a thread or a process loads them at once. From their sources it
 * would load tsx for each call, which takes half a second.
 */

import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildOptions, outputFolder, writeOutput } from './built-module.js';

interface BuiltIsolate {
  readonly isolate: typeof import('../../src/tools/isolation/isolate.js').isolate;
  /** The module of `isolate`. */
  readonly entry: URL;
  /** The module with the functions. */
  readonly module: URL;
}

let built: Promise<BuiltIsolate> | null = null;

/** Builds them once in this process. */
export function loadBuiltIsolate(): Promise<BuiltIsolate> {
  built ??= buildIsolate();
  return built;
}

async function buildIsolate(): Promise<BuiltIsolate> {
  const { build } = await import('esbuild');
  const folder = join(outputFolder, 'isolation');
  // The entry is where the package's build has it (src/package).
  const entries = {
    isolate: '../../src/tools/isolation/isolate.ts',
    'dist/src/tools/isolation/entry': '../../src/tools/isolation/entry.ts',
    'isolated-functions': './isolated-functions.ts',
  };
  const { outputFiles } = await build({
    entryPoints: Object.entries(entries).map(([out, path]) => ({
      in: fileURLToPath(new URL(path, import.meta.url)),
      out,
    })),
    ...buildOptions,
    // The entry and the functions share their modules, as uncompiled ones do.
    ...{ splitting: true, outdir: folder },
  });
  await writeOutput(join(folder, 'package.json'), '{ "type": "module" }');
  for (const { path, text } of outputFiles) await writeOutput(path, text);
  const at = (name: string) => pathToFileURL(join(folder, name));
  const entry = at('isolate.js');
  const { isolate } = (await import(/* @vite-ignore */ entry.href)) as BuiltIsolate;
  return { isolate, entry, module: at('isolated-functions.js') };
}

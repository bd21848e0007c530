/**
 * `isolate` and the functions of isolated-functions.ts, compiled: a thread or a process loads them at once. From their sources it
 * would load tsx for each call, which takes half a second.
 */

import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { buildOptions, outputFolder, writeOutput } from './built-module.js';

interface BuiltIsolate {
  readonly isolate: typeof import('../../src/tools/isolation/isolate.js').isolate;
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
  const paths = [
    '../../src/tools/isolation/isolate.ts',
    '../../src/tools/isolation/entry.ts',
    './isolated-functions.ts',
  ];
  const { outputFiles } = await build({
    entryPoints: paths.map((path) => fileURLToPath(new URL(path, import.meta.url))),
    ...buildOptions,
    // The entry and the functions share their modules, as uncompiled ones do.
    ...{ splitting: true, entryNames: '[name]', outdir: folder },
  });
  await writeOutput(join(folder, 'package.json'), '{ "type": "module" }');
  for (const { path, text } of outputFiles) await writeOutput(path, text);
  const at = (name: string) => pathToFileURL(join(folder, name));
  const { isolate } = (await import(/* @vite-ignore */ at('isolate.js').href)) as BuiltIsolate;
  return { isolate, module: at('isolated-functions.js') };
}

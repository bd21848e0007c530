/**
 * Modules of tests and benches that run in processes of their own, each built into one file: a process loads its file in a third
 * of the time that its sources take with tsx.
 */

import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Plugin } from 'esbuild';

const checkout = fileURLToPath(new URL('../..', import.meta.url));

/** Below the folder from which the packages are resolved. */
export const outputFolder = toOutputFolder(checkout);

function toOutputFolder(folder: string): string {
  return join(folder, 'node_modules/.cache/longhand-test/');
}

/** Packages stay outside. */
export const buildOptions = {
  bundle: true,
  write: false,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  packages: 'external',
} as const;

/** Modules find files next to their source, as they do with tsx. */
const sourceUrls: Plugin = {
  name: 'source-urls',
  setup: ({ onLoad }) => {
    onLoad({ filter: /\/(src|test|bench)\/.*\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, 'utf8');
      if (!source.includes('import.meta.url')) return null;
      const url = JSON.stringify(pathToFileURL(path).href);
      // By a name: the source may have it within a text, too.
      const contents = `const sourceUrl = ${url};${source.replaceAll('import.meta.url', 'sourceUrl')}`;
      return { contents, loader: 'ts' };
    });
  },
};

/** The files that this process has built, by their module. They hold no state of a test. */
const built = new Map<string, Promise<string>>();

/** Returns the path of the file. Builds it once in this process. */
export function buildModule({ href }: URL): Promise<string> {
  const known = built.get(href) ?? writeModule(checkout, relative(checkout, fileURLToPath(href)));
  built.set(href, known);
  return known;
}

/** Builds a module of a checkout, with its packages. `path` is relative to the checkout. Returns the path of the file. */
export async function writeModule(folder: string, path: string): Promise<string> {
  // Not at the top: the modules that are built may import this one.
  const { build } = await import('esbuild');
  const { outputFiles } = await build({
    entryPoints: [join(folder, path)],
    ...buildOptions,
    plugins: [sourceUrls],
  });
  const file = join(toOutputFolder(folder), `${path.replace(/^test\//, '').replaceAll(/[/.]/g, '-')}.mjs`);
  await writeOutput(file, outputFiles[0]?.text ?? '');
  return file;
}

/** Replaces a file at once: another process may write or load it too. */
export async function writeOutput(file: string, text: string): Promise<void> {
  const own = `${file}.${process.pid}`;
  await mkdir(dirname(file), { recursive: true });
  await writeFile(own, text);
  await rename(own, file);
}

/** Stage `build`, and `npm run build`: modules and declarations to dist/src of each package, and the workflow bundle beside it. */

import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { bundleModules } from './bundle.mjs';
import { capture, root } from './child.mjs';
import { importDirectly } from './direct-imports.mjs';
import { checkNode } from './packages.mjs';
import { listExported, published, removeBuild, writePackages } from './split-packages.mjs';
import { main, SetupError, stage } from './stage.mjs';

const scripts = [
  'scripts/build.mjs',
  'scripts/bundle.mjs',
  'scripts/join-chunks.mjs',
  'scripts/direct-imports.mjs',
  'scripts/split-packages.mjs',
];
const stamp = join(root, 'dist/.stamp');

/** Returns a hash of all inputs of a build. */
async function sources() {
  const manifests = published.map(({ folder }) => relative(root, join(folder, 'package.json')));
  const single = [...manifests, 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json', ...scripts];
  const found = await readdir(join(root, 'src'), { recursive: true, withFileTypes: true });
  const files = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const hash = createHash('sha256');
  for (const file of [...single.map((name) => join(root, name)), ...files.sort()]) {
    hash
      .update(`${file.slice(root.length)}\0`)
      .update(await readFile(file))
      .update('\0');
  }
  return hash.digest('hex');
}

async function writeDeclarations() {
  const tsc = join(root, 'node_modules/typescript/bin/tsc');
  const folder = await mkdtemp(join(tmpdir(), 'longhand-declarations-'));
  try {
    const { code, output } = await capture(process.execPath, [tsc, '-p', 'tsconfig.build.json', '--outDir', folder]);
    if (code !== 0) throw new SetupError(`The build failed:\n${output.trim()}`);
    const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.d.ts'));
    const texts = names.map(async (name) => [relative('src', name), await readFile(join(folder, name), 'utf8')]);
    const files = importDirectly(new Map(await Promise.all(texts)));
    const entries = published.flatMap((each) => listExported(each).map((entry) => [`${entry}.d.ts`, each.name]));
    await writePackages(
      files,
      entries.filter(([name]) => files.has(name)),
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Bundles the workflow: a worker in production starts without a bundler. */
async function bundleWorkflows() {
  const { buildWorkflowBundle } = await import(pathToFileURL(join(root, 'dist/src/worker/bundle.js')).href);
  await writeFile(join(root, 'dist/workflow-bundle.js'), await stripComments(await buildWorkflowBundle()));
}

/** Removes comments, except licences, the source map and the names of modules. Lines keep their numbers, which the source map maps. */
async function stripComments(code) {
  const { parseSync } = await import('rolldown/utils');
  let stripped = '';
  let at = 0;
  for (const { start, end } of parseSync('workflow-bundle.js', code).comments) {
    const comment = code.slice(start, end);
    if (/^\/\/ src\/|@license|@preserve|copyright|sourceMappingURL/i.test(comment)) continue;
    stripped += code.slice(at, start) + (comment.replace(/[^\n]+/g, '') || ' ');
    at = end;
  }
  return stripped + code.slice(at);
}

/** Builds if a source changed since the last complete build. */
export async function build(announce) {
  const hash = await sources();
  if (hash === (await readFile(stamp, 'utf8').catch(() => ''))) return 'build in place';
  announce('building (types, modules, workflow bundle)');
  await removeBuild();
  await mkdir(join(root, 'dist'));
  await writeDeclarations();
  await bundleModules();
  await bundleWorkflows();
  await writeFile(stamp, hash);
  return 'built';
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await main(async () => {
    checkNode();
    await stage({}, build);
    return 0;
  });
}

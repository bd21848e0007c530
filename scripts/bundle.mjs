/** The modules of the build: what users import and what is loaded by its path, each bundled, with shared chunks. */

import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './child.mjs';
import { joinChunks } from './join-chunks.mjs';
import { findHomes, listExported, published, writePackages } from './split-packages.mjs';

const isWorkflow = (entry) => entry.startsWith('workflows/');

/** What the manifests export, and what src finds by its path (src/package), each with the name of its package. */
const entries = new Map([
  ...published.flatMap((each) => listExported(each).map((entry) => [entry, each.name])),
  ['tools/isolation/entry', '@longhand/tools'],
  // For the build, which writes the bundle of a worker without workflows of the user.
  ['worker/bundle', 'longhand'],
]);
const exported = [...entries.keys()];

/** What runs in Temporal's sandbox. The bundler of workers with workflows of the user reads these. */
const workflowEntries = [
  ...exported.filter(isWorkflow),
  ...['index', 'combined-bundle', 'hosted-by-longhand', 'shared-modules', 'tracing', 'promise-stacks'].map(toWorkflow),
  ...['payload-converter', 'failure-converter'].map(toWorkflow),
];

function toWorkflow(name) {
  return `workflows/${name}`;
}

/**
 * Writes dist/src of each package. Each module of a process is in one chunk only: a second copy would have a registry of its own, such as
 * that of secrets. An entry loads the modules that its exports need, instead of all of their rooms.
 */
export async function bundleModules() {
  const modules = exported.filter((entry) => !isWorkflow(entry));
  const owners = modules.map((entry) => [`${entry}.js`, entries.get(entry)]);
  const chunks = await bundle(modules, 'chunks');
  const homes = findHomes(readTexts(chunks), owners);
  const mayJoin = (...pair) =>
    pair.every(({ moduleIds }) => findCaller(moduleIds) === undefined) &&
    homes.get(pair[0].fileName) === homes.get(pair[1].fileName);
  const joined = joinChunks(chunks, ['entries/http.js', 'entries/view.js'], mayJoin);
  const groups = [{ debugName: 'joined', name: (id) => joined.get(id) ?? null }];
  // The groups have all modules that an entry shares with others, so no entry gets further exports.
  const codeSplitting = { groups, includeDependenciesRecursively: false };
  const files = await bundle(modules, 'chunks', { signatures: 'allow-extension', codeSplitting });
  await writePackages(readTexts(files), owners);
  await writePackages(
    readTexts(await bundle(workflowEntries, 'workflows/chunks')),
    workflowEntries.map((entry) => [`${entry}.js`, 'longhand']),
  );
  // Temporal loads this file by its path, as CommonJS.
  const path = 'src/encryption/failure-converter.cjs';
  await copyFile(join(root, path), join(root, 'dist', path));
}

function readTexts(chunks) {
  return new Map(chunks.map(({ fileName, code }) => [fileName, code]));
}

async function bundle(names, chunks, { signatures = 'strict', codeSplitting } = {}) {
  const { build } = await import('rolldown');
  const { output } = await build({
    cwd: root,
    input: Object.fromEntries(names.map((name) => [name, `src/${name}.ts`])),
    // Workflows have no modules of Node, which the runtime for Node would import.
    platform: 'neutral',
    preserveEntrySignatures: signatures,
    external: (id, _importer, isResolved) => id === hosted || (!isResolved && !/^[./]/.test(id)),
    makeAbsoluteExternalsRelative: false,
    // No module does anything when it is imported. Those loaded for what they do are entries.
    treeshake: { moduleSideEffects: false },
    write: false,
    output: {
      format: 'esm',
      entryFileNames: '[name].js',
      chunkFileNames: ({ moduleIds }) => `${chunks}/${findCaller(moduleIds) ?? '[name]'}-[hash].js`,
      comments: false,
      codeSplitting,
    },
    tsconfig: false,
    logLevel: 'warn',
  });
  return output;
}

/** Modules that call code of the user: the stack of its errors ends at the chunk with one of them, which has its name. */
const callers = [
  'activities/tool/run-tool',
  'activities/tool/execute-tool',
  'tools/define/define-tool',
  'cli/run/load-module',
];

function findCaller(moduleIds) {
  const caller = callers.find((each) => moduleIds.includes(join(root, `src/${each}.ts`)));
  return caller?.split('/').at(-1);
}

/** The user's workflows replace this module when a worker bundles them (src/worker/bundle.ts). */
const hosted = './hosted-by-longhand.js';

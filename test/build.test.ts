/** What the build has to keep of the source, because code finds it by its path or by the name of a file. */

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { ownFrame as toolFrame } from '../src/activities/tool/tool-failure.js';
import { ownFrame as loaderFrame } from '../src/cli/run/load-module.js';
import { listBuiltImports } from './support/built-imports.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const folders = ['', 'packages/tools/', 'packages/gateway/', 'packages/cli/'];
const dist = `${root}dist/src/`;

/** Lists the built files of a package, with their texts. */
function readBuilt(folder: string): readonly { readonly path: string; readonly code: string }[] {
  const files = readdirSync(`${root}${folder}dist/src`, { recursive: true, encoding: 'utf8' });
  const paths = files.filter((name) => name.endsWith('.js')).map((name) => `${root}${folder}dist/src/${name}`);
  return paths.map((path) => ({ path, code: readFileSync(path, 'utf8') }));
}

/** Returns the path of the built file that has the code of a source. */
function findBuilt(source: string): string {
  const found = folders.flatMap(readBuilt).filter(({ code }) => code.includes(`// src/${source}\n`));
  expect(found, source).toHaveLength(1);
  return found[0]?.path ?? '';
}

it.each([
  ['activities/tool/run-tool.ts', toolFrame],
  ['activities/tool/execute-tool.ts', toolFrame],
  ['tools/define/define-tool.ts', toolFrame],
  ['tools/isolation/entry.ts', toolFrame],
  ['cli/run/load-module.ts', loaderFrame],
])('the stack of an error of a user ends at %s', (source, frame) => {
  expect(`    at call (${findBuilt(source)}:1:1)`).toMatch(frame);
  expect(`    at call (/src/${source}:1:1)`).toMatch(frame);
});

/** Lists the built files that a file imports when it is loaded. */
function listImported(path: string, code: string): readonly string[] {
  return listBuiltImports(path, code).filter((from) => from.startsWith('/'));
}

/** Entries of each package; importing the command's would run it. */
const entries = [
  ...[
    'index',
    'entries/client',
    'entries/worker',
    'entries/models',
    'entries/prompts',
    'entries/store',
    'entries/view',
    'entries/http',
  ].map((entry) => ['', entry]),
  ['packages/tools/', 'entries/tools'],
  ['packages/gateway/', 'entries/gateway'],
];

it.each(entries)('the built %s%s exports the names of its source', async (folder, entry) => {
  const built: object = await import(/* @vite-ignore */ `${root}${folder}dist/src/${entry}.js`);
  const source: object = await import(/* @vite-ignore */ `${root}src/${entry}.ts`);
  expect(Object.keys(built).toSorted()).toEqual(Object.keys(source).toSorted());
});

it('a worker bundles workflows of the user with those of the build', async () => {
  const { buildWorkflowBundle } = (await import(
    /* @vite-ignore */ `${dist}worker/bundle.js`
  )) as typeof import('../src/worker/bundle.js');
  const code = await buildWorkflowBundle({
    workflowsPath: fileURLToPath(new URL('support/own-workflows.ts', import.meta.url)),
  });
  expect(code).toMatch(/hosted-by-longhand\.js \*\/ "[^"]*own-workflows\.ts"/);
});

/** Packages that only declarations import, or that are loaded in another way: by a path, in a thread. */
const notImported = ['@standard-schema/spec', 'better-sqlite3', 'jmespath', 'tsx', 'zod'];
/** For the worker that the command starts. */
const ofWorker = ['@temporalio/activity', '@temporalio/workflow'];

it.each(folders)('the package in ./%s lists what its files import', (folder) => {
  const { name, dependencies, peerDependencies, optionalDependencies } = JSON.parse(
    readFileSync(`${root}${folder}package.json`, 'utf8'),
  ) as { readonly name: string } & Readonly<Record<string, Readonly<Record<string, string>>>>;
  const listed = Object.keys({ ...dependencies, ...peerDependencies, ...optionalDependencies });
  const imported = new Set(
    readBuilt(folder).flatMap(({ code }) =>
      [...code.matchAll(/^(?:import|export) (?:[^;"']+ from )?["']([^"']+)["'];$|\bimport\(["']([^"'.][^"']*)["']\)/gm)]
        .map(([, from, loaded]) => from ?? loaded ?? '')
        .filter((from) => !/^\.|^node:/.test(from))
        .map((from) =>
          from
            .split('/')
            .slice(0, from.startsWith('@') ? 2 : 1)
            .join('/'),
        ),
    ),
  );
  imported.delete(name);
  const others = [...notImported, ...(name === '@longhand/cli' ? ofWorker : [])].filter((each) =>
    listed.includes(each),
  );
  expect([...new Set([...imported, ...others])].toSorted()).toEqual(listed.toSorted());
});

it('the types of a project load no database and no SDK of a provider', () => {
  const project = `${root}project.ts`;
  const code = ['longhand', 'longhand/client', 'longhand/worker'].map((name) => `import '${name}';`).join('\n');
  const options = { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2023, types: [], skipLibCheck: true };
  const host = ts.createCompilerHost(options);
  const readFile = (path: string) => (path === project ? code : ts.sys.readFile(path));
  const getSourceFile: ts.CompilerHost['getSourceFile'] = (path, version) =>
    path === project ? ts.createSourceFile(path, code, version) : host.getSourceFile(path, version);
  const program = ts.createProgram([project], options, { ...host, readFile, getSourceFile });
  const files = program.getSourceFiles().map(({ fileName }) => fileName);
  expect(
    files.filter((path) => /node_modules\/(kysely|openai|@anthropic-ai|pg|@opentelemetry\/sdk)/.test(path)),
  ).toEqual([]);
  // Each costs a type check about a millisecond.
  const own = files.filter((path) => path.startsWith(dist));
  expect(own.length).toBeGreaterThan(100);
  expect(own.length).toBeLessThan(230);
});

it('each file of the build imports files that exist, and none that imports it', () => {
  const imports = new Map(folders.flatMap(readBuilt).map(({ path, code }) => [path, listImported(path, code)]));
  const missing = [...imports].flatMap(([path, others]) =>
    others.filter((other) => !existsSync(other)).map((other) => [path, other]),
  );
  expect(missing).toEqual([]);
  const circles = [...imports.keys()].filter((path) => {
    const reached = new Set(imports.get(path));
    for (const each of reached) for (const other of imports.get(each) ?? []) reached.add(other);
    return reached.has(path);
  });
  expect(circles).toEqual([]);
  expect(imports.size).toBeGreaterThan(100);
});

it.each(entries)('the declarations of %s%s have the values that are exported', async (folder, entry) => {
  const path = `${root}${folder}dist/src/${entry}.d.ts`;
  const program = ts.createProgram([path], { module: ts.ModuleKind.NodeNext, types: [], skipLibCheck: true });
  const checker = program.getTypeChecker();
  const file = program.getSourceFile(path);
  const symbols = checker.getExportsOfModule(checker.getSymbolAtLocation(file!)!);
  const isType = ({ declarations = [] }: ts.Symbol) =>
    declarations.some((each) => ts.isExportSpecifier(each) && (each.isTypeOnly || each.parent.parent.isTypeOnly));
  const values = symbols.filter((symbol) => {
    const meaning = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
    return (meaning.flags & ts.SymbolFlags.Value) !== 0 && !isType(symbol);
  });
  const built: object = await import(/* @vite-ignore */ path.replace('.d.ts', '.js'));
  expect(values.map(({ name }) => name).toSorted()).toEqual(Object.keys(built).toSorted());
});

it('longhand has at most 6 MB unpacked, with the bundle of its workflows', () => {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts'];
  const [packed] = JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8' })) as readonly [
    { readonly unpackedSize: number; readonly files: readonly { readonly path: string }[] },
  ];
  expect(packed.files.map(({ path }) => path)).toContain('dist/workflow-bundle.js');
  expect(packed.unpackedSize).toBeLessThan(6_000_000);
});

it('a package has no modules of rooms of the packages above it', () => {
  const rooms = createRequire(import.meta.url)('../rooms.cjs') as {
    readonly table: Readonly<Record<string, { readonly package?: string }>>;
  };
  const above = Object.entries(rooms.table).filter(([, row]) => row.package !== undefined);
  const misplaced = readBuilt('').flatMap(({ path, code }) =>
    above.filter(([room]) => code.includes(`// src/${room}/`)).map(([room]) => [room, path]),
  );
  expect(above.length).toBeGreaterThan(5);
  expect(misplaced).toEqual([]);
});

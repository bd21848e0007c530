/** The package shares Temporal's SDK and zod with its user: a process with two copies of the SDK has two native cores. */

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';

type Versions = Readonly<Record<string, string>>;

const root = fileURLToPath(new URL('..', import.meta.url));
const { exports, dependencies, peerDependencies, peerDependenciesMeta, devDependencies } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
) as {
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
  readonly dependencies: Versions;
  readonly peerDependencies: Versions;
  readonly peerDependenciesMeta: Readonly<Record<string, { readonly optional: boolean }>>;
  readonly devDependencies: Versions;
};

/** Loaded when they are used. */
const optionalPeers = Object.keys(peerDependenciesMeta).filter((name) => peerDependenciesMeta[name]?.optional);
const neededPeers = Object.keys(peerDependencies).filter((name) => !optionalPeers.includes(name));

const isShared = (name: string) => name === 'zod' || name.startsWith('@temporalio/');

it('the packages that a user shares with Longhand are peer dependencies, and no others are', () => {
  expect(Object.keys(dependencies).filter(isShared)).toEqual([]);
  expect(neededPeers.filter((name) => !isShared(name))).toEqual([]);
});

it('every shared package that src imports is a peer dependency', () => {
  const files = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    /\.c?ts$/.test(name),
  );
  const imported = new Set(
    files.flatMap((name) =>
      [...readFileSync(join(root, 'src', name), 'utf8').matchAll(/from '((?:@temporalio\/)?[a-z-]+)/g)].map(
        ([, from = '']) => from,
      ),
    ),
  );
  expect([...imported].filter(isShared).sort()).toEqual([...neededPeers].sort());
});

it('is tested with one version of the SDK, which is the lowest that it accepts', () => {
  const [tested, ...others] = new Set(
    Object.entries(devDependencies).flatMap(([name, version]) => (name.startsWith('@temporalio/') ? [version] : [])),
  );
  expect(others).toEqual([]);
  const accepted = Object.entries(peerDependencies).filter(([name]) => name.startsWith('@temporalio/'));
  expect(new Set(accepted.map(([, range]) => range))).toEqual(new Set([`^${tested}`]));
});

it('packages that only some users need are optional peers, tested with the lowest version that is accepted', () => {
  expect(optionalPeers).toContain('@modelcontextprotocol/sdk');
  for (const name of optionalPeers) expect([name, peerDependencies[name]]).toEqual([name, `^${devDependencies[name]}`]);
});

it('declarations name no source files: the package lacks them', () => {
  const host = { ...ts.sys, onUnRecoverableConfigFileDiagnostic: () => {} };
  const options = ts.getParsedCommandLineOfConfigFile(join(root, 'tsconfig.build.json'), {}, host)?.options;
  expect(options?.outDir).toBe(join(root, 'dist'));
  const file = join(root, 'src/timing/with-timeout.ts');
  const program = ts.createProgram([file], { ...options, noCheck: true });
  const written: Record<string, string> = {};
  program.emit(
    program.getSourceFile(file),
    (path, text) => void Object.assign(written, { [posix.basename(path)]: text }),
  );
  expect(Object.keys(written)).toEqual(['with-timeout.d.ts']);
  expect(written['with-timeout.d.ts']).not.toContain('sourceMappingURL');
});

it('every entry of the package is built from a source file', () => {
  const entries = Object.entries(exports).flatMap(([, files]) => (typeof files === 'string' ? [] : [files]));
  expect(Object.keys(exports)).toContain('./workflow');
  const { files } = JSON.parse(readFileSync(join(root, 'tsconfig.build.json'), 'utf8')) as {
    readonly files: readonly string[];
  };
  const sources = entries.map(({ default: code }) => code.replace('./dist/', '').replace(/\.js$/, '.ts'));
  expect([...files].sort()).toEqual(sources.sort());
  for (const { types, default: code } of entries) {
    expect(types).toBe(code.replace(/\.js$/, '.d.ts'));
    expect(existsSync(join(root, code.replace('./dist/', '').replace(/\.js$/, '.ts')))).toBe(true);
  }
});

it('the pages that the README and the examples link to are in the package, without their images', () => {
  const packed = execFileSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: root,
    encoding: 'utf8',
  });
  const [{ files }] = JSON.parse(packed) as readonly [{ readonly files: readonly { readonly path: string }[] }];
  const paths = files.map(({ path }) => path);
  const links = ['README.md', 'examples/README.md'].flatMap((page) =>
    [...readFileSync(join(root, page), 'utf8').matchAll(/\]\((?!http)([^)#]+\.md)/g)].map(([, to = '']) =>
      posix.join(posix.dirname(page), to),
    ),
  );
  const docs = links.filter((link) => link.startsWith('docs/'));
  expect(docs).toEqual(expect.arrayContaining(['docs/getting-started.md', 'docs/operating.md']));
  expect(paths).toEqual(expect.arrayContaining(docs));
  expect(paths.filter((path) => path.endsWith('.png'))).toEqual([]);
});

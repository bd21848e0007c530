/** The packages share Temporal's SDK and zod with their user: a process with two copies of the SDK has two native cores. */

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { expect, it } from 'vitest';

type Versions = Readonly<Record<string, string>>;

const root = fileURLToPath(new URL('..', import.meta.url));
interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>;
  readonly dependencies: Versions;
  readonly peerDependencies: Versions;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional: boolean }>>;
  readonly devDependencies: Versions;
}

const readManifest = (folder: string) =>
  JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as Manifest;
const longhand = readManifest('.');
const others = ['tools', 'gateway', 'cli'].map((name) => readManifest(`packages/${name}`));
const { devDependencies } = longhand;

const isShared = (name: string) => name === 'zod' || name.startsWith('@temporalio/');
const isOptional = ({ peerDependenciesMeta = {} }: Manifest, name: string) =>
  peerDependenciesMeta[name]?.optional === true;

it('the packages that a user shares with Longhand are peer dependencies', () => {
  for (const { name, dependencies } of [longhand, ...others])
    expect(Object.keys(dependencies).filter(isShared), name).toEqual([]);
});

it('longhand requires what a client needs; what workers and stores need is optional', () => {
  const required = Object.keys(longhand.peerDependencies).filter((name) => !isOptional(longhand, name));
  expect(required).toEqual([
    '@grpc/grpc-js',
    ...['client', 'common', 'envconfig', 'proto'].map((name) => `@temporalio/${name}`),
    'zod',
  ]);
});

it('is tested with one version of the SDK, which is the lowest that it accepts', () => {
  const [tested, ...further] = new Set(
    Object.entries(devDependencies).flatMap(([name, version]) => (name.startsWith('@temporalio/') ? [version] : [])),
  );
  expect(further).toEqual([]);
  const accepted = [longhand, ...others].flatMap(({ peerDependencies }) =>
    Object.entries(peerDependencies).filter(([name]) => name.startsWith('@temporalio/')),
  );
  expect(new Set(accepted.map(([, range]) => range))).toEqual(new Set([`^${tested}`]));
});

it('packages that only some users need are optional peers, tested with the lowest version that is accepted', () => {
  for (const each of [longhand, ...others]) {
    for (const [name, range] of Object.entries(each.peerDependencies).filter(([peer]) => isOptional(each, peer))) {
      const tested =
        devDependencies[name] ?? others.find(({ dependencies }) => name in dependencies)?.dependencies[name];
      // npm rejects a project that has a version outside of the range, also where it does not use the package with Longhand.
      const isOpen = name.startsWith('@opentelemetry/');
      expect([`^${tested}`, `>=${tested}`, ...(isOpen ? ['*'] : [])], name).toContain(range);
    }
  }
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

it('the other packages have the version of longhand, and accept no other one', () => {
  for (const { version, peerDependencies: peers } of others) {
    expect(version).toBe(longhand.version);
    const own = Object.entries(peers).filter(([name]) => /^(@longhand\/|longhand$)/.test(name));
    expect(own).toContainEqual(['longhand', version]);
    for (const [name, range] of own) expect([name, range]).toEqual([name, version]);
  }
});

it('what several packages need, they need in one version', () => {
  const accepted = new Map<string, string>();
  for (const each of [...others, longhand]) {
    const { optionalDependencies } = each as Manifest & { readonly optionalDependencies?: Versions };
    for (const [name, range] of Object.entries({ ...each.dependencies, ...optionalDependencies })) {
      expect([name, accepted.get(name) ?? range]).toEqual([name, range]);
      accepted.set(name, range);
    }
  }
});

it('every entry of the packages is built from a source file', () => {
  const entries = [longhand, ...others].flatMap((each) =>
    Object.values(each.exports).flatMap((files) =>
      typeof files === 'string' || files.default.includes('*') ? [] : [files],
    ),
  );
  expect(Object.keys(longhand.exports)).toContain('./workflow');
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
  expect(docs).toEqual(expect.arrayContaining(['docs/getting-started.md', 'docs/prices.md']));
  expect(paths).toEqual(expect.arrayContaining(docs));
  expect(paths.filter((path) => path.endsWith('.png'))).toEqual([]);
});

/** The package shares Temporal's SDK and zod with its user: a process with two copies of the SDK has two native cores. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

type Versions = Readonly<Record<string, string>>;

const root = fileURLToPath(new URL('..', import.meta.url));
const { dependencies, peerDependencies, devDependencies } = JSON.parse(
  readFileSync(join(root, 'package.json'), 'utf8'),
) as { readonly dependencies: Versions; readonly peerDependencies: Versions; readonly devDependencies: Versions };

const isShared = (name: string) => name === 'zod' || name.startsWith('@temporalio/');

it('the packages that a user shares with Longhand are peer dependencies, and no others are', () => {
  expect(Object.keys(dependencies).filter(isShared)).toEqual([]);
  expect(Object.keys(peerDependencies).filter((name) => !isShared(name))).toEqual([]);
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
  expect([...imported].filter(isShared).sort()).toEqual(Object.keys(peerDependencies).sort());
});

it('is tested with one version of the SDK, which is the lowest that it accepts', () => {
  const [tested, ...others] = new Set(
    Object.entries(devDependencies).flatMap(([name, version]) => (name.startsWith('@temporalio/') ? [version] : [])),
  );
  expect(others).toEqual([]);
  const accepted = Object.entries(peerDependencies).filter(([name]) => name !== 'zod');
  expect(new Set(accepted.map(([, range]) => range))).toEqual(new Set([`^${tested}`]));
});

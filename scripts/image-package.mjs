/**
 * Turns package.json into that of the container image, in place: `node scripts/image-package.mjs`. For the Dockerfile.
 *
 * The image has what all packages need. Peer dependencies are chosen by a project: the image is its own project, and has those that
 * the tests pass with. It has no SQLite, which is compiled, and which a container would lose: its store is Postgres.
 */

import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const read = (path) => JSON.parse(readFileSync(path, 'utf8'));
const {
  devDependencies,
  peerDependencies,
  peerDependenciesMeta: _,
  scripts: __,
  workspaces: ___,
  ...root
} = read('package.json');

const peers = new Set(Object.keys(peerDependencies));
const dependencies = { ...root.dependencies };
for (const name of readdirSync('packages')) {
  const manifest = read(`packages/${name}/package.json`);
  Object.assign(dependencies, manifest.dependencies);
  for (const peer of Object.keys(manifest.peerDependencies)) peers.add(peer);
}
for (const name of peers) {
  const isOwn = name === 'longhand' || name.startsWith('@longhand/');
  if (!isOwn && name !== 'better-sqlite3') dependencies[name] ??= devDependencies[name];
}
writeFileSync('package.json', `${JSON.stringify({ ...root, dependencies }, null, 2)}\n`);

/**
 * Turns package.json into that of the container image, in place: `node scripts/image-package.mjs`. For the Dockerfile.
 *
 * The packages of Temporal and zod are peer dependencies, which a project chooses: the image is its own project, and has those
 * that the tests pass with. It has no SQLite, which is compiled, and which a container would lose: its store is Postgres.
 */

import { readFileSync, writeFileSync } from 'node:fs';

const {
  devDependencies,
  optionalDependencies: _,
  peerDependencies,
  peerDependenciesMeta: __,
  scripts: ___,
  ...rest
} = JSON.parse(readFileSync('package.json', 'utf8'));
const peers = Object.keys(peerDependencies).map((name) => [name, devDependencies[name]]);
const dependencies = Object.fromEntries([...Object.entries(rest.dependencies), ...peers].sort());
writeFileSync('package.json', `${JSON.stringify({ ...rest, dependencies }, null, 2)}\n`);

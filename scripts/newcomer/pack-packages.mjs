/** The packages as npm would publish them. */

import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { runQuietly } from '../child.mjs';

/** Packs all packages into a folder, and returns the paths of the tarballs. */
export async function packPackages(folder) {
  const packed = join(folder, 'packed');
  await mkdir(packed);
  await runQuietly('npm', ['pack', '--workspaces', '--pack-destination', packed, '--silent']);
  return (await readdir(packed)).map((name) => join(packed, name));
}

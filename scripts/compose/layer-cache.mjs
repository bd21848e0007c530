/**
 * Layers of images, kept between runs as Docker keeps them: the folder of a stage after a step, by the digest of all steps until then
 * and of the files that they copied.
 */

import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { getCacheFolder, moveUnlessMade } from '../cache-folder.mjs';

/** The newest are kept: the packages to build with, those of the image, and the build. */
const maxLayers = 4;

const layers = join(getCacheFolder(), 'layers');

export function computeDigest(...parts) {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

/** Returns the digest of a file, or of a folder with all that is in it. */
export function digestFiles(path) {
  if (!statSync(path).isDirectory()) return computeDigest(readFileSync(path, 'base64'));
  const names = readdirSync(path).sort();
  return computeDigest(names.map((name) => [name, digestFiles(join(path, name))]));
}

/** Replaces the folder by the layer. Returns false where the cache does not have it. */
export function restoreLayer(digest, folder) {
  const layer = join(layers, digest);
  if (!existsSync(layer)) return false;
  rmSync(folder, { recursive: true, force: true });
  copyLinks(layer, folder);
  utimesSync(layer, new Date(), new Date());
  return true;
}

/** Keeps the folder as a layer, and removes the oldest ones. */
export function saveLayer(digest, folder) {
  mkdirSync(layers, { recursive: true });
  const unfinished = join(layers, `${digest}.${process.pid}`);
  try {
    copyLinks(folder, unfinished);
    moveUnlessMade(unfinished, join(layers, digest));
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  // Those with a dot are still written by other processes.
  const names = readdirSync(layers).filter((name) => !name.includes('.'));
  const used = names.map((name) => ({ name, at: statSync(join(layers, name)).mtimeMs }));
  for (const { name } of used.sort((a, b) => b.at - a.at).slice(maxLayers))
    rmSync(join(layers, name), { recursive: true, force: true });
}

/**
 * Links files where both are on one file system: a copy of all packages takes as long as their installation. So a step must replace
 * files of the layer, as npm does, and never write into one.
 */
function copyLinks(from, to) {
  try {
    execFileSync('cp', ['-a', '--link', from, to], { stdio: 'ignore' });
  } catch {
    rmSync(to, { recursive: true, force: true });
    execFileSync('cp', ['-a', from, to]);
  }
}

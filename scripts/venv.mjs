/**
 * Virtual environments of Python for tests, in the cache folder of the Temporal CLI, which all checkouts share. The name of one has the
 * versions of all its packages.
 */

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { getCacheFolder, moveUnlessMade } from './cache-folder.mjs';
import { capture, root } from './child.mjs';
import { SetupError } from './stage.mjs';

/**
 * @param {{ package: string, extra?: string, label: string, cost: string }} options `package`: named in the file of constraints
 *   `scripts/<package>-constraints.txt`, which has the versions that the tests pass with; a platform may need more or fewer packages.
 *   `label`: in messages. `cost`: time and space, in words
 */
export function defineVenv({ package: main, extra = '', label, cost }) {
  const constraintsFile = join(root, 'scripts', `${main}-constraints.txt`);
  const constraints = readFileSync(constraintsFile, 'utf8');
  const version = new RegExp(`^${main}==(.+)$`, 'm').exec(constraints)[1];

  /** Returns the folder of the environment, whether or not it was made. */
  function getFolder(env = process.env) {
    return join(
      getCacheFolder(env),
      `${main}-${version}-${createHash('sha256').update(constraints).digest('hex').slice(0, 8)}`,
    );
  }

  /** Finds the Python of a complete environment; null if there is no complete one. */
  function findPython(env = process.env) {
    const python = pythonIn(getFolder(env));
    return existsSync(python) ? python : null;
  }

  /**
   * Makes the environment. Without Python 3.10 or newer with venv and pip, it reports what is missing, and the tests are skipped.
   *
   * @throws {SetupError} when the installation fails
   */
  async function install(announce) {
    if (findPython() !== null) return `${label} ${version}`;
    const lack = await findLack();
    if (lack !== null) return `${label} is not installed, and its tests are skipped: ${lack}`;
    announce(`installing ${label} ${version} (${cost})`);
    const folder = getFolder();
    const unfinished = `${folder}.${process.pid}`;
    try {
      mkdirSync(unfinished, { recursive: true });
      await runOrFail(label, 'python3', ['-m', 'venv', unfinished]);
      const options = ['--disable-pip-version-check', '--no-input', '--constraint', constraintsFile];
      await runOrFail(label, pythonIn(unfinished), ['-m', 'pip', 'install', ...options, `${main}${extra}==${version}`]);
      moveUnlessMade(unfinished, folder, () => existsSync(pythonIn(folder)));
    } finally {
      rmSync(unfinished, { recursive: true, force: true });
    }
    return `${label} ${version} installed`;
  }

  return { getFolder, findPython, install };
}

function pythonIn(folder) {
  return process.platform === 'win32' ? join(folder, 'Scripts', 'python.exe') : join(folder, 'bin', 'python');
}

/** Returns what Python lacks, as a clause; null for nothing. */
async function findLack() {
  const check = 'import sys, venv, ensurepip; sys.exit(0 if sys.version_info >= (3, 10) else 3)';
  const { code } = await capture('python3', ['-c', check]).catch(() => ({ code: null }));
  if (code === 0) return null;
  if (code === null) return 'python3 was not found';
  return code === 3 ? 'python3 is older than 3.10' : "python3 has no venv or pip (Debian's package python3-venv)";
}

async function runOrFail(label, program, args) {
  const { code, output } = await capture(program, args);
  if (code === 0) return;
  const end = output.trim().split('\n').slice(-10).join('\n');
  throw new SetupError(`${label} could not be installed:\n${end}`);
}

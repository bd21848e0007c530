/**
 * Stage `litellm`: LiteLLM's proxy in a virtual environment of Python, for the tests that run it. It is in the cache folder
 * of the Temporal CLI, which all checkouts share.
 */

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { capture, root } from './child.mjs';
import { SetupError } from './stage.mjs';

/** The versions that the tests pass with, as constraints of pip: a platform may need more or fewer packages. */
const constraintsFile = join(root, 'scripts', 'litellm-constraints.txt');
const constraints = readFileSync(constraintsFile, 'utf8');
const version = /^litellm==(.+)$/m.exec(constraints)[1];

/** Returns the folder of the environment, whether or not it was made. Its name has the versions of all packages. */
export function getLitellmFolder(env = process.env) {
  const cache = join(env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache'), 'longhand');
  return join(cache, `litellm-${version}-${createHash('sha256').update(constraints).digest('hex').slice(0, 8)}`);
}

/** Finds the Python of a complete environment; null if there is no complete one. */
export function findLitellmPython(env = process.env) {
  const python = pythonIn(getLitellmFolder(env));
  return existsSync(python) ? python : null;
}

function pythonIn(folder) {
  return process.platform === 'win32' ? join(folder, 'Scripts', 'python.exe') : join(folder, 'bin', 'python');
}

/**
 * Makes the environment. Without Python 3.10 or newer with venv and pip, it reports what is missing, and the tests are skipped.
 *
 * @throws {SetupError} when the installation fails
 */
export async function litellm(announce) {
  if (findLitellmPython() !== null) return `LiteLLM ${version}`;
  const lack = await findLack();
  if (lack !== null) return `LiteLLM's proxy is not installed, and its tests are skipped: ${lack}`;
  announce(`installing LiteLLM's proxy ${version} (one or two minutes, 750 MB)`);
  const folder = getLitellmFolder();
  // Made under another name: the environment is complete as soon as it has its own, also with two processes at once.
  const unfinished = `${folder}.${process.pid}`;
  try {
    mkdirSync(unfinished, { recursive: true });
    await runOrFail('python3', ['-m', 'venv', unfinished]);
    const options = ['--disable-pip-version-check', '--no-input', '--constraint', constraintsFile];
    await runOrFail(pythonIn(unfinished), ['-m', 'pip', 'install', ...options, `litellm[proxy]==${version}`]);
    moveUnlessMade(unfinished, folder);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return `LiteLLM ${version} installed`;
}

/** Returns what Python lacks, as a clause; null for nothing. */
async function findLack() {
  const check = 'import sys, venv, ensurepip; sys.exit(0 if sys.version_info >= (3, 10) else 3)';
  const { code } = await capture('python3', ['-c', check]).catch(() => ({ code: null }));
  if (code === 0) return null;
  if (code === null) return 'python3 was not found';
  return code === 3 ? 'python3 is older than 3.10' : "python3 has no venv or pip (Debian's package python3-venv)";
}

async function runOrFail(program, args) {
  const { code, output } = await capture(program, args);
  if (code === 0) return;
  const end = output.trim().split('\n').slice(-10).join('\n');
  throw new SetupError(`LiteLLM's proxy could not be installed:\n${end}`);
}

function moveUnlessMade(from, to) {
  try {
    renameSync(from, to);
  } catch (error) {
    // Another process was faster.
    if (!existsSync(pythonIn(to))) throw error;
  }
}

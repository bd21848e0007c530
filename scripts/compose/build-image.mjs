/**
 * Executes a Dockerfile without Docker: each stage is a folder, in which its steps run. It knows the instructions that ours has.
 *
 * The base image is this machine: its Node, its shell, its C library.
 */

import { spawn } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { computeDigest, digestFiles, restoreLayer, saveLayer } from './layer-cache.mjs';

/**
 * @typedef {object} Stage
 * @property {string} base  the image
 * @property {string} name  empty for the last one
 * @property {{ instruction: string, text: string }[]} steps
 */

/** Parses a Dockerfile into stages. @returns {Stage[]} */
export function parseDockerfile(text) {
  const lines = text
    .replace(/^#.*\n/gm, '')
    .replace(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const stages = [];
  for (const line of lines) {
    const [, instruction, rest] = /^([A-Z]+) (.*)$/.exec(line);
    if (instruction === 'FROM') {
      const [base, , name = ''] = rest.split(' ');
      stages.push({ base, name, steps: [] });
    } else stages.at(-1).steps.push({ instruction, text: rest });
  }
  return stages;
}

/** Returns the names that .dockerignore lets into the build. It ignores everything else. */
export function readContext(text) {
  return text.split('\n').flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []));
}

/**
 * Builds the image of a checkout.
 *
 * @param {{ checkout: string, folder: string, report?: (line: string) => void }} options
 * @returns {Promise<string>} the root folder of the image
 */
export async function buildImage({ checkout, folder, report = () => {} }) {
  const stages = parseDockerfile(readFileSync(join(checkout, 'Dockerfile'), 'utf8'));
  const context = readContext(readFileSync(join(checkout, '.dockerignore'), 'utf8'));
  mkdirSync(folder, { recursive: true });
  // For the user of the image.
  chmodSync(folder, 0o755);
  const roots = new Map();
  /** By stage: the digest of its steps so far. */
  const digests = new Map();
  for (const { name, steps } of stages) {
    const root = join(folder, name || 'image');
    roots.set(name, root);
    let workdir = root;
    let env = {};
    let digest = computeDigest(process.version);
    for (const { instruction, text } of steps) {
      digest = computeDigest(digest, instruction, text);
      if (instruction === 'WORKDIR') {
        workdir = join(root, text);
        mkdirSync(workdir, { recursive: true });
      } else if (instruction === 'ENV') {
        env = { ...env, ...Object.fromEntries(text.split(' ').map((pair) => pair.split('='))) };
      } else if (instruction === 'COPY') {
        const { from, paths } = copy(text, { checkout, context, roots, workdir });
        digest = computeDigest(digest, from === null ? paths.map(digestFiles) : digests.get(from));
      } else if (instruction === 'RUN') {
        const started = performance.now();
        // Absolute paths are those of the stage.
        const command = text.replaceAll(/(?<=\s)(?=\/(?:opt|build|packages)\b)/g, root);
        if (!restoreLayer(digest, root)) {
          await run(command, { workdir, env });
          // A command with a path of this build makes a layer for it alone.
          if (command === text) saveLayer(digest, root);
        }
        report(`${name || 'image'}: ${text.slice(0, 60)} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
      }
    }
    digests.set(name, digest);
  }
  return roots.get('');
}

/** Copies files, and returns where they are from. */
function copy(text, { checkout, context, roots, workdir }) {
  const words = text.split(/\s+/);
  const from = words[0].startsWith('--from=') ? words.shift().slice('--from='.length) : null;
  const target = words.pop();
  const paths = [];
  for (const source of words) {
    if (from === null && !context.some((allowed) => source === allowed || source.startsWith(`${allowed}/`))) {
      throw new Error(`.dockerignore leaves ${source} out of the build.`);
    }
    const path = join(from === null ? checkout : roots.get(from), source);
    const place = join(workdir, target);
    const isInto =
      target.endsWith('/') || (existsSync(place) && statSync(path).isFile() && statSync(place).isDirectory());
    cpSync(path, isInto ? join(place, basename(source)) : place, { recursive: true, verbatimSymlinks: true });
    paths.push(path);
  }
  return { from, paths };
}

/** Runs a step with the shell. Its environment has no settings of this machine's Node. */
function run(text, { workdir, env }) {
  const { NODE_ENV: _, NODE_OPTIONS: __, ...inherited } = process.env;
  const child = spawn('/bin/sh', ['-c', text], {
    cwd: workdir,
    // Packages that this machine has fetched before are not fetched again.
    env: { ...inherited, npm_config_prefer_offline: 'true', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  child.stdout.on('data', (data) => (output += data));
  child.stderr.on('data', (data) => (output += data));
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`The step failed: ${text}\n${output.trim().split('\n').slice(-20).join('\n')}`));
    });
  });
}

/**
 * Does what the README and docs/getting-started.md describe, in empty folders with the packed packages: `node scripts/newcomer.mjs`.
 * It fails at the first difference between what they show and what is printed. Only the model's replies are prepared, over the real wire.
 */

import { spawn } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { capture, root, runQuietly } from './child.mjs';
import { startModel } from './newcomer/model.mjs';
import { packPackages } from './newcomer/pack-packages.mjs';
import { compareOutput, findBlock } from './newcomer/pages.mjs';
import { ensureSetup } from './setup.mjs';
import { main, SetupError } from './stage.mjs';

/** The most packages that `longhand` and `zod` install, for a program that only starts chains. */
const maxClientPackages = 70;

const folder = await mkdtemp(join(tmpdir(), 'longhand-newcomer-'));

const runCode = (code, project) => capture(process.execPath, ['--input-type=module', '-e', code], { cwd: project });

async function createProject(name, packages) {
  const project = join(folder, name);
  await mkdir(project);
  await runQuietly('npm', ['init', '-y'], { cwd: project });
  await runQuietly('npm', ['pkg', 'set', 'type=module'], { cwd: project });
  const flags = ['--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts'];
  await runQuietly('npm', ['install', ...flags, ...packages], { cwd: project });
  return project;
}

/** Checks manifests, files and types as npm's users resolve them. */
async function checkPackages(tarballs) {
  const bin = (name) => join(root, 'node_modules/.bin', name);
  for (const path of tarballs) {
    await runQuietly(bin('publint'), ['--strict', path]);
    // The command has no types: nobody imports it.
    if (!path.includes('-cli-')) await runQuietly(bin('attw'), ['--profile', 'esm-only', '--format', 'ascii', path]);
  }
  console.log(`✓ ${tarballs.length} packages, by publint and attw`);
}

/** A program that only starts chains: few packages, and no worker. */
async function checkClient(tarballs) {
  const longhand = tarballs.find((path) => /\/longhand-\d/.test(path));
  const project = await createProject('client', [longhand, 'zod']);
  const lock = JSON.parse(await readFile(join(project, 'node_modules/.package-lock.json'), 'utf8'));
  const installed = Object.keys(lock.packages).length;
  if (installed > maxClientPackages)
    throw new SetupError(`longhand and zod install ${installed} packages. The limit is ${maxClientPackages}.`);
  const entries = [
    'longhand',
    'longhand/client',
    'longhand/view',
    'longhand/http',
    'longhand/models',
    'longhand/store',
  ];
  const loaded = await runCode(`await Promise.all(${JSON.stringify(entries)}.map((name) => import(name)))`, project);
  if (loaded.code !== 0) throw new SetupError(`An entry cannot be imported:\n${loaded.output}`);
  const create = "const { createWorker } = await import('longhand/worker'); await createWorker({ agents: [] });";
  const { output } = await runCode(create, project);
  if (!output.includes('npm install @temporalio/worker'))
    throw new SetupError(`Without Temporal's worker, createWorker names no command that installs it:\n${output}`);
  console.log(`✓ a client: ${installed} packages`);
}

/** Starts `longhand dev`, and returns its output up to the line that ends its start. */
async function startDev(project, env) {
  const child = spawn('npx', ['longhand', 'dev', '--db', 'chains.db'], { cwd: project, env, detached: true });
  let output = '';
  const ended = new Promise((resolve) => child.once('close', resolve));
  const ready = new Promise((resolve, reject) => {
    const add = (chunk) => {
      output += chunk;
      if (/Press Ctrl-C.*\n/.test(output)) resolve();
    };
    child.stdout.on('data', add);
    child.stderr.on('data', add);
    child.once('close', () => reject(new SetupError(`longhand dev ended:\n${output}`)));
  });
  const stop = async () => {
    if (child.exitCode === null) process.kill(-child.pid, 'SIGINT');
    await ended;
  };
  await ready.catch(async (error) => {
    await stop().catch(() => {});
    throw error;
  });
  return { output, stop };
}

function findAddress(output) {
  return /^Temporal +(\S+)$/m.exec(output)?.[1];
}

/** The whole of docs/getting-started.md. */
async function followGuide(tarballs, model) {
  const project = await createProject('weather', [...tarballs, 'zod', 'tsx']);
  // What the install script of this package compiles, in a minute, is in place here.
  const compiled = 'node_modules/better-sqlite3/build';
  await cp(join(root, compiled), join(project, compiled), { recursive: true });
  const { TEMPORAL_ADDRESS: _, ...inherited } = process.env;
  const env = {
    ...inherited,
    ...{ ANTHROPIC_API_KEY: 'sk-ant-newcomer', ANTHROPIC_BASE_URL: model.url, USER: 'ann' },
  };
  const longhand = (...args) => runQuietly('npx', ['longhand', ...args], { cwd: project, env });
  const show = async (command, args) => {
    compareOutput(`npx longhand ${command}`, await longhand(...args));
    console.log(`✓ longhand ${command}`);
  };
  await writeFile(join(project, 'agents.ts'), findBlock('// agents.ts'));
  const task = 'Compare the weather in San Francisco and Paris';
  await show(`run meteorologist "${task}"`, ['run', 'meteorologist', task]);

  await writeFile(join(project, 'worker.ts'), findBlock('// worker.ts'));
  await writeFile(join(project, 'start.ts'), findBlock('// start.ts'));
  const dev = await startDev(project, env);
  env.TEMPORAL_ADDRESS = findAddress(dev.output);
  try {
    compareOutput('npx longhand dev --db chains.db', dev.output);
    const started = await runQuietly('npx', ['tsx', 'start.ts'], { cwd: project, env });
    if (!started.trimEnd().endsWith('San Francisco is 6 °C warmer.'))
      throw new SetupError(`start.ts printed:\n${started}`);
    console.log('✓ longhand dev, and a client');
  } finally {
    await dev.stop();
  }

  await writeFile(join(project, 'agents.ts'), `${findBlock('// agents.ts')}\n${findBlock('export const payer')}`);
  delete env.TEMPORAL_ADDRESS;
  const again = await startDev(project, env);
  env.TEMPORAL_ADDRESS = findAddress(again.output);
  try {
    const pay = 'Pay Ada 250 euros, DE89 3704 0044 0532 0130 00';
    await show(`start payer "${pay}" --id pay-1`, ['start', 'payer', pay, '--id', 'pay-1']);
    await waitFor(async () => (await longhand('inbox', '--list')).includes('pay-1'));
    await show('inbox --list', ['inbox', '--list']);
    await show('approve pay-1 1.1', ['approve', 'pay-1', '1.1']);
    await longhand('chain', 'watch', 'pay-1');
    await show('chain show pay-1', ['chain', 'show', 'pay-1']);
    await longhand('chain', 'list', '--since', '7d', '--outcome', 'failure');
    await longhand('chain', 'show', 'pay-1', '--as', 'end_user');
    await longhand('chain', 'cost', 'pay-1');
    await longhand('chain', 'fork', 'pay-1', '--at-step', '1', '--steer', 'Thank her.');
    await longhand('chain', 'export', 'pay-1', '--out', 'pay-1.json');
    await longhand('chain', 'verify', 'pay-1.json');
    await longhand('chain', 'replay', 'pay-1.json');
    await longhand('chain', 'show', 'pay-1.json');
    console.log('✓ forked, exported, verified, replayed');
  } finally {
    await again.stop();
  }
}

async function waitFor(isDone) {
  for (let attempt = 0; attempt < 60; attempt += 1) {
    if (await isDone()) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  throw new SetupError('Nothing happened in time.');
}

await main(async () => {
  const model = await startModel();
  try {
    await ensureSetup({ need: ['packages', 'native', 'build', 'temporal'] });
    const tarballs = await packPackages(folder);
    await checkPackages(tarballs);
    await checkClient(tarballs);
    await followGuide(tarballs, model);
    return 0;
  } finally {
    model.close();
    await rm(folder, { recursive: true, force: true });
  }
});

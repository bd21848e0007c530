/**
 * Installs the packed package into empty projects, type-checks the README's example and runs it: `npm run compatibility`, or some of
 * the cases by number. Each pair of a Node, a package manager, an end of the peers' ranges and a resolution of modules is in one case.
 */

import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { capture, root, runQuietly } from './child.mjs';
import { startModel } from './newcomer/model.mjs';
import { packPackages } from './newcomer/pack-packages.mjs';
import { findBlock } from './newcomer/pages.mjs';
import { ensureSetup } from './setup.mjs';
import { main, SetupError } from './stage.mjs';

const cases = [
  { node: 20, manager: 'npm', peers: 'lowest', resolution: 'nodenext' },
  { node: 20, manager: 'pnpm', peers: 'newest', resolution: 'bundler' },
  { node: 22, manager: 'npm', peers: 'newest', resolution: 'bundler' },
  { node: 22, manager: 'pnpm', peers: 'lowest', resolution: 'nodenext' },
  { node: 24, manager: 'npm', peers: 'lowest', resolution: 'bundler' },
  { node: 24, manager: 'pnpm', peers: 'newest', resolution: 'nodenext' },
];

/** What the README's example needs of the peers. */
const needed = ['client', 'common', 'worker', 'activity', 'workflow'].map((name) => `@temporalio/${name}`);

/** The last pnpm for Node 20. */
const pnpmRange = 'pnpm@10';

const folder = await mkdtemp(join(tmpdir(), 'longhand-compatibility-'));
const { peerDependencies } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8'));

/** Installs a tool in a folder of its own, and returns the folder. */
async function installTool(name, spec) {
  const project = join(folder, name);
  await mkdir(project, { recursive: true });
  await runQuietly('npm', ['install', '--prefix', project, '--no-audit', '--no-fund', '--prefer-offline', spec]);
  return join(project, 'node_modules');
}

/** Returns the folder of a Node's programs: npm has its own package for each platform. */
async function installNode(major) {
  if (process.versions.node.startsWith(`${major}.`)) return null;
  const name = `node-${process.platform}-${process.arch}`;
  return join(await installTool(`node-${major}`, `${name}@${major}`), name, 'bin');
}

function toSpec(name, peers) {
  const range = peerDependencies[name];
  return `${name}@${peers === 'lowest' ? range.replace(/^(\^|>=)/, '') : range}`;
}

async function check({ node, manager, peers, resolution }, { tarball, pnpm, server, model }) {
  const project = join(folder, [node, manager, peers, resolution].join('-'));
  await mkdir(project);
  const bin = await installNode(node);
  const { TEMPORAL_ADDRESS: _, ...inherited } = process.env;
  const env = {
    ...inherited,
    ...(bin === null ? {} : { PATH: `${bin}:${process.env.PATH}` }),
    ...{ TEMPORAL_ADDRESS: server.address, ANTHROPIC_API_KEY: 'sk-ant-newcomer', ANTHROPIC_BASE_URL: model.url },
  };
  await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'weather', private: true, type: 'module' }));
  for (const file of ['agents.ts', 'worker.ts', 'start.ts'])
    await writeFile(join(project, file), findBlock(`// ${file}`));
  const specs = [
    tarball,
    ...[...needed, 'zod'].map((name) => toSpec(name, peers)),
    'tsx',
    'typescript@5',
    '@types/node@20',
  ];
  const [program, ...args] =
    manager === 'npm'
      ? ['npm', 'install', '--no-audit', '--no-fund', '--prefer-offline', '--ignore-scripts']
      : ['node', pnpm, 'add', '--prefer-offline', '--ignore-scripts'];
  await runQuietly(program, [...args, ...specs], { cwd: project, env });
  await checkTypes(project, env, resolution);
  await runExample(project, env);
}

/** Type-checks the example and the declarations of Longhand. Those of Temporal have errors without `skipLibCheck`. */
async function checkTypes(project, env, resolution) {
  const module = resolution === 'bundler' ? 'esnext' : 'nodenext';
  const flags = ['--noEmit', '--strict', '--target', 'es2022', '--module', module, '--moduleResolution', resolution];
  const tsc = join(project, 'node_modules/typescript/bin/tsc');
  const { output } = await capture('node', [tsc, ...flags, 'agents.ts', 'worker.ts', 'start.ts'], {
    cwd: project,
    env,
  });
  const isOurs = (line) => /error TS/.test(line) && !/node_modules\/(?!(\.pnpm\/)?(longhand|@longhand))/.test(line);
  const ours = output.split('\n').filter(isOurs);
  if (ours.length > 0) throw new SetupError(`The example does not type-check:\n${ours.join('\n')}`);
}

/** Runs the worker, and then the program that starts a chain. */
async function runExample(project, env) {
  const worker = spawn('node', ['--import', 'tsx', 'worker.ts'], {
    cwd: project,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let log = '';
  for (const stream of [worker.stdout, worker.stderr]) stream.on('data', (chunk) => (log += chunk));
  const ended = new Promise((resolve) => worker.once('close', resolve));
  try {
    const { output } = await capture('node', ['--import', 'tsx', 'start.ts'], { cwd: project, env });
    if (!output.trimEnd().endsWith('San Francisco is 6 °C warmer.'))
      throw new SetupError(`start.ts printed:\n${output}\n\nThe worker printed:\n${log}`);
  } finally {
    worker.kill('SIGINT');
    await ended;
  }
}

async function startServer() {
  const { tsImport } = await import('tsx/esm/api');
  const { startDevServer } = await tsImport('../src/cli/server/dev-server.ts', import.meta.url);
  return startDevServer({ headless: true });
}

await main(async (numbers) => {
  const chosen = numbers.length === 0 ? cases : numbers.map((number) => cases[Number(number) - 1]);
  if (chosen.includes(undefined)) throw new SetupError(`Name cases by their numbers, 1 to ${cases.length}.`);
  const model = await startModel();
  let server = null;
  try {
    await ensureSetup({ need: ['packages', 'native', 'build', 'temporal'] });
    server = await startServer();
    const tarballs = await packPackages(folder);
    const tarball = tarballs.find((path) => /\/longhand-\d/.test(path));
    const pnpm = join(await installTool('pnpm', pnpmRange), 'pnpm/bin/pnpm.cjs');
    for (const each of chosen) {
      const began = performance.now();
      await check(each, { tarball, pnpm, server, model });
      const seconds = ((performance.now() - began) / 1000).toFixed(0);
      const { node, manager, peers, resolution } = each;
      console.log(`✓ Node ${node}, ${manager}, ${peers} peers, ${resolution} (${seconds} s)`);
    }
    return 0;
  } finally {
    await server?.stop();
    model.close();
    await rm(folder, { recursive: true, force: true });
  }
});

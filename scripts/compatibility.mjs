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

/** Longer than the example takes on any machine: a worker that ended would keep its client waiting. */
const exampleMs = 120_000;

/** The last pnpm for Node 20. */
const pnpmRange = 'pnpm@10';

const folder = await mkdtemp(join(tmpdir(), 'longhand-compatibility-'));
const readManifest = async (folder) => JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
const { peerDependencies, peerDependenciesMeta } = await readManifest(root);

/** The tools of the example, in the versions of the lock file. */
const tools = await Promise.all(
  ['tsx', 'typescript', '@types/node'].map(async (name) => {
    const { version } = await readManifest(join(root, 'node_modules', name));
    return `${name}@${version}`;
  }),
);

/** The peers that every project has, and those of a worker. */
const needed = [
  ...Object.keys(peerDependencies).filter((name) => peerDependenciesMeta[name]?.optional !== true),
  ...['worker', 'activity', 'workflow'].map((name) => `@temporalio/${name}`),
];

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
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(TEMPORAL|LONGHAND)_/.test(name)),
  );
  const env = {
    ...inherited,
    ...(bin === null ? {} : { PATH: `${bin}:${process.env.PATH}` }),
    ...{ TEMPORAL_ADDRESS: server.address, ANTHROPIC_API_KEY: 'sk-ant-newcomer', ANTHROPIC_BASE_URL: model.url },
  };
  await writeFile(join(project, 'package.json'), JSON.stringify({ name: 'weather', private: true, type: 'module' }));
  for (const file of ['agents.ts', 'worker.ts', 'start.ts'])
    await writeFile(join(project, file), findBlock(`// ${file}`));
  const specs = [tarball, ...needed.map((name) => toSpec(name, peers)), ...tools];
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
  const { code, output } = await capture('node', [tsc, ...flags, 'agents.ts', 'worker.ts', 'start.ts'], {
    cwd: project,
    env,
  });
  const isOurs = (line) => /error TS/.test(line) && !/node_modules\/(?!(\.pnpm\/)?(longhand|@longhand))/.test(line);
  const ours = output.split('\n').filter(isOurs);
  const hasRun = code === 0 || /error TS/.test(output);
  if (ours.length > 0 || !hasRun)
    throw new SetupError(`The example does not type-check:\n${hasRun ? ours.join('\n') : output}`);
}

/** Runs the worker, and then the program that starts a chain. */
async function runExample(project, env) {
  const start = (file) => {
    const child = spawn('node', ['--import', 'tsx', file], { cwd: project, env, stdio: ['ignore', 'pipe', 'pipe'] });
    const program = { child, output: '' };
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (program.output += chunk));
    const ended = new Promise((resolve) => child.once('close', resolve).once('error', resolve));
    return Object.assign(program, { ended });
  };
  const worker = start('worker.ts');
  const client = start('start.ts');
  const kill = () => {
    for (const { child } of [worker, client]) child.kill('SIGKILL');
  };
  const timer = setTimeout(kill, exampleMs);
  try {
    await Promise.race([client.ended, worker.ended]);
    if (!client.output.trimEnd().endsWith('San Francisco is 6 °C warmer.'))
      throw new SetupError(`start.ts printed:\n${client.output}\n\nThe worker printed:\n${worker.output}`);
    worker.child.kill('SIGINT');
    await worker.ended;
  } finally {
    clearTimeout(timer);
    kill();
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

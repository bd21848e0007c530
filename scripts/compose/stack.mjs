/** The stack of docker-compose.yml as plain processes: started by its conditions, stopped in reverse. */

import { execFile } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../child.mjs';
import { getImage } from './images.mjs';
import { findFreePort } from './ports.mjs';
import { readCompose } from './read-compose.mjs';
import { checkHealth, startProcess, waitUntilHealthy } from './service-process.mjs';
import { createTranslation, translateVariable } from './translate.mjs';

const execute = promisify(execFile);

/** What the shells of a container have: its own programs come first. */
const systemPath = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** Finds what this machine lacks for the stack; null for nothing. */
export function findLack() {
  const lacks = readCompose(join(root, 'docker-compose.yml')).services.map(({ image }) => getImage(image).findLack());
  return lacks.find((lack) => lack !== null) ?? null;
}

/**
 * Starts the stack, and resolves when every service is healthy or has completed.
 *
 * @param {object} [options]
 * @param {Record<string, string>} [options.env]  variables of `docker compose`, such as `LONGHAND_MODEL`
 * @param {Record<string, Record<string, string>>} [options.variables]  further variables of services, for what stands outside of the
 *   stack, such as the address of a provider
 * @param {string} [options.image]  root folder of the image of Longhand (build-image.mjs); default: this checkout stands for it
 * @param {(line: string) => void} [options.report]
 */
export async function startStack({ env = {}, variables = {}, image = null, report = () => {} } = {}) {
  const { services, secrets } = readCompose(join(root, 'docker-compose.yml'), env);
  const folder = mkdtempSync(join(tmpdir(), 'longhand-stack-'));
  // User `nobody` has to get through it.
  chmodSync(folder, 0o755);
  const secretsFolder = join(folder, 'secrets');
  await execute('sh', [join(root, 'deploy', 'compose', 'create-secrets.sh'), secretsFolder], {
    env: { PATH: process.env.PATH },
  });
  const network = await assignPorts(services);
  /** @type {{ service: object, index: number, process: ReturnType<typeof startProcess> }[]} in the order of their start */
  const running = [];
  const started = performance.now();
  const reportAt = (line) => report(`${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s  ${line}`);

  let isStopping = false;
  const startContainer = async (service, index) => {
    const given = { ...service, environment: { ...service.environment, ...variables[service.name] } };
    const plan = await planContainer(given, index, { folder, secrets, secretsFolder, network, image });
    if (isStopping) throw new Error('The stack is being stopped.');
    const process = startProcess(plan);
    running.push({ service, index, process });
    return process;
  };

  const startService = async (service) => {
    await Promise.all(Object.entries(service.dependsOn).map(([name, condition]) => waitFor(condition, name)));
    const processes = [];
    for (let index = 0; index < service.replicas; index++) processes.push(await startContainer(service, index));
    reportAt(`${service.name} started${service.replicas === 1 ? '' : ` × ${service.replicas}`}`);
    return processes;
  };

  /** Waits once for each service, however many others depend on it. */
  const waits = new Map();
  const waitFor = (condition, name) => {
    const key = `${name} ${condition}`;
    if (!waits.has(key)) waits.set(key, neverUnhandled(reach(condition, name)));
    return waits.get(key);
  };
  const reach = async (condition, name) => {
    const processes = await starts.get(name);
    if (condition === 'service_started') return;
    const isHealthy = condition === 'service_healthy';
    await Promise.all(processes.map(isHealthy ? waitUntilHealthy : complete));
    reportAt(`${name} ${isHealthy ? 'is healthy' : 'has completed'}`);
  };

  const starts = new Map();
  // A service awaits the starts of others, which must all be in the map by then.
  let begin = () => {};
  const begun = new Promise((resolve) => {
    begin = resolve;
  });
  for (const service of services) starts.set(service.name, neverUnhandled(begun.then(() => startService(service))));
  begin();

  const stop = async () => {
    isStopping = true;
    const ends = [];
    for (const { process, service } of running.toReversed()) {
      if (process.hasEnded()) continue;
      const at = performance.now();
      const { code, signal, killed } = await process.stop();
      ends.push({ name: service.name, code, signal, killed, ms: Math.round(performance.now() - at) });
      reportAt(`${process.name} stopped: ${killed ? 'killed' : (signal ?? `exit code ${code}`)}`);
    }
    rmSync(folder, { recursive: true, force: true });
    return ends;
  };

  try {
    await Promise.all(
      services.map(({ name, healthcheck }) =>
        waitFor(healthcheck === null ? 'service_completed_successfully' : 'service_healthy', name),
      ),
    );
  } catch (error) {
    await stop();
    throw error;
  }

  const find = (name, index = 0) => running.findLast((each) => each.service.name === name && each.index === index);
  return {
    folder,
    secretsFolder,
    /** Returns the address of a published port, as a user of the host reaches it. */
    getAddress: (published) => `127.0.0.1:${network.published.get(published)}`,
    getPids: () => running.filter(({ process }) => !process.hasEnded()).map(({ process }) => process.getPid()),
    readLog: (name, index = 0) => readFileSync(find(name, index).process.plan.logFile, 'utf8'),
    /** Runs a program in the environment of a service, as `docker compose exec` does. */
    exec: async (name, command) => {
      const { env: environment, cwd } = find(name).process.plan;
      const { translate } = find(name).process.plan;
      const [program, ...args] = command.map(translate);
      return execute(program, args, { env: environment, cwd });
    },
    /** Stops a container and starts it again, as `docker compose restart` does. */
    restart: async (name, index) => {
      const { service, process } = find(name, index);
      const end = await process.stop();
      await waitUntilHealthy(await startContainer(service, index));
      reportAt(`${process.name} restarted`);
      return end;
    },
    /** Runs the health checks of all running services; resolves with the failed ones. */
    checkHealth: async () => {
      const checked = running.filter(({ process }) => process.plan.healthcheck !== null && !process.hasEnded());
      const problems = await Promise.all(
        checked.map(async ({ process }) => ({ name: process.name, problem: await checkHealth(process) })),
      );
      return { checked: checked.length, failed: problems.filter(({ problem }) => problem !== null) };
    },
    stop,
  };
}

/** The first failure of the stack is thrown; those that follow from it have nobody who awaits them. */
function neverUnhandled(promise) {
  promise.catch(() => {});
  return promise;
}

async function complete(process) {
  const { code, signal } = await process.ended;
  if (code !== 0) {
    throw new Error(`${process.name} failed (${signal ?? code}). Its log ends with:\n${process.readLogEnd()}`);
  }
}

/** Assigns a free port of this machine to each port of the services. */
async function assignPorts(services) {
  const addresses = new Map();
  const published = new Map();
  for (const { name, image, ports } of services) {
    for (const port of new Set([...getImage(image).ports, ...ports.map(({ target }) => target)])) {
      addresses.set(`${name}:${port}`, await findFreePort());
    }
    for (const { published: port, target } of ports) published.set(port, addresses.get(`${name}:${target}`));
  }
  return { addresses, published, hosts: new Set(services.map(({ name }) => name)) };
}

/** Prepares the folders of a container and translates what is written for it. */
async function planContainer(service, index, { folder, secrets, secretsFolder, network, image: imageFolder }) {
  const name = service.replicas === 1 ? service.name : `${service.name}-${index + 1}`;
  const own = join(folder, name);
  mkdirSync(own, { recursive: true });
  const addresses = await separateReplicas(service, index, network.addresses);
  const program = imageFolder === null ? root.replace(/\/$/, '') : join(imageFolder, 'opt', 'longhand');
  const paths = new Map([['/opt/longhand', program]]);
  for (const path of service.tmpfs) paths.set(path, makeFolder(own, path));
  paths.set('/run/secrets', makeFolder(own, '/run/secrets'));
  for (const { source, target } of service.volumes) {
    paths.set(
      target,
      source.startsWith('.') || source.startsWith('/') ? join(own, target) : makeFolder(folder, source),
    );
  }
  const translate = createTranslation({ ...network, name: service.name, addresses, paths });
  const bindings = new Map();
  for (const { source, target } of service.volumes) {
    if (!source.startsWith('.') && !source.startsWith('/')) continue;
    const place = bindFolder(resolve(root, source), paths.get(target), translate);
    paths.set(target, place);
    bindings.set(target, place);
  }
  // Again: a folder that needs no translation is used in its place, where its modules find their packages.
  const translateAll = createTranslation({ ...network, name: service.name, addresses, paths });
  for (const { source, target } of service.secrets) {
    const text = readFileSync(join(secretsFolder, secrets[source].split('/').at(-1)), 'utf8');
    const file = join(paths.get('/run/secrets'), target);
    writeFileSync(file, translateAll(text), { mode: 0o444, flag: 'w' });
  }
  const environment = Object.fromEntries(
    Object.entries(service.environment).map(([key, value]) => [
      key,
      translateVariable(key, String(value), { translate: translateAll, hosts: network.hosts }),
    ]),
  );
  const image = await getImage(service.image).prepare({
    ...{ name: service.name, folder: own, translate: translateAll, env: environment, addresses, bindings },
    secretsFolder: paths.get('/run/secrets'),
  });
  const entrypoint = service.entrypoint?.map(translateAll) ?? image.entrypoint;
  const healthcheck = service.healthcheck && {
    ...service.healthcheck,
    test: service.healthcheck.test.map(translateAll),
  };
  return {
    ...{ name, healthcheck, translate: translateAll, stopSignal: service.stopSignal, stopMs: service.stopMs },
    command: [...entrypoint, ...service.command.map(translateAll), ...(image.settings ?? [])],
    env: {
      PATH: [...image.bin, ...systemPath].join(delimiter),
      HOME: makeFolder(own, '/home'),
      ...image.env,
      ...environment,
    },
    cwd: own,
    logFile: join(own, 'log'),
    owner: image.owner,
  };
}

/** Each replica has the ports of its container for itself. */
async function separateReplicas({ name, replicas }, index, addresses) {
  if (replicas === 1 || index === 0) return addresses;
  const separate = new Map(addresses);
  for (const address of addresses.keys()) {
    if (address.startsWith(`${name}:`)) separate.set(address, await findFreePort());
  }
  return separate;
}

function makeFolder(parent, path) {
  const made = join(parent, path);
  mkdirSync(made, { recursive: true });
  return made;
}

/** Returns the folder itself if nothing in it needs translation, else a translated copy. */
function bindFolder(source, target, translate) {
  const files = readdirSync(source, { recursive: true })
    .map((path) => join(source, path))
    .filter((path) => statSync(path).isFile());
  const texts = new Map(files.map((path) => [path, readFileSync(path, 'utf8')]));
  const needsCopy = files.some((path) => /\.(sh|ya?ml)$/.test(path));
  if (!needsCopy) return source;
  cpSync(source, target, { recursive: true });
  for (const [path, text] of texts) {
    const copy = join(target, path.slice(source.length));
    writeFileSync(copy, translate(text));
    chmodSync(copy, 0o755);
  }
  return target;
}

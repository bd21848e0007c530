/** The stack of docker-compose.yml as plain processes: started by its conditions, stopped in reverse. */

import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { root } from '../child.mjs';
import { getImage } from './images.mjs';
import { planContainer } from './plan-container.mjs';
import { findFreePort } from './ports.mjs';
import { readCompose } from './read-compose.mjs';
import { checkHealth, startProcess, waitUntilHealthy } from './service-process.mjs';

const execute = promisify(execFile);

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
 * @param {Record<string, Record<string, string>>} [options.variables]  further variables of services, for what is outside of the
 *   stack, such as the address of a provider
 * @param {string} [options.image]  root folder of the image of Longhand (build-image.mjs); default: this checkout
 * @param {(line: string) => void} [options.report]
 */
export async function startStack({ env = {}, variables = {}, image = null, report = () => {} } = {}) {
  const { services, secrets } = readCompose(join(root, 'docker-compose.yml'), env);
  const folder = mkdtempSync(join(tmpdir(), 'longhand-stack-'));
  // User `nobody` has to get through it.
  chmodSync(folder, 0o755);
  const secretsFolder = join(folder, 'secrets');
  await execute('sh', [join(root, 'deploy', 'compose', 'create-secrets.sh'), secretsFolder], {
    env: { PATH: process.env.PATH, ...pick(env, ['ANTHROPIC_API_KEY', 'OPENAI_API_KEY']) },
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
      const { execEnv: environment, cwd, translate } = find(name).process.plan;
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

function pick(env, names) {
  return Object.fromEntries(names.flatMap((name) => (env[name] ? [[name, env[name]]] : [])));
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

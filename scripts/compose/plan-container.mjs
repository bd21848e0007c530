/** Prepares a container as a process: its folders, its secrets, and what is written for it, translated to this machine. */

import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { root } from '../child.mjs';
import { getImage } from './images.mjs';
import { canIsolate, giveTo, wrapCommand } from './isolation.mjs';
import { findFreePort } from './ports.mjs';
import { createTranslation, translateVariable } from './translate.mjs';

/** What the shells of a container have. The programs of its image come first. */
const systemPath = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** The folder of our program, as the Dockerfile has it. */
const programFolder = '/opt/longhand';

/**
 * @param {import('./read-compose.mjs').Service} service
 * @param {number} index  of the replica
 * @param {object} stack
 * @param {string} stack.folder  of the whole stack
 * @param {Record<string, string>} stack.secrets  files, by name
 * @param {string} stack.secretsFolder  where create-secrets.sh has made them
 * @param {{ addresses: Map<string, number>, published: Map<number, number>, hosts: Set<string> }} stack.network
 * @param {string | null} stack.image  the built image of Longhand; null for this checkout
 * @returns {Promise<import('./service-process.mjs').Plan & { translate: (text: string) => string }>}
 */
export async function planContainer(service, index, { folder, secrets, secretsFolder, network, image }) {
  const name = service.replicas === 1 ? service.name : `${service.name}-${index + 1}`;
  const own = makeFolder(folder, name);
  const addresses = await separateReplicas(service, index, network.addresses);
  const program = image === null ? root.replace(/\/$/, '') : join(image, programFolder);
  const paths = new Map([[programFolder, program]]);
  for (const path of [...service.tmpfs, '/run/secrets']) paths.set(path, makeFolder(own, path));
  // The files in it are as readable as compose mounts them.
  chmodSync(paths.get('/run/secrets'), 0o700);
  for (const { source, target } of service.volumes) {
    paths.set(target, isPath(source) ? join(own, target) : makeFolder(folder, source));
  }
  const options = { ...network, name: service.name, addresses };
  const bindings = bindFolders(service.volumes, { paths, image, translate: createTranslation({ ...options, paths }) });
  const translate = createTranslation({ ...options, paths: new Map([...paths, ...bindings]) });
  for (const { source, target } of service.secrets) {
    const text = readFileSync(join(secretsFolder, secrets[source].split('/').at(-1)), 'utf8');
    const file = join(paths.get('/run/secrets'), target);
    rmSync(file, { force: true });
    writeFileSync(file, translate(text), { mode: 0o444 });
  }
  const environment = Object.fromEntries(
    Object.entries(service.environment).map(([key, value]) => [
      key,
      translateVariable(key, String(value), { translate, hosts: network.hosts }),
    ]),
  );
  const made = await getImage(service.image).prepare({
    ...{ name: service.name, user: service.user, folder: own, translate, env: environment, addresses, bindings },
    secretsFolder: paths.get('/run/secrets'),
  });
  const { healthcheck } = service;
  const command = [
    ...(service.entrypoint?.map(translate) ?? made.entrypoint),
    ...service.command.map(translate),
    ...(made.settings ?? []),
  ];
  const env = {
    PATH: [...made.bin, ...systemPath].join(delimiter),
    HOME: makeFolder(own, '/home'),
    // Programs that look for /tmp by its name find that of the container.
    TMPDIR: paths.get('/tmp'),
    ...made.env,
    ...environment,
  };
  return {
    ...{ name, translate, stopSignal: service.stopSignal, stopMs: service.stopMs, cwd: own },
    healthcheck: healthcheck && { ...healthcheck, test: healthcheck.test.map(translate) },
    ...isolate(
      { ...service, user: made.user ?? service.user },
      { command, env, paths, folder, writable: made.writable ?? [], ownUser: made.user ?? null },
    ),
    logFile: join(own, 'log'),
  };
}

/** Returns how the command is started: as the file restricts its container, where this machine can do that. */
function isolate({ user, tmpfs, volumes }, { command, env, paths, folder, writable, ownUser }) {
  if (!canIsolate()) return { command: runAs(ownUser, command), env, execEnv: env };
  const named = volumes.filter(({ source }) => !isPath(source)).map(({ source }) => join(folder, source));
  giveTo(user, paths.get('/run/secrets'), ...named);
  const { HOME, ...rest } = env;
  return {
    command: wrapCommand(command, {
      user,
      memory: tmpfs.map((path) => paths.get(path)),
      writable: [...named, ...writable],
    }),
    env: { ...rest, HOME: homedir(), ISOLATED_HOME: HOME },
    execEnv: env,
  };
}

/** A program that refuses to run as root runs as its user also where nothing else can be restricted. */
function runAs(user, command) {
  if (user === null || process.getuid?.() !== 0) return command;
  const [uid, gid] = user.split(':');
  return ['setpriv', '--reuid', uid, '--regid', gid, '--clear-groups', ...command];
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

/** Returns the folders of this machine that are mounted, by path in the container. */
function bindFolders(volumes, { paths, image, translate }) {
  const bindings = new Map();
  for (const { source, target } of volumes) {
    if (!isPath(source)) continue;
    const folder = resolve(root, source);
    if (image !== null && target.startsWith(`${programFolder}/`)) {
      // Copied to the mount point in the image, where modules find the packages of the image.
      cpSync(folder, join(image, target), { recursive: true });
      bindings.set(target, join(image, target));
    } else bindings.set(target, bindFolder(folder, paths.get(target), translate));
  }
  return bindings;
}

/** Returns the folder itself if it has nothing to translate, else a translated copy. */
function bindFolder(source, target, translate) {
  const files = readdirSync(source, { recursive: true })
    .map((path) => join(source, path))
    .filter((path) => statSync(path).isFile() && /\.(sh|ya?ml)$/.test(path));
  if (files.length === 0) return source;
  cpSync(source, target, { recursive: true });
  for (const path of files) {
    const copy = join(target, path.slice(source.length));
    writeFileSync(copy, translate(readFileSync(path, 'utf8')));
    chmodSync(copy, 0o755);
  }
  return target;
}

const isPath = (source) => source.startsWith('.') || source.startsWith('/');

function makeFolder(parent, path) {
  const made = join(parent, path);
  mkdirSync(made, { recursive: true });
  return made;
}

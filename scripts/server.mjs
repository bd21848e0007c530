/**
 * Stage `server`: the programs of Temporal's container images, built from their Go modules, for the stack without containers
 * (compose-without-docker.mjs). The versions are those of docker-compose.yml.
 */

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getCacheFolder, moveUnlessMade } from './cache-folder.mjs';
import { capture, root } from './child.mjs';
import { SetupError } from './stage.mjs';

/** Programs by the name that they have in their image, and the package that each is built from. */
const programs = [
  { name: 'temporal-server', image: 'temporalio/server', module: 'go.temporal.io/server', path: 'cmd/server' },
  { name: 'temporal-sql-tool', image: 'temporalio/server', module: 'go.temporal.io/server', path: 'cmd/tools/sql' },
  { name: 'ui-server', image: 'temporalio/ui', module: 'github.com/temporalio/ui-server/v2', path: 'cmd/server' },
];

/** Reads the tag of an image from docker-compose.yml. It is the version of the module. */
function readTag(image) {
  const [, tag] = new RegExp(`image: ${image}:([0-9.]+)\\s`).exec(
    readFileSync(join(root, 'docker-compose.yml'), 'utf8'),
  );
  return tag;
}

/** Returns the folder of the programs, whether or not they are built. */
export function getServerFolder(env = process.env) {
  return join(getCacheFolder(env), `temporal-server-${readTag('temporalio/server')}-ui-${readTag('temporalio/ui')}`);
}

/** Finds the folder with all programs and the configuration of the Web UI; null if they are not built. */
export function findServerFolder(env = process.env) {
  const folder = getServerFolder(env);
  return existsSync(join(folder, 'ui-config', 'docker.yaml')) ? folder : null;
}

/**
 * Builds the programs. Without Go it reports that, and the tests that need them are skipped.
 *
 * @throws {SetupError} when a build fails
 */
export async function server(announce) {
  const label = `Temporal server ${readTag('temporalio/server')} and Web UI ${readTag('temporalio/ui')}`;
  if (findServerFolder() !== null) return label;
  const { code } = await capture('go', ['version']).catch(() => ({ code: null }));
  if (code !== 0) return `${label} are not built, and their tests are skipped: Go was not found`;
  announce(`building ${label} with Go (2 to 8 minutes, 330 MB)`);
  const folder = getServerFolder();
  // Built under another name: the folder is complete as soon as it has its own, also with two processes at once.
  const unfinished = `${folder}.${process.pid}`;
  try {
    mkdirSync(join(unfinished, 'ui-config'), { recursive: true });
    for (const program of programs) await buildProgram(program, unfinished);
    await copyUiConfiguration(unfinished);
    moveUnlessMade(unfinished, folder, () => findServerFolder() !== null);
  } finally {
    rmSync(unfinished, { recursive: true, force: true });
  }
  return `${label} built`;
}

/** `go install` names an executable after its folder: each is built in a folder of its own. */
async function buildProgram({ name, image, module, path }, folder) {
  const target = join(folder, `${name}.build`);
  const version = `${module}/${path}@v${readTag(image)}`;
  await runGo(['install', version], { GOBIN: target });
  renameSync(join(target, path.split('/').at(-1)), join(folder, name));
  rmSync(target, { recursive: true });
}

/** The image of the Web UI contains a configuration that reads the environment. The module has it too. */
async function copyUiConfiguration(folder) {
  const module = programs.find(({ name }) => name === 'ui-server').module;
  const output = await runGo(['mod', 'download', '-json', `${module}@v${readTag('temporalio/ui')}`], {});
  await copyFile(
    join(JSON.parse(output.slice(output.indexOf('{'))).Dir, 'config', 'docker.yaml'),
    join(folder, 'ui-config', 'docker.yaml'),
  );
}

async function runGo(args, variables) {
  const assignments = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  const { code, output } = await capture('env', [...assignments, 'GOFLAGS=-buildvcs=false', 'go', ...args]);
  if (code !== 0) {
    throw new SetupError(`go ${args.join(' ')} failed:\n${output.trim().split('\n').slice(-10).join('\n')}`);
  }
  return output;
}

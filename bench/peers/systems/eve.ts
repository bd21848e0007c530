/** eve: its own agent, built and served by its host, with its local world of files. */

import { execFile } from 'node:child_process';
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { findFreePort, loopback } from '../../../src/cli/server/ports.js';
import { instructions, tool } from '../../rig/task.js';
import { findNode, installPackages, placeService } from '../install.js';
import { type Peer, type Places, printProgress, type RunningPeer } from '../peer.js';
import { startService } from '../service.js';

const modelVariable = 'LONGHAND_BENCH_MODEL_URL';

/** Where eve looks for each part of the agent, by its file in `services/eve`. */
const parts = {
  agent: 'agent/agent.ts',
  'look-up-part': `agent/tools/${tool.name}.ts`,
  sandbox: 'agent/sandbox.ts',
  channel: 'agent/channels/eve.ts',
} as const;

export const eve: Peer = {
  title: 'eve, its own agent',
  packages: 'eve',
  node: 24,
  counted: 'the server of the agent; no other',
  measures: 'everything',
  record: 'files of its local world',
  start,
};

let built: Promise<string> | null = null;

async function buildAgent(modelUrl: string): Promise<string> {
  const folder = await installPackages('eve');
  const node = await findNode(24);
  for (const [name, path] of Object.entries(parts)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await placeService(folder, `eve/${name}`, path);
  }
  await writeFile(join(folder, 'agent/instructions.md'), instructions);
  printProgress('building the agent of eve');
  await promisify(execFile)(node, [join(folder, 'node_modules/eve/bin/eve.js'), 'build'], {
    cwd: folder,
    env: { ...environment(modelUrl), PATH: `${dirname(node)}${delimiter}${process.env.PATH}` },
    maxBuffer: 2 ** 26,
  });
  return folder;
}

function environment(modelUrl: string): NodeJS.ProcessEnv {
  return { ...process.env, EVE_TELEMETRY_DISABLED: '1', [modelVariable]: modelUrl };
}

async function start({ modelUrl, env, onStop }: Places): Promise<RunningPeer> {
  built ??= buildAgent(modelUrl);
  const folder = await built;
  const world = join(folder, '.eve', '.workflow-data');
  await rm(world, { recursive: true, force: true });
  const port = String(await findFreePort());
  const url = `http://${loopback}:${port}/eve/v1`;
  const options = {
    module: join(folder, '.output/server/index.mjs'),
    places: {},
    node: await findNode(24),
    cwd: folder,
    // What `eve start` sets.
    env: {
      ...env,
      EVE_TELEMETRY_DISABLED: '1',
      [modelVariable]: modelUrl,
      HOST: loopback,
      NITRO_HOST: loopback,
      NITRO_PORT: port,
      PORT: port,
    },
    isReady: () =>
      fetch(`${url}/health`).then(
        ({ ok }) => ok,
        () => false,
      ),
  };
  let service = await startService(options);
  onStop(() => service.stop());
  const sessions = new Map<string, { readonly sessionId: string; readonly startedMs: number }>();
  const wait = async (id: string) => hasAnswered(`${url}/session/${sessions.get(id)?.sessionId}/stream`);
  return {
    worker: () => service,
    servers: [],
    run: async (id, task) => {
      const startedMs = Date.now();
      const response = await fetch(`${url}/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ message: task }),
      });
      if (!response.ok) throw new Error(`eve answered ${response.status}: ${await response.text()}`);
      const { sessionId } = (await response.json()) as { sessionId: string };
      sessions.set(id, { sessionId, startedMs });
      return wait(id);
    },
    // A session has several runs with names of their own: what was written since the first of the chains began is theirs.
    countBytes: async (ids) => countBytesSince(world, Math.min(...ids.map((id) => sessions.get(id)?.startedMs ?? 0))),
    restart: async () => {
      service = await startService(options);
    },
    resumption: { wait, getResumer: () => 'itself' },
  };
}

/** Reads the events of a session until it waits for the next message. */
async function hasAnswered(url: string): Promise<boolean> {
  const { body } = await fetch(url);
  if (body === null) return false;
  let text = '';
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (/"type":"(session\.waiting|session\.failed|session\.completed)"/.test(text)) break;
    text = text.slice(text.lastIndexOf('\n') + 1);
  }
  return text.includes('"type":"session.waiting"');
}

async function countBytesSince(folder: string, sinceMs: number): Promise<number> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  let bytes = 0;
  for (const entry of entries) {
    if (!entry.isFile()) continue;
    const { size, mtimeMs } = await stat(join(entry.parentPath, entry.name));
    if (mtimeMs >= sinceMs) bytes += size;
  }
  return bytes;
}

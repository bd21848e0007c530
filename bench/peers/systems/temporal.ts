/** The systems on Temporal's dev server, which keeps its workflows in an SQLite file: Longhand, the hand-written loop, the AI SDK's plugin. */

import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startDevServer } from '../../../src/cli/server/dev-server.js';
import { connect, type Longhand } from '../../../src/client/connect.js';
import { listRuns, sizeOf } from '../../rig/runs.js';
import { instructions, maxTokens, model, tool } from '../../rig/task.js';
import { findNode, installPackages, placeService } from '../install.js';
import type { Peer, Places, Resumer, Resumption } from '../peer.js';
import { type ServiceOptions, startService } from '../service.js';

const counted = 'the worker; the Temporal dev server';
const record = 'history of the workflow';
const measures = 'everything';
const node = 24;
const pollMs = 200;

interface System {
  readonly taskQueue: string;
  readonly worker: (modelUrl: string, address: string) => Promise<Pick<ServiceOptions, 'module' | 'places' | 'flags'>>;
  /** Starts a chain. @returns a function that waits for its answer */
  readonly start: (longhand: Longhand, id: string, task: string) => Promise<() => Promise<boolean>>;
  readonly resumption?: (longhand: Longhand, wait: Resumption['wait']) => Resumption;
}

async function start({ taskQueue, worker, start: startChain, resumption }: System, places: Places) {
  const { modelUrl, folder, env, onStop } = places;
  const server = await startDevServer({ headless: true, dbFile: join(folder, 'temporal.db') });
  onStop(server.stop);
  const longhand = await connect({ address: server.address, taskQueue, store: null });
  onStop(longhand.close);
  const options = { ...(await worker(modelUrl, server.address)), node: await findNode(node), env };
  let service = await startService(options);
  onStop(() => service.stop());
  const waits = new Map<string, () => Promise<boolean>>();
  const wait = (id: string) => waits.get(id)?.() ?? Promise.resolve(false);
  return {
    worker: () => service,
    servers: [server.pid],
    run: async (id: string, task: string) => {
      waits.set(id, await startChain(longhand, id, task));
      return wait(id);
    },
    countBytes: async (ids: readonly string[]) => {
      let bytes = 0;
      for (const id of ids) bytes += sizeOf(await listRuns(longhand.client, id)).bytes;
      return bytes;
    },
    restart: async () => {
      service = await startService(options);
    },
    resumption: resumption?.(longhand, wait) ?? { wait, getResumer: () => 'itself' as const },
  };
}

/** A worker of the other benchmarks. */
function ofRig(module: string, taskQueue: string): System['worker'] {
  return async (modelUrl, address) => ({
    module: fileURLToPath(new URL(`../../rig/${module}`, import.meta.url)),
    places: { address, modelUrl, taskQueue, continueAfterEvents: null, store: null },
    flags: ['--import', 'tsx'],
  });
}

function ofAgent(agent: string): System {
  return {
    taskQueue: 'longhand',
    worker: ofRig('longhand-worker.ts', 'longhand'),
    start: async (longhand, id, task) => {
      const chain = await longhand.start(agent, task, { chainId: id });
      return async () => (await chain.result()).success;
    },
  };
}

/** Starts a workflow with the given arguments after the task. */
function startWorkflow(taskQueue: string, ...args: readonly unknown[]): System['start'] {
  return async ({ client }, id, task) => {
    const handle = await client.workflow.start('takeStock', { workflowId: id, taskQueue, args: [task, ...args] });
    return async () => typeof (await handle.result()) === 'string';
  };
}

export const longhand: Peer = {
  title: 'Longhand',
  packages: null,
  ...{ node, counted, record, measures },
  start: (places) => start(ofAgent('stock_taker'), places),
};

/** Its tool must not run twice: a person decides what happened to the call that was killed. */
export const longhandUnsafe: Peer = {
  ...longhand,
  title: 'Longhand, unsafe tool',
  measures: 'crashes',
  start: (places) =>
    start(
      {
        ...ofAgent('unsafe_taker'),
        resumption: (client, wait) => {
          let resumer: Resumer = 'itself';
          const decide = async (id: string) => {
            await resolveOutcome(client, id);
            resumer = 'a person';
          };
          return {
            wait: async (id) => {
              const isEnded = wait(id);
              await Promise.race([isEnded, decide(id)]);
              return isEnded;
            },
            getResumer: () => resumer,
          };
        },
      },
      places,
    ),
};

/** Waits until the chain asks for the outcome of a call, and reports that it happened. */
async function resolveOutcome({ client, listInbox }: Longhand, id: string): Promise<void> {
  for (;;) {
    const requests = (await listInbox()).find(({ chainId }) => chainId === id)?.requests ?? [];
    for (const { call } of requests) {
      const decision = { call, outcome: 'happened', observation: 'The part was looked up.', by: 'ana' };
      await client.workflow.getHandle(id).executeUpdate('longhand.outcome', { args: [decision] });
    }
    if (requests.length > 0) return;
    await sleep(pollMs, undefined, { ref: false });
  }
}

export const handWritten: Peer = {
  title: 'Hand-written Temporal loop',
  packages: null,
  ...{ node, counted, record, measures },
  start: (places) =>
    start(
      {
        taskQueue: 'hand-written',
        worker: ofRig('hand-written/worker.ts', 'hand-written'),
        start: startWorkflow('hand-written'),
      },
      places,
    ),
};

export const aiSdk: Peer = {
  title: '@temporalio/ai-sdk',
  packages: 'ai-sdk',
  ...{ node, counted, record, measures },
  start: async (places) => {
    const folder = await installPackages('ai-sdk');
    await placeService(folder, 'ai-sdk-workflow');
    const module = await placeService(folder, 'ai-sdk');
    return start(
      {
        taskQueue: 'ai-sdk',
        worker: async (modelUrl, address) => ({ module, places: { modelUrl, address } }),
        start: startWorkflow('ai-sdk', { instructions, model, maxTokens, tool }),
      },
      places,
    );
  },
};

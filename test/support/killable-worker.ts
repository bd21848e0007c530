/** The worker of worker-process.ts: `<WorkerProcessOptions as JSON>`. It ends when its parent ends, for any reason. */

import { DefaultLogger, Runtime } from '@temporalio/worker';
import { anthropicProvider } from '../../src/entries/models.js';
import type { LonghandWorkerOptions } from '../../src/entries/worker.js';
import { createWorkerWithBundle } from '../../src/worker/open-worker.js';
import { createKillableAgent } from './killable-agent.js';
import { createKillableTree } from './killable-tree.js';
import { stickyQueueScheduleToStartTimeout, type WorkerProcessOptions } from './worker-process.js';

const options = JSON.parse(process.argv[2] ?? '{}') as WorkerProcessOptions;
// These tests cause failed calls, which need no warnings.
Runtime.install({ logger: new DefaultLogger('ERROR') });
process.stdin.resume().on('end', () => process.exit());
const given: LonghandWorkerOptions = {
  agents: [options.tree ? createKillableTree(options) : createKillableAgent(options)],
  providers: [anthropicProvider({ name: 'anthropic', baseURL: options.modelUrl, apiKey: 'test' })],
  address: options.address,
  taskQueue: options.taskQueue,
  ...(options.store === undefined ? {} : { store: options.store }),
  ...(options.sweepInterval === undefined ? {} : { sweepInterval: options.sweepInterval }),
  ...(options.continueAfter === undefined ? {} : { continueAfter: options.continueAfter }),
  temporal: { stickyQueueScheduleToStartTimeout },
};
const { run } = await createWorkerWithBundle(given, async () => ({ codePath: options.bundlePath }));
await run();

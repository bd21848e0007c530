/** The hand-written loop, in a process of its own, with the options that Longhand gives its worker. */

import { NativeConnection, Worker } from '@temporalio/worker';
import { quietRuntime, readPlaces, serve } from '../worker-process.js';
import { createActivities } from './activities.js';
import { bundleTask } from './bundle.js';

quietRuntime();
const { address, modelUrl, taskQueue, bundlePath } = readPlaces();
const workflowBundle = bundlePath === undefined ? { code: await bundleTask() } : { codePath: bundlePath };
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection,
  taskQueue,
  workflowBundle,
  activities: createActivities(modelUrl),
  shutdownGraceTime: '10s',
  maxHeartbeatThrottleInterval: '500ms',
  defaultHeartbeatThrottleInterval: '500ms',
});
await serve(worker, () => worker.run().finally(() => connection.close()));

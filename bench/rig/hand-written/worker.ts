/** The hand-written loop, in a process of its own, with the options that Longhand gives its worker. */

import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, DefaultLogger, NativeConnection, Worker } from '@temporalio/worker';
import { keepSyntax } from '../../../src/worker/bundle.js';
import { quietRuntime, readPlaces, serve } from '../worker-process.js';
import { createActivities } from './activities.js';

quietRuntime();
const { address, modelUrl, taskQueue } = readPlaces();
const { code } = await bundleWorkflowCode({
  workflowsPath: fileURLToPath(new URL('./workflow.ts', import.meta.url)),
  webpackConfigHook: keepSyntax,
  logger: new DefaultLogger('WARN'),
});
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection,
  taskQueue,
  workflowBundle: { code },
  activities: createActivities(modelUrl),
  shutdownGraceTime: '10s',
  maxHeartbeatThrottleInterval: '500ms',
  defaultHeartbeatThrottleInterval: '500ms',
});
await serve(worker, () => worker.run().finally(() => connection.close()));

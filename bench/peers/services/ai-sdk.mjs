/** `@temporalio/ai-sdk`: a worker with the plugin of the AI SDK. */

import { fileURLToPath } from 'node:url';
import { createAnthropic } from '@ai-sdk/anthropic';
import { AiSdkPlugin } from '@temporalio/ai-sdk';
import { DefaultLogger, NativeConnection, Runtime, Worker } from '@temporalio/worker';
import { lookUp } from '../../rig/task.ts';
import { readPlaces, serve } from './serve.mjs';

const { modelUrl, address } = readPlaces();

Runtime.install({ logger: new DefaultLogger('WARN') });
const connection = await NativeConnection.connect({ address });
const worker = await Worker.create({
  connection,
  taskQueue: 'ai-sdk',
  workflowsPath: fileURLToPath(new URL('./ai-sdk-workflow.mjs', import.meta.url)),
  activities: { look_up_part: async (part) => lookUp(part) },
  plugins: [new AiSdkPlugin({ modelProvider: createAnthropic({ baseURL: `${modelUrl}/v1`, apiKey: 'none' }) })],
  shutdownGraceTime: '10s',
});
const running = worker.run();
serve({
  stop: async () => {
    worker.shutdown();
    await running;
    await connection.close();
  },
});

/**
 * A user's program, on the built package: runs a chain, and prints the OpenTelemetry packages that it loaded. Its argument is
 * `ProgramOptions` of loaded-modules.ts as JSON.
 */

import { createRequire } from 'node:module';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { defineAgent } from 'longhand';
import { connect } from 'longhand/client';
import { anthropicProvider } from 'longhand/models';
import { createWorker } from 'longhand/worker';

const { address, taskQueue, modelUrl } = JSON.parse(process.argv[2] ?? '{}');
const logged = [];
Runtime.install({ logger: new DefaultLogger('WARN', ({ message }) => logged.push(message)) });
const agent = defineAgent({ name: 'quiet', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [] });
const providers = [anthropicProvider({ baseURL: modelUrl, apiKey: 'test' })];
const worker = await createWorker({ agents: [agent], providers, address, taskQueue });
const running = worker.run();
const longhand = await connect({ address, taskQueue });
const chain = await longhand.start(agent, 'Send a greeting');
const { outcome } = await chain.result();
const { events } = await longhand.client.workflow.getHandle(chain.chainId).fetchHistory();
const headers = (JSON.stringify(events).match(/"header":\{"fields":\{"/g) ?? []).length;
worker.shutdown();
await running;
await longhand.close();
const paths = Object.keys(createRequire(import.meta.url).cache).join('\n');
const found = paths.match(/@opentelemetry\/[^/]+|@temporalio\/interceptors-opentelemetry/g) ?? [];
// Loading packages on a busy machine may take longer than the guard of the loop allows.
const complaints = logged.filter((message) => !message.startsWith('The event loop was blocked'));
process.stdout.write(JSON.stringify({ packages: [...new Set(found)].sort(), outcome, headers, complaints }));
process.exit();

/** Runs a chain in a separate process, as a user's program does, and reports the OpenTelemetry packages it loaded. */

import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { defineAgent } from '../../src/agents/define-agent.js';
import { connect } from '../../src/client/connect.js';
import { anthropicProvider } from '../../src/models/anthropic/provider.js';
import { createWorkerWithBundle } from '../../src/worker/create-worker.js';

export interface LoadedModulesOptions {
  readonly address: string;
  readonly taskQueue: string;
  readonly modelUrl: string;
  readonly bundlePath: string;
}

export interface LoadedModules {
  /** Names, sorted. */
  readonly packages: readonly string[];
  readonly outcome: string;
  /** Number of history events with headers. */
  readonly headers: number;
  /** Logged warnings and errors. */
  readonly complaints: readonly string[];
}

export async function loadedModules(
  options: LoadedModulesOptions,
  env: Readonly<Record<string, string>>,
): Promise<LoadedModules> {
  const { PATH = '', HOME = '' } = process.env;
  const args = ['--import', 'tsx', fileURLToPath(import.meta.url), JSON.stringify(options)];
  const bare = { PATH, HOME, LONGHAND_STORE: 'none', ...env };
  const child = spawn(process.execPath, args, { env: bare, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (data) => (output += data));
  await new Promise((resolve) => child.on('close', resolve));
  return JSON.parse(output);
}

async function main({ address, taskQueue, modelUrl, bundlePath }: LoadedModulesOptions): Promise<void> {
  const complaints: string[] = [];
  Runtime.install({ logger: new DefaultLogger('WARN', ({ message }) => complaints.push(message)) });
  const agent = defineAgent({ name: 'quiet', model: 'claude-sonnet-5-5', strategy: 'tools', tools: [] });
  const provider = anthropicProvider({ baseURL: modelUrl, apiKey: 'test' });
  const bundle = { codePath: bundlePath };
  const worker = await createWorkerWithBundle(
    { agents: [agent], providers: [provider], address, taskQueue },
    async () => bundle,
  );
  const running = worker.run();
  const longhand = await connect({ address, taskQueue });
  const chain = await longhand.start(agent, 'Send a greeting');
  const { outcome } = await chain.result();
  const { events } = await longhand.client.workflow.getHandle(chain.chainId).fetchHistory();
  const headers = (JSON.stringify(events).match(/"fields":\{"/g) ?? []).length;
  worker.shutdown();
  await running;
  await longhand.close();
  const paths = Object.keys(createRequire(import.meta.url).cache).join('\n');
  const found = paths.match(/@opentelemetry\/[^/]+|@temporalio\/interceptors-opentelemetry/g) ?? [];
  process.stdout.write(JSON.stringify({ packages: [...new Set(found)].sort(), outcome, headers, complaints }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await main(JSON.parse(process.argv[2] ?? '{}') as LoadedModulesOptions);
  process.exit();
}

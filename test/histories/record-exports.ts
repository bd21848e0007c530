/**
 * Writes down what readers of later versions are held to: chains as this version exports them, and histories as the Web UI
 * and the Temporal CLI download them.
 *
 *   node --import tsx test/histories/record-exports.ts && npx biome check --write test/histories
 *
 * What is there already is kept.
 */

import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { startDevServer } from '../../src/cli/dev-server.js';
import { ensureTemporalCli } from '../../src/cli/temporal-cli.js';
import { connect } from '../../src/client/connect.js';
import { chainFileOf, recordedInFile } from '../../src/client/recorded.js';
import { searchAttributes } from '../../src/contract/search-attributes.js';
import { seal } from '../../src/core/chain-file.js';
import { anthropicProvider } from '../../src/models/anthropic.js';
import { buildWorkflowBundle } from '../../src/worker/bundle.js';
import { createWorker } from '../../src/worker/create-worker.js';
import { startMessagesServer } from '../support/messages-server.js';
import { exported } from './exports.js';
import { begin, type Scenario, scenarios } from './scenarios.js';
import { converter, recorded } from './stored.js';

Runtime.install({ logger: new DefaultLogger('ERROR') });

/** Those whose downloads are kept: several calls at once, a failure, and a cancel by a person. */
const downloaded = ['parallel-tools', 'cancel-in-tools'];

for (const file of readdirSync(recorded).filter((name) => name.endsWith('.history.json'))) {
  const name = file.replace('.history.json', '.chain.json');
  await once(name, async () => {
    const history = await recordedInFile(readFileSync(new URL(file, recorded), 'utf8'), converter);
    return JSON.stringify(seal(chainFileOf(history)), null, 2);
  });
}
const missing = scenarios.filter(({ name }) => downloaded.includes(name) && !existsSync(place(`${name}.cli.json`)));
if (missing.length > 0) await download(missing);

async function once(name: string, make: () => Promise<string>): Promise<void> {
  if (existsSync(place(name))) return;
  writeFileSync(place(name), `${await make()}\n`);
  console.log(`wrote  ${name}`);
}

function place(name: string): URL {
  return new URL(name, exported);
}

async function download(chosen: readonly Scenario[]): Promise<void> {
  const { path } = await ensureTemporalCli(console.log);
  const server = await startDevServer({ cli: path, searchAttributes });
  const code = await buildWorkflowBundle();
  try {
    for (const scenario of chosen) {
      const chainId = await run(scenario, server.address, code);
      const anonymous = (text: string) => text.replaceAll(`${process.pid}@${hostname()}`, 'recorder');
      const show = ['workflow', 'show', '--workflow-id', chainId, '--output', 'json', '--address', server.address];
      const byCli = execFileSync(path, show, { encoding: 'utf8' });
      await once(`${scenario.name}.cli.json`, async () => anonymous(byCli.trim()));
      // What the download button asks for, and how it writes it.
      const url = `${server.uiUrl}/api/v1/namespaces/default/workflows/${chainId}/history`;
      const { history } = (await (await fetch(url)).json()) as { history: { events: unknown } };
      await once(`${scenario.name}.ui.json`, async () =>
        anonymous(JSON.stringify({ events: history.events }, null, 2)),
      );
    }
  } finally {
    await server.stop();
  }
}

async function run(scenario: Scenario, address: string, code: string): Promise<string> {
  const taskQueue = `record-${randomUUID()}`;
  const models = await startMessagesServer(scenario.replies);
  const { worker, run } = await createWorker({
    agents: [scenario.agent],
    address,
    taskQueue,
    provider: anthropicProvider({ baseURL: models.url, apiKey: 'test' }),
    temporal: { workflowBundle: { code } },
  });
  const ended = run();
  const longhand = await connect({ address, taskQueue });
  try {
    const chain = await begin(longhand, scenario);
    await scenario.during?.(chain, models);
    await chain.result();
    return chain.chainId;
  } finally {
    worker.shutdown();
    await ended;
    await longhand.close();
    await models.close();
  }
}

/**
 * Records the chain of `continued.ts`, once and for all:
 *
 *   node --import tsx test/histories/record-continued.ts && npx biome check --write test/histories
 */

import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { startDevServer } from '../../src/cli/server/dev-server.js';
import { connect } from '../../src/client/connect.js';
import { chainFileOf, recordedOnServer } from '../../src/client/read/recorded.js';
import { sourceOf } from '../../src/client/read/source.js';
import { searchAttributes } from '../../src/contract/search-attributes.js';
import { type ChainFile, seal } from '../../src/core/record/chain-file.js';
import type { HistoryEvent } from '../../src/history/event.js';
import { historyToJson } from '../../src/history/history-json.js';
import { readForward } from '../../src/history/read.js';
import { anthropicProvider } from '../../src/models/anthropic.js';
import { buildWorkflowBundle } from '../../src/worker/bundle.js';
import { createWorker } from '../../src/worker/create-worker.js';
import { startMessagesServer } from '../support/messages-server.js';
import { continueAfter, continued, replies, traveller } from './continued.js';
import { comesTo } from './stored.js';

if (existsSync(continued)) throw new Error('It is recorded already, and is never recorded anew.');
Runtime.install({ logger: new DefaultLogger('ERROR') });

const anonymous = (text: string) => text.replaceAll(`${process.pid}@${hostname()}`, 'recorder');
const server = await startDevServer({ headless: true, searchAttributes });
const models = await startMessagesServer(replies);
const { address } = server;
const { worker, run } = await createWorker({
  agents: [traveller],
  address,
  taskQueue: 'record',
  store: null,
  continueAfter,
  provider: anthropicProvider({ baseURL: models.url, apiKey: 'test' }),
  temporal: { workflowBundle: { code: await buildWorkflowBundle() } },
});
const ended = run();
const longhand = await connect({ address, taskQueue: 'record', store: null });
try {
  const chain = await longhand.start(traveller, 'Count to four', { user: 'ada', tenant: 'acme' });
  for await (const event of chain.follow()) if (event.type === 'asked') break;
  await chain.steer('No further than four.', { by: 'ada' });
  await chain.approve('3.1', { by: 'grace' });
  await chain.result();

  const history = { service: longhand.client.workflowService, namespace: 'default' };
  const recorded = await recordedOnServer(await sourceOf(longhand.client, chain.chainId));
  mkdirSync(continued);
  for (const [at, { runId }] of recorded.runs.entries()) {
    const events: HistoryEvent[] = [];
    for await (const page of readForward(history, { workflowId: chain.chainId, runId })) events.push(...page);
    writeFileSync(new URL(`run-${at + 1}.history.json`, continued), `${anonymous(historyToJson(events))}\n`);
  }
  writeFileSync(
    new URL('expected.json', continued),
    `${JSON.stringify(comesTo({ chain: recorded.chain, closed: 'completed' }), null, 2)}\n`,
  );
  const file = JSON.parse(anonymous(JSON.stringify(chainFileOf(recorded)))) as ChainFile;
  writeFileSync(new URL('whole.chain.json', continued), `${JSON.stringify(seal(file), null, 2)}\n`);
  console.log(`recorded  ${recorded.runs.length} runs: ${recorded.chain.state.stop?.outcome}`);
} finally {
  worker.shutdown();
  await ended;
  await longhand.close();
  await models.close();
  await server.stop();
}

/**
 * Records the stored histories and exports of the next release: `npm run histories`. It starts its own server and replaces every
 * file. Run it after each change of the facts that chains record. Those of a release stay: users' chains have the same form.
 *
 * Replay needs every event as it was. Only the names of the process and of the checkout's folder are replaced.
 */

import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { fileURLToPath } from 'node:url';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { startDevServer } from '../../src/cli/server/dev-server.js';
import { ensureTemporalCli } from '../../src/cli/server/temporal-cli.js';
import { resolveChainSource } from '../../src/client/read/chain-source.js';
import { parseRecordedChain } from '../../src/client/read/parse-recorded-chain.js';
import { readRecordedChain, toChainFile } from '../../src/client/read/recorded-chain.js';
import { stateQuery } from '../../src/contract/names.js';
import { searchAttributes } from '../../src/contract/search-attributes.js';
import { type ChainFile, sealChainFile } from '../../src/core/record/chain-file.js';
import type { Longhand } from '../../src/entries/client.js';
import type { ChainState } from '../../src/entries/view.js';
import type { HistoryEvent } from '../../src/history/event.js';
import { formatHistoryJson } from '../../src/history/history-json.js';
import { readForward } from '../../src/history/read-history.js';
import { buildWorkflowBundle } from '../../src/worker/bundle.js';
import { continued, continuedScenario } from './continued.js';
import { exported } from './exports.js';
import { playScenario, type Stage } from './play-scenario.js';
import { type Scenario, scenarios } from './scenarios.js';
import { converter, recorded, toExpected } from './stored.js';
import { formatLines } from './written.js';

/** The scenarios whose exports are stored. Tests compute the exports of the others. */
const exportedScenarios = [
  'parallel-tools',
  'reuse',
  'people-steer',
  'forked',
  'sub-chains',
  'plan',
  'cancel-in-tools',
];

/** The scenarios whose downloads by the Temporal CLI and the Web UI are stored: parallel calls, a failure, a cancel. */
const downloaded = ['parallel-tools', 'cancel-in-tools'];

/** The folder of the checkout, which is in the stack traces of failures. */
const checkout = fileURLToPath(new URL('../../', import.meta.url));

Runtime.install({ logger: new DefaultLogger('ERROR') });
const { path: cli } = await ensureTemporalCli(console.log);
const server = await startDevServer({ cli, searchAttributes });
try {
  for (const folder of [recorded, exported, continued]) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
  }
  const stage = { address: server.address, code: await buildWorkflowBundle() };
  // In order, because a fork reads the export of an earlier scenario.
  for (const scenario of scenarios) if (!scenario.onlyLive) await record(scenario, stage);
  await recordRuns(continuedScenario, stage);
} finally {
  await server.stop();
}

async function record(scenario: Scenario, stage: Stage): Promise<void> {
  await playScenario(scenario, stage, async (longhand, { chainId }) => {
    const { name } = scenario;
    const state = await longhand.client.workflow.getHandle(chainId).query<ChainState>(stateQuery);
    const history = anonymize(formatHistoryJson(await readEvents(longhand, chainId)));
    const chain = await parseRecordedChain(history, converter);
    if (chain.chain.state.head !== state.head)
      throw new Error(`${name}: the workflow has other facts than its history.`);
    write(recorded, `${name}.history.json`, JSON.parse(history), 2);
    write(recorded, `${name}.expected.json`, toExpected(chain), 3);
    if (exportedScenarios.includes(name)) write(exported, `${name}.chain.json`, sealChainFile(toChainFile(chain)), 4);
    if (downloaded.includes(name)) await download(name, chainId);
    console.log(`recorded  ${name}: ${chain.chain.state.stop?.outcome}`);
  });
}

/** A chain of several runs: each has a history of its own. */
async function recordRuns(scenario: Scenario, stage: Stage): Promise<void> {
  await playScenario(scenario, stage, async (longhand, { chainId }) => {
    const chain = await readRecordedChain(await resolveChainSource(longhand.client, chainId));
    for (const [at, { runId }] of chain.runs.entries()) {
      const history = anonymize(formatHistoryJson(await readEvents(longhand, chainId, runId)));
      write(continued, `run-${at + 1}.history.json`, JSON.parse(history), 2);
    }
    const file = JSON.parse(anonymize(JSON.stringify(toChainFile(chain)))) as ChainFile;
    write(continued, 'expected.json', toExpected({ chain: chain.chain, closed: 'completed' }), 3);
    write(continued, 'whole.chain.json', sealChainFile(file), 4);
    console.log(`recorded  ${scenario.name}: ${chain.runs.length} runs`);
  });
}

async function download(name: string, chainId: string): Promise<void> {
  const show = ['workflow', 'show', '--workflow-id', chainId, '--output', 'json', '--address', server.address];
  const byCli = anonymize(execFileSync(cli, show, { encoding: 'utf8' }));
  write(exported, `${name}.cli.json`, JSON.parse(byCli), 2);
  // The request of the download button, and the format of its file.
  const answer = await fetch(`${server.uiUrl}/api/v1/namespaces/default/workflows/${chainId}/history`);
  const { history } = JSON.parse(anonymize(await answer.text())) as { history: { events: unknown } };
  write(exported, `${name}.ui.json`, { events: history.events }, 2);
}

async function readEvents({ client }: Longhand, workflowId: string, run?: string): Promise<readonly HistoryEvent[]> {
  const { runId } = await client.workflow.getHandle(workflowId, run).describe();
  const service = { service: client.connection.workflowService, namespace: client.options.namespace };
  const events: HistoryEvent[] = [];
  for await (const page of readForward(service, { workflowId, runId })) events.push(...page);
  return events;
}

function anonymize(text: string): string {
  return text.replaceAll(`${process.pid}@${hostname()}`, 'recorder').replaceAll(checkout, '/longhand/');
}

function write(folder: URL, name: string, value: unknown, depth: number): void {
  writeFileSync(new URL(name, folder), formatLines(value, depth));
}

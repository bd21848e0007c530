/**
 * Records what the scenarios leave behind, for the tests that later versions are held to:
 *
 *   node --import tsx test/histories/record.ts 127.0.0.1:7233 && npx biome check --write test/histories
 *
 * What is there already is kept: a stored history says what chains looked like that are still running somewhere.
 */

import { existsSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import type { Longhand } from '../../src/client/connect.js';
import { stateQuery } from '../../src/contract/names.js';
import type { State } from '../../src/core/model/state.js';
import type { HistoryEvent } from '../../src/history/event.js';
import { emptyFold, foldEvents } from '../../src/history/fold.js';
import { historyToJson } from '../../src/history/history-json.js';
import { readForward } from '../../src/history/read.js';
import { buildWorkflowBundle } from '../../src/worker/bundle.js';
import { playScenario } from './play-scenario.js';
import { type Scenario, scenarios } from './scenarios.js';
import { comesTo, converter, recorded } from './stored.js';

Runtime.install({ logger: new DefaultLogger('ERROR') });

const [address] = process.argv.slice(2);
if (address === undefined) throw new Error('Which Temporal server? Give its host and port.');
const code = await buildWorkflowBundle();
for (const scenario of scenarios) {
  const file = (kind: string) => new URL(`${scenario.name}.${kind}.json`, recorded);
  if (existsSync(file('history'))) {
    console.log(`kept      ${scenario.name}`);
    continue;
  }
  const { events, held } = await record(scenario, address);
  const fold = await foldEvents(emptyFold, events, converter);
  if (fold.chain.state.head !== held.head) throw new Error(`${scenario.name}: the workflow holds other facts.`);
  writeFileSync(file('history'), `${historyToJson(events).replaceAll(`${process.pid}@${hostname()}`, 'recorder')}\n`);
  writeFileSync(file('expected'), `${JSON.stringify(comesTo(fold), null, 2)}\n`);
  console.log(`recorded  ${scenario.name}: ${fold.chain.state.stop?.outcome}, ${events.length} events`);
}

/** The events of a scenario's chain, and what its workflow held at the end. */
function record(scenario: Scenario, address: string): Promise<{ events: readonly HistoryEvent[]; held: State }> {
  return playScenario(scenario, { address, code }, async (longhand, { chainId }) => {
    const held = await longhand.client.workflow.getHandle(chainId).query<State>(stateQuery);
    return { events: await eventsOf(longhand, chainId), held };
  });
}

async function eventsOf({ client }: Longhand, workflowId: string): Promise<readonly HistoryEvent[]> {
  const { runId } = await client.workflow.getHandle(workflowId).describe();
  const service = { service: client.connection.workflowService, namespace: client.options.namespace };
  const events: HistoryEvent[] = [];
  for await (const page of readForward(service, { workflowId, runId })) events.push(...page);
  return events;
}

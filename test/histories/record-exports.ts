/**
 * Writes down what readers of later versions are held to: chains as this version exports them, and histories as the Web UI
 * and the Temporal CLI download them.
 *
 *   node --import tsx test/histories/record-exports.ts && npx biome check --write test/histories
 *
 * What is there already is kept.
 */

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { DefaultLogger, Runtime } from '@temporalio/worker';
import { startDevServer } from '../../src/cli/server/dev-server.js';
import { ensureTemporalCli } from '../../src/cli/server/temporal-cli.js';
import { chainFileOf, recordedInFile } from '../../src/client/read/recorded.js';
import { searchAttributes } from '../../src/contract/search-attributes.js';
import { seal } from '../../src/core/record/chain-file.js';
import { buildWorkflowBundle } from '../../src/worker/bundle.js';
import { exported } from './exports.js';
import { playScenario } from './play-scenario.js';
import { type Scenario, scenarios } from './scenarios.js';
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
      const stage = { address: server.address, code };
      const chainId = await playScenario(scenario, stage, async (_, chain) => chain.chainId);
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

/** `longhand worker` and `longhand dev`: what runs until it is asked to stop. */

import { Runtime } from '@temporalio/worker';
import { type Encryption, resolveEncryption } from '../../encryption/encryption.js';
import { createModelFromEnvironment } from '../../models/environment.js';
import { createWorker, type LonghandWorker } from '../../worker/create-worker.js';
import { findServer, type Server } from '../server/server.js';
import { stoppable, untilAsked } from '../terminal/shutdown.js';
import type { Terminal } from '../terminal/terminal.js';
import { type Definitions, loadDefinitions, noAgents, usualModule } from './load-agents.js';
import { checkPrices, configuredModel, noModel } from './model.js';

export interface WorkerFlags {
  readonly module?: string;
  readonly taskQueue?: string;
  readonly prices?: string;
}

export async function worker(_terminal: Terminal, flags: WorkerFlags): Promise<number> {
  const defined = await loadDefinitions(flags.module);
  const { provider, description } = await configuredModel(defined.secrets);
  checkPrices(flags.prices);
  const made = await createWorker({ ...defined, provider, taskQueue: flags.taskQueue, prices: flags.prices });
  const names = defined.agents.map((agent) => agent.name).join(', ');
  Runtime.instance().logger.info(`A worker for ${names}; ${description}. Ctrl-C stops it.`);
  await runUntilAsked(made);
  return 0;
}

export interface DevFlags extends WorkerFlags {
  readonly db?: string;
}

/** Temporal with the settings that chains want, until Ctrl-C; and a worker, where there are agents and a model. */
export async function dev(terminal: Terminal, flags: DevFlags): Promise<number> {
  const none: Definitions = { agents: [], workflows: [] };
  const defined = flags.module === undefined && usualModule() === null ? none : await loadDefinitions(flags.module);
  const { agents } = defined;
  const model = await createModelFromEnvironment(process.env, defined.secrets);
  checkPrices(flags.prices);
  const encryption = resolveEncryption(undefined, process.env);
  const server = await findServer({ say: terminal.say, shared: true, dbFile: flags.db, encryption });
  try {
    const { address } = server;
    terminal.say([...serverLines(server, flags.db), ...encryptionLines(server, encryption)].join('\n'));
    if (agents.length === 0 || model === null) {
      terminal.say(`Worker      none. ${agents.length === 0 ? noAgents : noModel}\n\nCtrl-C stops it.`);
      await untilAsked();
      return 0;
    }
    const { provider, description } = model;
    const made = await createWorker({
      ...defined,
      provider,
      address,
      taskQueue: flags.taskQueue,
      prices: flags.prices,
    });
    const lines = [
      `Agents      ${agents.map((agent) => agent.name).join(', ')}`,
      `Model       ${description}`,
      '',
      `Start a chain: npx longhand start ${agents[0]?.name} "…" --wait${address === '127.0.0.1:7233' ? '' : `   (with TEMPORAL_ADDRESS=${address})`}`,
      'Ctrl-C stops all of it.',
    ];
    terminal.say(lines.join('\n'));
    await runUntilAsked(made);
    return 0;
  } finally {
    await server.stop();
  }
}

function serverLines({ address, own, uiUrl }: Server, dbFile: string | undefined): readonly string[] {
  return [
    `Temporal    ${address}${own ? '' : ' (was running already)'}`,
    ...(dbFile === undefined || own
      ? []
      : [`            it keeps its chains where it does; --db ${dbFile} is not used`]),
    `Web UI      ${uiUrl ?? 'wherever that server has it'}`,
  ];
}

function encryptionLines({ own, codecUrl }: Server, encryption: Encryption | null): readonly string[] {
  if (encryption === null) return [];
  const shown = own ? `the Web UI decodes by ${codecUrl}` : '`longhand codec` lets a Web UI decode';
  return [`Encryption  ${encryption.keyLocation}, key ${encryption.keys.current().id}; ${shown}`];
}

/** What is in hand is finished or handed on. */
async function runUntilAsked({ worker, run }: LonghandWorker): Promise<void> {
  const stop = () => {
    if (worker.getState() === 'RUNNING') worker.shutdown();
  };
  await stoppable(stop, run);
}

/** `longhand worker` and `longhand dev`: the commands that run until they are stopped. */

import { Runtime } from '@temporalio/worker';
import { defaultAddress } from '../../connection/index.js';
import { type Encryption, resolveEncryption } from '../../encryption/index.js';
import { createProvidersFromEnvironment, describeProviders, type EnvironmentProvider } from '../../models/index.js';
import { createWorker, type LonghandWorker, limitHeapGrowth } from '../../worker/index.js';
import { prepareStore } from '../access/command-store.js';
import { findOrStartServer, type TemporalServer } from '../server/server.js';
import { runStoppable, waitUntilStopped } from '../terminal/shutdown.js';
import type { Terminal } from '../terminal/terminal.js';
import { type Definitions, findDefaultModule, formatNoAgents, loadDefinitions } from './load-definitions.js';
import { getConfiguredProviders, noModelText, validatePrices } from './model.js';
import { readWorkerDeployment } from './worker-deployment.js';
import { serveWorkerHealth } from './worker-health.js';

export interface WorkerFlags {
  readonly module?: string;
  readonly taskQueue?: string;
  readonly prices?: string;
  readonly health?: string;
}

export async function runWorker(_terminal: Terminal, flags: WorkerFlags): Promise<number> {
  const defined = await loadDefinitions(flags.module);
  const configured = await getConfiguredProviders(defined.secrets);
  const providers = configured.map(({ provider }) => provider);
  validatePrices(flags.prices);
  const deployment = readWorkerDeployment(process.env);
  const { where: store, notice } = await prepareStore(process.env);
  limitHeapGrowth();
  const worker = await createWorker({
    ...{ ...defined, providers, taskQueue: flags.taskQueue, prices: flags.prices, store },
    ...(deployment === null ? {} : { temporal: { workerDeploymentOptions: deployment } }),
  });
  const health = flags.health === undefined ? null : await serveWorkerHealth(flags.health, worker);
  if (notice !== null) Runtime.instance().logger.info(notice);
  const names = defined.agents.map((agent) => agent.name).join(', ');
  const started = `Worker started for ${names}; ${describeProviders(configured)}. Press Ctrl-C to stop it.`;
  const announce = () => Runtime.instance().logger.info(started);
  await runUntilStopped(worker, announce).finally(() => health?.close());
  return 0;
}

export interface DevFlags extends Omit<WorkerFlags, 'health'> {
  readonly db?: string;
}

/** Runs Temporal with the settings for chains, and a worker if there are agents and a model, until Ctrl-C. */
export async function runDev(terminal: Terminal, flags: DevFlags): Promise<number> {
  const none: Definitions = { agents: [], plans: [] };
  const defined =
    flags.module === undefined && findDefaultModule() === null ? none : await loadDefinitions(flags.module);
  const { agents } = defined;
  const configured = await createProvidersFromEnvironment(process.env, defined.secrets);
  validatePrices(flags.prices);
  const encryption = resolveEncryption(undefined, process.env);
  const server = await findOrStartServer({ report: terminal.report, shared: true, dbFile: flags.db, encryption });
  const { address } = server;
  const hasWorker = agents.length > 0 && configured.length > 0;
  try {
    terminal.report([...formatServer(server, flags.db), ...formatEncryption(server, encryption)].join('\n'));
    if (hasWorker) await runDevWorker(terminal, flags, { defined, configured, address });
    else {
      const why = agents.length === 0 ? formatNoAgents() : noModelText;
      await waitUntilStopped(() => terminal.report(`Worker      none. ${why}\n\nPress Ctrl-C to stop.`));
    }
  } finally {
    await server.stop();
  }
  terminal.report(formatStopped({ server: server.isOwn, worker: hasWorker }));
  return 0;
}

interface DevWorker {
  readonly defined: Definitions;
  readonly configured: readonly EnvironmentProvider[];
  readonly address: string;
}

async function runDevWorker(
  terminal: Terminal,
  { taskQueue, prices }: DevFlags,
  { defined, configured, address }: DevWorker,
): Promise<void> {
  const providers = configured.map(({ provider }) => provider);
  const { where: store, notice } = await prepareStore(process.env);
  const worker = await createWorker({ ...defined, providers, address, taskQueue, prices, store });
  const { agents } = defined;
  const lines = [
    `Agents      ${agents.map((agent) => agent.name).join(', ')}`,
    `Model       ${describeProviders(configured)}`,
    ...(notice === null ? [] : [`Archive     ${notice}`]),
    '',
    `Start a chain: npx longhand start ${agents[0]?.name} "…" --wait`,
    'Press Ctrl-C to stop server and worker.',
  ];
  await runUntilStopped(worker, () => terminal.report(lines.join('\n')));
}

/** Begins on its own line, after the terminal's `^C`. A server that ran before continues. */
function formatStopped(stopped: { readonly server: boolean; readonly worker: boolean }): string {
  const names = [...(stopped.server ? ['the server'] : []), ...(stopped.worker ? ['the worker'] : [])];
  return `\nStopped${names.length === 0 ? '' : ` ${names.join(' and ')}`}.`;
}

function formatServer({ address, isOwn, uiUrl }: TemporalServer, dbFile: string | undefined): readonly string[] {
  return [
    `Temporal    ${address}${isOwn ? '' : ' (already running)'}`,
    ...(dbFile === undefined || isOwn
      ? []
      : [`            --db ${dbFile} is ignored: this server has its own storage`]),
    ...(address === defaultAddress ? [] : [`            in other shells: export TEMPORAL_ADDRESS=${address}`]),
    `Web UI      ${uiUrl ?? 'see the configuration of this server'}`,
  ];
}

function formatEncryption({ isOwn, codecUrl }: TemporalServer, encryption: Encryption | null): readonly string[] {
  if (encryption === null) return [];
  const codec = isOwn ? `the Web UI decrypts with ${codecUrl}` : 'to decrypt in the Web UI, run `longhand codec`';
  return [`Encryption  ${encryption.keyLocation}, key ${encryption.keys.current().id}; ${codec}`];
}

/** Runs a worker until it is stopped. Running activities finish or are retried elsewhere. */
async function runUntilStopped({ shutdown, run }: LonghandWorker, announce: () => void): Promise<void> {
  await runStoppable(shutdown, () => {
    announce();
    return run();
  });
}

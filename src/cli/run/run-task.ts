/** `longhand run`, also for `plan run` and `agent`: runs an agent on a task with a worker in this process. */

import type { PlanTemplate } from '../../core/model/index.js';
import { getSystemUser } from '../access/open.js';
import { type StartFlags, toStartOptions } from '../flags/start-flags.js';
import { exitCodes } from '../flags/usage-error.js';
import { buildChainUrl, findOrStartServer } from '../server/server.js';
import { formatJson, isInteractive, type Terminal } from '../terminal/terminal.js';
import { getAgent, loadDefinitions } from './load-definitions.js';
import { getConfiguredProviders, validatePrices } from './model.js';
import { formatTrace, type ReadTrace, readTrace } from './print-trace.js';
import { type RunChainOptions, runChain } from './run-chain.js';
import { type AgentFlags, validateTask } from './start.js';

/** The agent to run, which is one of the worker's agents, and its task. */
export interface RunTarget extends Pick<RunChainOptions, 'agents' | 'approvals' | 'secrets' | 'agent' | 'task'> {
  readonly plan?: PlanTemplate;
}

export interface RunFlags extends StartFlags {
  readonly prices?: string;
  readonly tokens?: boolean;
  readonly trace?: boolean;
}

export async function runAgent(
  terminal: Terminal,
  name: string,
  task: string,
  flags: AgentFlags & RunFlags,
): Promise<number> {
  validateTask(task);
  return runTask(terminal, flags, async () => {
    const defined = await loadDefinitions(flags.module);
    return { ...defined, agent: getAgent(defined.agents, name), task };
  });
}

export type RunTask = typeof runTask;

/** Runs an agent on a task and returns the exit code. @param load called after the flags are validated */
export async function runTask(terminal: Terminal, flags: RunFlags, load: () => Promise<RunTarget>): Promise<number> {
  const options = toStartOptions({ user: getSystemUser(), ...flags });
  validatePrices(flags.prices);
  const { plan, ...toRun } = await load();
  const configured = await getConfiguredProviders(toRun.secrets);
  const server = await findOrStartServer({ report: terminal.report });
  try {
    const traces: ReadTrace[] = [];
    const result = await runChain({
      ...toRun,
      address: server.address,
      taskQueue: flags.taskQueue,
      providers: configured.map(({ provider }) => provider),
      prices: flags.prices,
      start: { ...options, plan },
      tokens: flags.tokens,
      output: flags.json ? null : terminal,
      requestHandling: !flags.json && isInteractive() ? 'prompt' : 'print',
      report: terminal.report,
      readEnded: flags.trace
        ? async (chain) => void traces.push(await readTrace(chain, { user: getSystemUser(), ...flags }))
        : undefined,
    });
    const [traced] = traces;
    if (traced !== undefined && !flags.json) terminal.write(formatTrace(traced, terminal));
    if (flags.json) terminal.write(formatJson({ ...result, ...(traced === undefined ? {} : { trace: traced.trace }) }));
    else if (server.uiUrl !== null && !server.isOwn)
      terminal.write(`\n${buildChainUrl(server.uiUrl, result.chainId)}\n`);
    return exitCodes[result.outcome];
  } finally {
    await server.stop();
  }
}

/** Runs an agent on a task, with a worker in this process: what `run`, `workflow run` and `agent` have in common. */

import type { PlanTemplate } from '../../core/model/plan.js';
import { loggedIn } from '../access/logged-in.js';
import { exitCodes } from '../flags/exit-codes.js';
import { configuredModel } from '../flags/model.js';
import { checkPrices } from '../flags/prices.js';
import { type StartFlags, startOptions } from '../flags/start-flags.js';
import { chainUrl, findServer } from '../server/server.js';
import { jsonLine } from '../terminal/json-line.js';
import { mayAsk } from '../terminal/may-ask.js';
import type { Terminal } from '../terminal/terminal.js';
import { type RunChainOptions, runChain } from './run-chain.js';

/** What is to be run: an agent, of those that the worker has. */
export interface ToRun extends Pick<RunChainOptions, 'agents' | 'approvals' | 'secrets' | 'agent' | 'task'> {
  readonly plan?: PlanTemplate;
}

export interface RunFlags extends StartFlags {
  readonly prices?: string;
  readonly tokens?: boolean;
}

export type RunTask = typeof runTask;

/** @param load is asked once the flags are known to be right */
export async function runTask(terminal: Terminal, flags: RunFlags, load: () => Promise<ToRun>): Promise<number> {
  const options = startOptions({ user: loggedIn(), ...flags });
  checkPrices(flags.prices);
  const { plan, ...toRun } = await load();
  const { provider, model } = await configuredModel(toRun.secrets);
  const server = await findServer({ say: terminal.say });
  try {
    const result = await runChain({
      ...toRun,
      address: server.address,
      taskQueue: flags.taskQueue,
      provider,
      prices: flags.prices,
      start: { ...options, model: flags.model ?? model ?? undefined, plan },
      tokens: flags.tokens,
      live: flags.json ? null : terminal,
      people: !flags.json && mayAsk() ? 'ask' : 'tell',
      say: terminal.say,
    });
    if (flags.json) terminal.write(jsonLine(result));
    else if (server.uiUrl !== null && !server.own) terminal.write(`\n${chainUrl(server.uiUrl, result.chainId)}\n`);
    return exitCodes[result.outcome];
  } finally {
    await server.stop();
  }
}

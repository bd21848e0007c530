/** What each command does, with its options as commander read them. Each resolves to an exit code. */

import { connect } from '../client/connect.js';
import { afterStart } from './after-start.js';
import { exitCodes } from './exit-codes.js';
import { loadDefinitions, pickAgent } from './load-agents.js';
import { loggedIn } from './logged-in.js';
import { configuredModel } from './model.js';
import { mayAsk } from './people/may-ask.js';
import { checkPrices } from './prices.js';
import { runChain } from './run-chain.js';
import { chainUrl, findServer } from './server.js';
import { type StartFlags, startOptions } from './start-flags.js';
import { checkTask, startNamed } from './start-named.js';
import type { Terminal } from './terminal.js';

/** Of commands that start an agent by its name. */
export interface AgentFlags extends StartFlags {
  readonly module?: string;
  readonly prices?: string;
}

export async function run(
  terminal: Terminal,
  name: string,
  task: string,
  flags: AgentFlags & { readonly tokens?: boolean },
): Promise<number> {
  checkTask(task);
  const options = startOptions({ user: loggedIn(), ...flags });
  checkPrices(flags.prices);
  const defined = await loadDefinitions(flags.module);
  const agent = pickAgent(defined.agents, name);
  const { provider, model } = configuredModel();
  const server = await findServer({ say: terminal.say });
  try {
    const result = await runChain({
      ...defined,
      agent,
      task,
      address: server.address,
      taskQueue: flags.taskQueue,
      provider,
      prices: flags.prices,
      start: { ...options, model: flags.model ?? model ?? undefined },
      tokens: flags.tokens,
      live: flags.json ? null : terminal,
      people: !flags.json && mayAsk() ? 'ask' : 'tell',
      say: terminal.say,
    });
    if (flags.json) terminal.write(`${JSON.stringify(result)}\n`);
    else if (server.uiUrl !== null && !server.own) terminal.write(`\n${chainUrl(server.uiUrl, result.chainId)}\n`);
    return exitCodes[result.outcome];
  } finally {
    await server.stop();
  }
}

/** Starts a chain for a worker that runs elsewhere, and leaves it to it. */
export async function start(
  terminal: Terminal,
  name: string,
  task: string,
  flags: AgentFlags & { readonly join?: boolean; readonly again?: boolean; readonly wait?: boolean },
): Promise<number> {
  checkTask(task);
  const options = startOptions({ user: loggedIn(), ...flags });
  const longhand = await connect({ taskQueue: flags.taskQueue });
  try {
    const model = flags.model ?? process.env.LONGHAND_MODEL;
    const asked = {
      ...options,
      model: model === '' ? undefined : model,
      ifExists: flags.join ? ('join' as const) : flags.again ? ('again' as const) : ('error' as const),
    };
    const chain = await startNamed(
      () => longhand.start(name, task, asked),
      ', or take that one with --join, or run anew with --again once it has ended',
    );
    return await afterStart(terminal, chain, flags);
  } finally {
    await longhand.close();
  }
}

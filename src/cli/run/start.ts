/** `longhand start`: starts a chain for a worker in another process, and follows it with `--wait`. */

import {
  ChainExistsError,
  type ChainHandle,
  findUnpolledQueue,
  InvalidInputError,
  type Longhand,
} from '../../client/index.js';
import { formatUnpolledQueue } from '../../connection/index.js';
import { toOneLine } from '../../core/lib/index.js';
import { connectWithStore, getSystemUser } from '../access/open.js';
import { type StartFlags, toStartOptions } from '../flags/start-flags.js';
import { exitCodes, UsageError } from '../flags/usage-error.js';
import { createChainDisplay } from '../print/chain-display.js';
import { isRedrawable } from '../print/live-lines.js';
import { formatJson, type Terminal } from '../terminal/terminal.js';
import { showChain } from './show-chain.js';

/** Flags of commands that start an agent by its name. */
export interface AgentFlags extends StartFlags {
  readonly module?: string;
  readonly prices?: string;
}

export async function startAgent(
  terminal: Terminal,
  name: string,
  task: string,
  flags: AgentFlags & { readonly join?: boolean; readonly again?: boolean; readonly wait?: boolean },
): Promise<number> {
  validateTask(task);
  const options = toStartOptions({ user: getSystemUser(), ...flags });
  const longhand = await connectWithStore({ taskQueue: flags.taskQueue });
  try {
    const startOptions = {
      ...options,
      ifExists: flags.join ? ('join' as const) : flags.again ? ('again' as const) : ('error' as const),
    };
    const chain = await startWithUsageErrors(
      () => longhand.start(name, task, startOptions),
      ', use --join to join it, or --again to start it again after its end',
    );
    return await printOrFollow(terminal, longhand, chain, flags);
  } finally {
    await longhand.close();
  }
}

export interface AfterStartFlags {
  readonly wait?: boolean;
  readonly json?: boolean;
  /** The reader, whose preferences apply. Default: the logged-in user. */
  readonly user?: string;
  readonly tenant?: string;
}

/** Prints the id of a started chain, or follows the chain until it ends. */
export async function printOrFollow(
  terminal: Terminal,
  longhand: Longhand,
  chain: ChainHandle,
  { wait = false, json = false, user = getSystemUser(), tenant }: AfterStartFlags,
): Promise<number> {
  if (!wait) {
    terminal.write(json ? formatJson({ chainId: chain.chainId }) : `${toOneLine(chain.chainId)}\n`);
    await reportUnpolledQueue(terminal, longhand, chain);
    return 0;
  }
  terminal.report(`Following ${toOneLine(chain.chainId)}. Ctrl-C leaves it running.`);
  void reportUnpolledQueue(terminal, longhand, chain);
  const output = json ? null : terminal;
  const display = createChainDisplay({ output, report: terminal.report, isRedrawn: false, prompts: false });
  const result = await showChain(chain, display, {
    preferences: json ? null : await longhand.readPreferences({ user, tenant: tenant ?? null }),
    terminal,
    getChain: longhand.getHandle,
    // Without a prompt: several people may follow the same chain.
    requestHandling: 'print',
    interim: !json && isRedrawable(),
  });
  if (json) terminal.write(formatJson(result));
  return exitCodes[result.outcome];
}

async function reportUnpolledQueue(terminal: Terminal, { client }: Longhand, { chainId }: ChainHandle): Promise<void> {
  const queue = await findUnpolledQueue(client, chainId);
  if (queue !== null) terminal.report(formatUnpolledQueue(queue));
}

/**
 * Starts a chain and converts input that the client rejects to a usage error. A taken id is not a wrong use: whether it is taken
 * depends on the server.
 *
 * @param alternatives end of a sentence: other fixes if a chain with this id exists
 * @throws {UsageError} {ChainExistsError}
 */
export async function startWithUsageErrors(start: () => Promise<ChainHandle>, alternatives = ''): Promise<ChainHandle> {
  try {
    return await start();
  } catch (error) {
    if (error instanceof ChainExistsError)
      throw new ChainExistsError(
        error.chainId,
        `Chain ${error.chainId} already exists. Choose another --id${alternatives}.`,
      );
    if (error instanceof InvalidInputError) throw new UsageError(error.message, { cause: error });
    throw error;
  }
}

/** @throws {UsageError} for an empty task */
export function validateTask(task: string): void {
  if (task.trim() === '') throw new UsageError('The task is empty. Describe what the agent should do.');
}

/** What a command does once its chain has been started on a server: names it and leaves, or follows it to its end. */

import type { ChainHandle } from '../client/handle.js';
import { exitCodes } from './exit-codes.js';
import { chainPrinter } from './print-chain.js';
import type { Terminal } from './terminal.js';

export interface AfterStart {
  readonly wait?: boolean;
  readonly json?: boolean;
}

export async function afterStart(
  terminal: Terminal,
  chain: ChainHandle,
  { wait = false, json = false }: AfterStart,
): Promise<number> {
  if (!wait) {
    terminal.write(json ? `${JSON.stringify({ chainId: chain.chainId })}\n` : `${chain.chainId}\n`);
    return 0;
  }
  terminal.say(`Following ${chain.chainId}. Ctrl-C leaves it running.`);
  if (json) {
    const result = await chain.result();
    terminal.write(`${JSON.stringify(result)}\n`);
    return exitCodes[result.outcome];
  }
  const print = chainPrinter(terminal);
  for await (const event of chain.follow()) {
    terminal.write(print(event));
    if (event.type === 'ended') return exitCodes[event.result.outcome];
  }
  return 1;
}

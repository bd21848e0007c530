/** What a command does once its chain has been started on a server: names it and leaves, or follows it to its end. */

import type { Longhand } from '../../client/connect.js';
import type { ChainHandle } from '../../client/handle.js';
import { oneLine } from '../../core/lib/plain.js';
import { withPeople } from '../approvals/while-following.js';
import { exitCodes } from '../flags/exit-codes.js';
import { chainPrinter } from '../print/print-chain.js';
import { jsonLine } from '../terminal/json-line.js';
import type { Terminal } from '../terminal/terminal.js';

export interface AfterStart {
  readonly wait?: boolean;
  readonly json?: boolean;
}

export async function afterStart(
  terminal: Terminal,
  longhand: Longhand,
  chain: ChainHandle,
  { wait = false, json = false }: AfterStart,
): Promise<number> {
  if (!wait) {
    terminal.write(json ? jsonLine({ chainId: chain.chainId }) : `${oneLine(chain.chainId)}\n`);
    return 0;
  }
  terminal.say(`Following ${oneLine(chain.chainId)}. Ctrl-C leaves it running.`);
  // Who follows a chain of others is told what waits; deciding it is for the commands that name it.
  const print = json ? () => '' : chainPrinter(terminal);
  for await (const event of withPeople(chain.follow({ children: true }), {
    chain,
    chainOf: longhand.chain,
    manner: 'tell',
    terminal,
  })) {
    terminal.write(print(event));
    if (event.type !== 'ended') continue;
    if (json) terminal.write(jsonLine(event.result));
    return exitCodes[event.result.outcome];
  }
  return 1;
}

/** What came of a word, for who said it. */

import type { CancelReceipt } from '../../client/commands/cancel.js';
import { oneLine } from '../../core/lib/plain.js';
import { colorsFor } from '../terminal/colors.js';
import { jsonLine } from '../terminal/json-line.js';
import type { Terminal } from '../terminal/terminal.js';

export interface Said {
  readonly chainId: string;
  /** Of what was decided; null where it was said to the chain as a whole. */
  readonly call: string | null;
  /** What was done, for the person: `Approved call 3.1`. */
  readonly done: string;
  /** The same, where no worker has done it yet: `approve call 3.1`. */
  readonly wish: string;
  /** Of a call: whether it waits on, for others; null where that is not known yet. */
  readonly open?: boolean | null;
  readonly json: boolean | undefined;
}

/** @returns the exit code: what the server keeps is as good as said */
export function tellReceipt(
  terminal: Terminal,
  { chainId, call, done, wish, open, json }: Said,
  receipt: CancelReceipt,
): number {
  if (json) {
    terminal.write(jsonLine({ chainId, ...(call === null ? {} : { call, open }), ...receipt }));
    return 0;
  }
  const c = colorsFor(terminal);
  const mark = { taken: c.green('✓ '), sent: c.yellow('… '), ended: '' }[receipt.status];
  terminal.write(`${mark}${receiptText(receipt, { chainId, done, wish })}\n`);
  return 0;
}

export function receiptText(
  { status }: CancelReceipt,
  { chainId, done, wish }: Pick<Said, 'chainId' | 'done' | 'wish'>,
): string {
  switch (status) {
    case 'taken':
      return `${oneLine(done)} · ${oneLine(chainId)}`;
    case 'sent':
      return `Sent: ${oneLine(wish)} · ${oneLine(chainId)}\n  No worker has taken it yet. The server keeps it for the first that does.`;
    case 'ended':
      return `${oneLine(chainId)} has ended already.`;
  }
}

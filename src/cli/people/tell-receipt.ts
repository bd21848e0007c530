/** What came of a word, for who said it. */

import type { CancelReceipt } from '../../client/cancel.js';
import { oneLine } from '../../core/plain.js';
import { colorsFor } from '../chain/colors.js';
import type { Terminal } from '../terminal.js';

export interface Said {
  readonly chainId: string;
  /** Of what was decided; null where it was said to the chain as a whole. */
  readonly call: string | null;
  /** What was done, for the person: `Approved call 3.1`. */
  readonly done: string;
  readonly json: boolean | undefined;
}

/** @returns the exit code: what the server keeps is as good as said */
export function tellReceipt(terminal: Terminal, { chainId, call, done, json }: Said, receipt: CancelReceipt): number {
  if (json) {
    terminal.write(`${JSON.stringify({ chainId, ...(call === null ? {} : { call }), ...receipt })}\n`);
    return 0;
  }
  const c = colorsFor(terminal);
  const mark = { taken: c.green('✓ '), sent: c.yellow('… '), ended: '' }[receipt.status];
  terminal.write(`${mark}${receiptText(receipt, { chainId, done })}\n`);
  return 0;
}

export function receiptText({ status }: CancelReceipt, { chainId, done }: Pick<Said, 'chainId' | 'done'>): string {
  switch (status) {
    case 'taken':
      return `${oneLine(done)} · ${chainId}`;
    case 'sent':
      return `${oneLine(done)} · ${chainId}\n  No worker has taken it yet. The server keeps it for the first that does.`;
    case 'ended':
      return `${chainId} has ended already.`;
  }
}

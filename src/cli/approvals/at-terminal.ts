/** One request at the terminal: shown whole, decided, and said to the chain. */

import type { Receipt } from '../../client/commands/direct.js';
import { RefusedError } from '../../client/errors/errors.js';
import type { ChainHandle } from '../../client/handle.js';
import { colorsFor } from '../terminal/colors.js';
import { log } from '../terminal/prompts.js';
import type { Terminal } from '../terminal/terminal.js';
import { type AskOptions, askWord } from './ask-word.js';
import { requestWhole } from './request-text.js';
import { say } from './say.js';
import type { SeenRequest } from './seen-request.js';
import { receiptText, type Said } from './tell-receipt.js';

/** `left`: nothing was said. `refused`: it was, and the chain did not take it. */
export type Asked = 'said' | 'refused' | 'left';

export async function decideAtTerminal(
  terminal: Pick<Terminal, 'color' | 'width'>,
  chain: ChainHandle,
  seen: SeenRequest,
  { about = [], ...options }: AskOptions & { readonly about?: readonly string[] },
): Promise<Asked> {
  await forgetTyped();
  const room = { c: colorsFor(terminal), width: Math.max(40, terminal.width - 4), now: Date.now() };
  log.message([...about, requestWhole(seen, room)].join('\n\n'));
  const decided = await askWord(seen, options);
  if (decided === null) return 'left';
  const { word, speaker } = decided;
  try {
    const { call, digest } = seen.request;
    const { receipt, ...said } = await say(chain, { call, digest, request: seen.request }, word, speaker);
    tellSaid(receipt, { chainId: chain.chainId, ...said });
    return 'said';
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    log.error(error.message);
    return 'refused';
  }
}

export function tellSaid(receipt: Receipt, said: Pick<Said, 'chainId' | 'done' | 'wish'>): void {
  const text = receiptText(receipt, said);
  if (receipt.status === 'taken') log.success(text);
  else log.warn(text);
}

/** What was typed before there was a question is no answer to it. */
async function forgetTyped(): Promise<void> {
  const { stdin } = process;
  const forget = () => {};
  stdin.setRawMode?.(true);
  stdin.on('data', forget);
  stdin.resume();
  await new Promise((resolve) => setTimeout(resolve, 30));
  stdin.off('data', forget);
  stdin.pause();
  stdin.setRawMode?.(false);
}

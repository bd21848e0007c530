/** Lets somebody at the terminal pick a request of a chain, and decide it. */

import type { ChainHandle } from '../../client/handle.js';
import type { Viewing } from '../access/viewed.js';
import { cancel, isCancel, select } from '../terminal/prompts.js';
import type { Terminal } from '../terminal/terminal.js';
import { cut } from '../terminal/text.js';
import type { AskOptions } from './ask-word.js';
import { type Asked, decideAtTerminal } from './at-terminal.js';
import { factsText, whatText } from './request-text.js';
import { type SeenRequest, seenRequest } from './seen-request.js';
import { fitting, type Wanted } from './which-call.js';
import { nothingWaits, whyNot } from './why-not.js';

/** @returns the exit code: 130 for who leaves all as it was */
export async function decideOneOf(
  terminal: Terminal,
  chain: ChainHandle,
  wanted: Omit<Wanted, 'chainId'>,
  { call, seenBy, ...options }: AskOptions & { readonly call: string | undefined; readonly seenBy: Viewing },
): Promise<number> {
  const all = await chain.requests();
  if (all.length === 0) throw new Error(await nothingWaits(chain));
  const open = fitting(all, { ...wanted, chainId: chain.chainId });
  const requests = call === undefined ? open : open.filter((request) => request.call === call);
  if (requests.length === 0) {
    const why = call === undefined ? null : await whyNot(chain, call);
    throw new Error(why ?? `Call ${call} of ${chain.chainId} does not wait for this.`);
  }
  const { viewer, config } = seenBy;
  const view = await chain.view(viewer, config);
  const shown = requests.map((request) => seenRequest(request, view));
  const seen = shown.length === 1 ? shown[0] : await picked(shown, terminal);
  if (seen === undefined) return leaving();
  return exitCode(await decideAtTerminal(terminal, chain, seen, options));
}

async function picked(all: readonly SeenRequest[], { width }: Terminal): Promise<SeenRequest | undefined> {
  const now = Date.now();
  const answer = await select<number>({
    message: 'Which call?',
    options: all.map((seen, value) => ({
      value,
      label: cut(`${seen.request.call}  ${whatText(seen)}`, Math.max(30, width - 40)),
      hint: factsText(seen, now),
    })),
  });
  return isCancel(answer) ? undefined : all[answer];
}

function exitCode(asked: Asked): number {
  if (asked === 'left') return leaving();
  return asked === 'said' ? 0 : 1;
}

function leaving(): number {
  cancel('Nothing was decided.');
  return 130;
}

/** Decides a request at the terminal: picked where there are several, shown whole, then submitted. */

import type { CommandReceipt } from '../../client/commands/send-command.js';
import { CommandRejectedError } from '../../client/errors/errors.js';
import type { ChainHandle } from '../../client/handle.js';
import type { Viewing } from '../access/viewed.js';
import { colorsFor } from '../terminal/colors.js';
import { cancel, isCancel, log, select } from '../terminal/prompts.js';
import type { Terminal } from '../terminal/terminal.js';
import { cut } from '../terminal/text.js';
import { type PromptOptions, promptDecision } from './prompt.js';
import { factsText, requestWhole, whatText } from './request-text.js';
import { type RequestView, viewRequest } from './request-view.js';
import { explainClosed, explainNothingOpen, requestsFor, type Target } from './resolve-target.js';
import { type Report, receiptText, submit } from './submit.js';

/** `left`: nothing was submitted. `refused`: the chain did not take the decision. */
export type Prompted = 'submitted' | 'refused' | 'left';

export async function decideAtTerminal(
  terminal: Pick<Terminal, 'color' | 'width'>,
  chain: ChainHandle,
  seen: RequestView,
  { about = [], ...options }: PromptOptions & { readonly about?: readonly string[] },
): Promise<Prompted> {
  await discardTyped();
  const room = { c: colorsFor(terminal), width: Math.max(40, terminal.width - 4), now: Date.now() };
  log.message([...about, requestWhole(seen, room)].join('\n\n'));
  const prompted = await promptDecision(seen, options);
  if (prompted === null) return 'left';
  try {
    const { call, digest } = seen.request;
    const submission = { call, digest, request: seen.request };
    const { receipt, ...report } = await submit(chain, submission, prompted.decision, prompted.speaker);
    logReceipt(receipt, { chainId: chain.chainId, ...report });
    return 'submitted';
  } catch (error) {
    if (!(error instanceof CommandRejectedError)) throw error;
    log.error(error.message);
    return 'refused';
  }
}

export function logReceipt(receipt: CommandReceipt, report: Pick<Report, 'chainId' | 'done' | 'wish'>): void {
  const text = receiptText(receipt, report);
  if (receipt.status === 'taken') log.success(text);
  else log.warn(text);
}

/** Drops what was typed before the question was shown: it is no answer to it. */
async function discardTyped(): Promise<void> {
  const { stdin } = process;
  const discard = () => {};
  stdin.setRawMode?.(true);
  stdin.on('data', discard);
  stdin.resume();
  await new Promise((resolve) => setTimeout(resolve, 30));
  stdin.off('data', discard);
  stdin.pause();
  stdin.setRawMode?.(false);
}

/** Lets the person pick one of several requests and decide it. Returns the exit code: 130 for leaving all as it was. */
export async function decideOneOf(
  terminal: Terminal,
  chain: ChainHandle,
  target: Omit<Target, 'chainId'>,
  { call, seenBy, ...options }: PromptOptions & { readonly call: string | undefined; readonly seenBy: Viewing },
): Promise<number> {
  const all = await chain.listRequests();
  if (all.length === 0) throw new Error(await explainNothingOpen(chain));
  const open = requestsFor(all, { ...target, chainId: chain.chainId });
  const requests = call === undefined ? open : open.filter((request) => request.call === call);
  if (requests.length === 0) {
    const why = call === undefined ? null : await explainClosed(chain, call);
    throw new Error(why ?? `Call ${call} of ${chain.chainId} does not wait for this.`);
  }
  const { viewer, config } = seenBy;
  const view = await chain.view(viewer, config);
  const shown = requests.map((request) => viewRequest(request, view));
  const seen = shown.length === 1 ? shown[0] : await pick(shown, terminal);
  if (seen === undefined) return leave();
  return exitCode(await decideAtTerminal(terminal, chain, seen, options));
}

async function pick(all: readonly RequestView[], { width }: Terminal): Promise<RequestView | undefined> {
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

function exitCode(prompted: Prompted): number {
  if (prompted === 'left') return leave();
  return prompted === 'submitted' ? 0 : 1;
}

function leave(): number {
  cancel('Nothing was decided.');
  return 130;
}

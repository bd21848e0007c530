/** Decides a request at the terminal: lets the person pick one of several, shows it in full, submits the decision. */

import { type ChainHandle, type CommandReceipt, CommandRejectedError } from '../../client/index.js';
import { LonghandError } from '../../core/lib/index.js';
import { type RequestView, viewRequest } from '../../core/view/index.js';
import type { ChainViewer } from '../access/chain-viewer.js';
import { getColors } from '../terminal/colors.js';
import { cancel, isCancel, log, promptSelect } from '../terminal/prompts.js';
import type { Terminal } from '../terminal/terminal.js';
import { truncate } from '../terminal/text.js';
import { discardTypedKeys, waitForKey } from '../terminal/typed-keys.js';
import { formatFullRequest, formatRequestFacts, formatRequestTitle } from './format-request.js';
import { type PromptOptions, promptDecision } from './prompt.js';
import { type DecisionTarget, explainClosedCall, explainNoRequests, filterRequests } from './resolve-target.js';
import { type CommandReport, formatReceipt, submitDecision } from './submit.js';

/** `left`: nothing was submitted. `rejected`: the chain rejected the decision. */
export type PromptResult = 'submitted' | 'rejected' | 'left';

interface AtTerminalOptions extends PromptOptions {
  /** Lines above the request. */
  readonly about?: readonly string[];
  /** Prompts only once a key is pressed: keys meant for an earlier prompt must not decide this one. */
  readonly waitsForKey?: boolean;
}

export async function decideAtTerminal(
  terminal: Pick<Terminal, 'color' | 'width'>,
  chain: ChainHandle,
  requestView: RequestView,
  { about = [], waitsForKey = false, ...options }: AtTerminalOptions,
): Promise<PromptResult> {
  if ((await discardTypedKeys()) === 'cancelled') return 'left';
  const room = { c: getColors(terminal), width: Math.max(40, terminal.width - 4), now: Date.now() };
  log.message([...about, formatFullRequest(requestView, room)].join('\n\n'));
  if (waitsForKey) {
    log.message(room.c.dim('Press any key to decide it.'));
    if ((await waitForKey(options.signal)) === 'cancelled') return 'left';
  }
  const prompted = await promptDecision(requestView, options);
  if (prompted === null) return 'left';
  try {
    const { call, digest } = requestView.request;
    const submission = { call, digest, request: requestView.request };
    const { receipt, ...report } = await submitDecision(chain, submission, prompted.decision, prompted.sender);
    logReceipt(receipt, { chainId: chain.chainId, ...report });
    return 'submitted';
  } catch (error) {
    if (!(error instanceof CommandRejectedError)) throw error;
    log.error(error.message);
    return 'rejected';
  }
}

export function logReceipt(
  receipt: CommandReceipt,
  report: Pick<CommandReport, 'chainId' | 'doneText' | 'pendingText'>,
): void {
  const text = formatReceipt(receipt, report);
  if (receipt.status === 'accepted') log.success(text);
  else log.warn(text);
}

/** Lets the person pick one of several requests and decide it. Returns the exit code: 130 if nothing was decided. */
export async function pickAndDecide(
  terminal: Terminal,
  chain: ChainHandle,
  target: Omit<DecisionTarget, 'chainId'>,
  { call, seenBy, ...options }: PromptOptions & { readonly call: string | undefined; readonly seenBy: ChainViewer },
): Promise<number> {
  const all = await chain.listRequests();
  if (all.length === 0) throw new LonghandError('call_not_waiting', await explainNoRequests(chain));
  const open = filterRequests(all, { ...target, chainId: chain.chainId });
  const requests = call === undefined ? open : open.filter((request) => request.call === call);
  if (requests.length === 0) {
    const why = call === undefined ? null : await explainClosedCall(chain, call);
    throw new LonghandError(
      'call_not_waiting',
      why ?? `Call ${call} of ${chain.chainId} does not wait for this decision.`,
    );
  }
  const { viewer, config } = seenBy;
  const view = await chain.view(viewer, config);
  const requestViews = requests.map((request) => viewRequest(request, view));
  const requestView = requestViews.length === 1 ? requestViews[0] : await promptRequest(requestViews, terminal);
  if (requestView === undefined) return reportNothingDecided();
  return toExitCode(await decideAtTerminal(terminal, chain, requestView, options));
}

async function promptRequest(all: readonly RequestView[], { width }: Terminal): Promise<RequestView | undefined> {
  const now = Date.now();
  const answer = await promptSelect<number>({
    message: 'Which call?',
    options: all.map((requestView, value) => ({
      value,
      label: truncate(`${requestView.request.call}  ${formatRequestTitle(requestView)}`, Math.max(30, width - 40)),
      hint: formatRequestFacts(requestView, now),
    })),
  });
  return isCancel(answer) ? undefined : all[answer];
}

function toExitCode(prompted: PromptResult): number {
  if (prompted === 'left') return reportNothingDecided();
  return prompted === 'submitted' ? 0 : 1;
}

function reportNothingDecided(): number {
  cancel('Nothing was decided.');
  return 130;
}

/** The inbox at a terminal: pick a request, read it in full, decide it; until none is left or the person leaves. */

import { CommandRejectedError, type InboxView, type Longhand, type WaitingChainView } from '../../client/index.js';
import { toOneLine } from '../../core/lib/index.js';
import type { RequestView } from '../../core/view/index.js';
import { getColors } from '../terminal/colors.js';
import { isCancel, log, printOutro, promptSelect } from '../terminal/prompts.js';
import type { Terminal } from '../terminal/terminal.js';
import { truncate } from '../terminal/text.js';
import { discardTypedKeys } from '../terminal/typed-keys.js';
import { decideAtTerminal, logReceipt } from './decide-at-terminal.js';
import type { IdentifiedSender } from './decision.js';
import { formatChainFacts } from './format-inbox.js';
import { formatRequestTitle } from './format-request.js';

/** One option of the list: a request, or a chain that can be resumed. */
interface InboxItem {
  readonly chain: WaitingChainView;
  readonly requestView: RequestView | null;
}

export async function processInbox(
  terminal: Terminal,
  longhand: Longhand,
  look: () => Promise<InboxView>,
  sender: IdentifiedSender,
): Promise<number> {
  /** Keys of decided requests: the server's list may lag behind and still contain them. */
  const decided = new Set<string>();
  for (;;) {
    const inbox = await look();
    const entries = listItems(inbox).filter((entry) => !decided.has(toItemKey(entry)));
    if (entries.length === 0) {
      printOutro(decided.size === 0 ? 'Nothing waits for a person.' : 'Nothing else waits for a person.');
      return 0;
    }
    // Keys that are typed ahead must not pick the next request.
    const entry = (await discardTypedKeys()) === 'cancelled' ? null : await promptItem(entries, inbox.others, terminal);
    if (entry === null) {
      printOutro('The other requests are unchanged.');
      return 0;
    }
    const isDecided = await (entry.requestView === null
      ? promptResume(longhand, entry.chain, sender)
      : decideItem(terminal, longhand, entry.chain, entry.requestView, sender));
    if (isDecided) decided.add(toItemKey(entry));
  }
}

function listItems({ chains }: InboxView): readonly InboxItem[] {
  return chains.flatMap((chain): readonly InboxItem[] => [
    ...chain.requests.map((requestView) => ({ chain, requestView })),
    ...(findResumable(chain) === null ? [] : [{ chain, requestView: null }]),
  ]);
}

/** Identifies a request and its state: a vote changes the count, changed arguments the digest. */
function toItemKey({ chain, requestView }: InboxItem): string {
  if (requestView === null) return `${chain.chainId} ${findResumable(chain)?.at}`;
  const { call, askedAt, digest, votes } = requestView.request;
  return `${chain.chainId} ${call} ${askedAt} ${digest} ${votes.length}`;
}

async function promptItem(
  entries: readonly InboxItem[],
  others: number,
  { width }: Terminal,
): Promise<InboxItem | null> {
  const more = others === 0 ? '' : `, and ${others} more chains (see --limit)`;
  const answer = await promptSelect<number>({
    message: `${entries.length} ${entries.length === 1 ? 'item waits' : 'items wait'} for a person${more}`,
    options: [
      ...entries.map(({ chain, requestView }, value) => ({
        value,
        label: truncate(
          `${truncate(toOneLine(chain.chainId), 24)}  ${formatItem(chain, requestView)}`,
          Math.max(30, width - 8),
        ),
      })),
      { value: -1, label: 'Leave' },
    ],
    maxItems: 12,
  });
  return isCancel(answer) ? null : (entries[answer] ?? null);
}

function formatItem(chain: WaitingChainView, requestView: RequestView | null): string {
  if (requestView === null) return `⏸ ${toOneLine(findResumable(chain)?.text ?? '')}`;
  return `${requestView.request.call}  ${formatRequestTitle(requestView)}`;
}

async function decideItem(
  terminal: Terminal,
  longhand: Longhand,
  chain: WaitingChainView,
  requestView: RequestView,
  sender: IdentifiedSender,
): Promise<boolean> {
  const c = getColors(terminal);
  const head = `${c.bold(toOneLine(chain.chainId))}  ${truncate(toOneLine(chain.task), Math.max(10, terminal.width - chain.chainId.length - 6))}`;
  const about = [`${head}\n${c.dim(formatChainFacts(chain, Date.now()))}`];
  return (
    (await decideAtTerminal(terminal, longhand.getHandle(chain.chainId), requestView, { sender, about })) ===
    'submitted'
  );
}

function findResumable({ paused, held }: WaitingChainView): { readonly text: string; readonly at: number } | null {
  return paused ?? held;
}

async function promptResume(longhand: Longhand, chain: WaitingChainView, sender: IdentifiedSender): Promise<boolean> {
  const { chainId, paused } = chain;
  const question = paused?.question ?? null;
  const answer = await promptSelect<'resume' | 'stop' | 'leave'>({
    message: toOneLine(findResumable(chain)?.text ?? ''),
    options: [
      { value: 'leave', label: paused === null || question !== null ? 'Leave it' : 'Leave it paused' },
      { value: 'resume', label: question?.text ?? 'Resume' },
      ...(question === null ? [] : [{ value: 'stop' as const, label: 'Stop the chain' }]),
    ],
  });
  if (isCancel(answer) || answer === 'leave') return false;
  const handle = longhand.getHandle(chainId);
  try {
    const raise = question?.raise ?? null;
    if (answer === 'stop') {
      await handle.cancel(sender);
      log.success(`Cancelled ${chainId}`);
    } else {
      const receipt = await (raise === null ? handle.resume(sender) : handle.raiseLimits(raise, sender));
      logReceipt(receipt, { chainId, doneText: 'Resumed', pendingText: 'resume' });
    }
    return true;
  } catch (error) {
    if (!(error instanceof CommandRejectedError)) throw error;
    log.error(error.message);
    return false;
  }
}

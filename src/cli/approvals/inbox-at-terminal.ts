/** The inbox at a terminal: pick a request, see it whole, decide it; until nothing waits or the person leaves. */

import type { Longhand } from '../../client/connect.js';
import { CommandRejectedError } from '../../client/errors/errors.js';
import { toOneLine } from '../../core/lib/plain-text.js';
import { colorsFor } from '../terminal/colors.js';
import { isCancel, log, outro, select } from '../terminal/prompts.js';
import type { Terminal } from '../terminal/terminal.js';
import { cut } from '../terminal/text.js';
import { decideAtTerminal, logReceipt } from './decide-at-terminal.js';
import type { NamedSpeaker } from './decision.js';
import { factsOf } from './inbox-output.js';
import { whatText } from './request-text.js';
import type { InboxView, RequestView, WaitingChainView } from './request-view.js';

/** One option: a request, or a paused chain. */
interface Entry {
  readonly chain: WaitingChainView;
  readonly seen: RequestView | null;
}

export async function workThrough(
  terminal: Terminal,
  longhand: Longhand,
  look: () => Promise<InboxView>,
  speaker: NamedSpeaker,
): Promise<number> {
  /** The server's list may still name requests that were decided here. */
  const decided = new Set<string>();
  for (;;) {
    const found = await look();
    const entries = entriesOf(found).filter((entry) => !decided.has(keyOf(entry)));
    if (entries.length === 0) {
      outro(decided.size === 0 ? 'Nothing waits for a person.' : 'Nothing else waits for a person.');
      return 0;
    }
    const entry = await picked(entries, found.others, terminal);
    if (entry === null) {
      outro('The rest waits as it did.');
      return 0;
    }
    const isDecided = await (entry.seen === null
      ? resume(longhand, entry.chain, speaker)
      : decide(terminal, longhand, entry.chain, entry.seen, speaker));
    if (isDecided) decided.add(keyOf(entry));
  }
}

function entriesOf({ chains }: InboxView): readonly Entry[] {
  return chains.flatMap((chain): readonly Entry[] => [
    ...chain.requests.map((seen) => ({ chain, seen })),
    ...(chain.paused === null ? [] : [{ chain, seen: null }]),
  ]);
}

/** A vote leaves the request open with another count; changed arguments have another digest. */
function keyOf({ chain, seen }: Entry): string {
  if (seen === null) return `${chain.chainId} ${chain.paused?.at}`;
  const { call, askedAt, digest, votes } = seen.request;
  return `${chain.chainId} ${call} ${askedAt} ${digest} ${votes.length}`;
}

async function picked(entries: readonly Entry[], others: number, { width }: Terminal): Promise<Entry | null> {
  const more = others === 0 ? '' : `, and ${others} more chains (see --limit)`;
  const answer = await select<number>({
    message: `${entries.length} ${entries.length === 1 ? 'thing waits' : 'things wait'} for a person${more}`,
    options: [
      ...entries.map(({ chain, seen }, value) => ({
        value,
        label: cut(`${cut(toOneLine(chain.chainId), 24)}  ${rowText(chain, seen)}`, Math.max(30, width - 8)),
      })),
      { value: -1, label: 'Leave' },
    ],
    maxItems: 12,
  });
  return isCancel(answer) ? null : (entries[answer] ?? null);
}

function rowText(chain: WaitingChainView, seen: RequestView | null): string {
  if (seen === null) return `⏸ ${toOneLine(chain.paused?.text ?? '')}`;
  return `${seen.request.call}  ${whatText(seen)}`;
}

async function decide(
  terminal: Terminal,
  longhand: Longhand,
  chain: WaitingChainView,
  seen: RequestView,
  speaker: NamedSpeaker,
): Promise<boolean> {
  const c = colorsFor(terminal);
  const head = `${c.bold(toOneLine(chain.chainId))}  ${cut(toOneLine(chain.task), Math.max(10, terminal.width - chain.chainId.length - 6))}`;
  const about = [`${head}\n${c.dim(factsOf(chain, Date.now()))}`];
  return (
    (await decideAtTerminal(terminal, longhand.getHandle(chain.chainId), seen, { speaker, about })) === 'submitted'
  );
}

async function resume(
  longhand: Longhand,
  { chainId, paused }: WaitingChainView,
  speaker: NamedSpeaker,
): Promise<boolean> {
  const answer = await select<'resume' | 'leave'>({
    message: toOneLine(paused?.text ?? 'Paused.'),
    options: [
      { value: 'resume', label: 'Resume' },
      { value: 'leave', label: 'Leave it as it is' },
    ],
  });
  if (answer !== 'resume') return false;
  try {
    const receipt = await longhand.getHandle(chainId).resume(speaker);
    logReceipt(receipt, { chainId, done: 'Resumed', wish: 'resume' });
    return true;
  } catch (error) {
    if (!(error instanceof CommandRejectedError)) throw error;
    log.error(error.message);
    return false;
  }
}

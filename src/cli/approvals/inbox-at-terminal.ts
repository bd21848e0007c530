/** The inbox at a terminal: pick what waits, see it whole, decide; and again, until nothing waits or somebody leaves. */

import type { Longhand } from '../../client/connect.js';
import { RefusedError } from '../../client/errors/errors.js';
import { oneLine } from '../../core/lib/plain.js';
import { colorsFor } from '../terminal/colors.js';
import { isCancel, log, outro, select } from '../terminal/prompts.js';
import type { Terminal } from '../terminal/terminal.js';
import { cut } from '../terminal/text.js';
import { decideAtTerminal, tellSaid } from './at-terminal.js';
import { factsOf } from './inbox-text.js';
import { whatText } from './request-text.js';
import type { SeenChain, SeenInbox } from './seen-chain.js';
import type { SeenRequest } from './seen-request.js';
import type { NamedSpeaker } from './speaker.js';

/** What can be picked: a request, or a chain that is paused. */
interface Entry {
  readonly chain: SeenChain;
  readonly seen: SeenRequest | null;
}

export async function workThrough(
  terminal: Terminal,
  longhand: Longhand,
  look: () => Promise<SeenInbox>,
  speaker: NamedSpeaker,
): Promise<number> {
  /** The server's list knows late of what was decided here. */
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
    const said = await (entry.seen === null
      ? resume(longhand, entry.chain, speaker)
      : decide(terminal, longhand, entry.chain, entry.seen, speaker));
    if (said) decided.add(keyOf(entry));
  }
}

function entriesOf({ chains }: SeenInbox): readonly Entry[] {
  return chains.flatMap((chain): readonly Entry[] => [
    ...chain.requests.map((seen) => ({ chain, seen })),
    ...(chain.paused === null ? [] : [{ chain, seen: null }]),
  ]);
}

/** One of several people's words leaves it open, with another vote; arguments that were changed have another digest. */
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
        label: cut(`${cut(oneLine(chain.chainId), 24)}  ${rowText(chain, seen)}`, Math.max(30, width - 8)),
      })),
      { value: -1, label: 'Leave' },
    ],
    maxItems: 12,
  });
  return isCancel(answer) ? null : (entries[answer] ?? null);
}

function rowText(chain: SeenChain, seen: SeenRequest | null): string {
  if (seen === null) return `⏸ ${oneLine(chain.paused?.text ?? '')}`;
  return `${seen.request.call}  ${whatText(seen)}`;
}

async function decide(
  terminal: Terminal,
  longhand: Longhand,
  chain: SeenChain,
  seen: SeenRequest,
  speaker: NamedSpeaker,
): Promise<boolean> {
  const c = colorsFor(terminal);
  const head = `${c.bold(oneLine(chain.chainId))}  ${cut(oneLine(chain.task), Math.max(10, terminal.width - chain.chainId.length - 6))}`;
  const about = [`${head}\n${c.dim(factsOf(chain, Date.now()))}`];
  return (await decideAtTerminal(terminal, longhand.chain(chain.chainId), seen, { speaker, about })) === 'said';
}

async function resume(longhand: Longhand, { chainId, paused }: SeenChain, speaker: NamedSpeaker): Promise<boolean> {
  const answer = await select<'resume' | 'leave'>({
    message: oneLine(paused?.text ?? 'Paused.'),
    options: [
      { value: 'resume', label: 'Resume' },
      { value: 'leave', label: 'Leave it as it is' },
    ],
  });
  if (answer !== 'resume') return false;
  try {
    const receipt = await longhand.chain(chainId).resume(speaker);
    tellSaid(receipt, { chainId, done: 'Resumed', wish: 'resume' });
    return true;
  } catch (error) {
    if (!(error instanceof RefusedError)) throw error;
    log.error(error.message);
    return false;
  }
}

/** `longhand inbox`: what waits for a person over all chains; at a terminal, one after the other is decided there. */

import type { Longhand } from '../../client/connect.js';
import { type InboxChain, since, type Waiting, whoWaits } from '../../client/inbox.js';
import { nothingBeside, reason } from '../../core/reason.js';
import { wholeNumber } from '../chain/numbers.js';
import { withServer } from '../chain/open.js';
import { type ViewFlags, type Viewing, viewing } from '../chain/viewed.js';
import type { Terminal } from '../terminal.js';
import { inboxJson } from './inbox-json.js';
import { inboxText } from './inbox-text.js';
import { colourPrompts, mayAsk } from './may-ask.js';
import { type SeenRequest, seenRequest } from './seen-request.js';
import { speakerOf } from './speaker.js';

export interface InboxFlags extends ViewFlags {
  readonly agent?: string;
  readonly tenant?: string;
  readonly role: readonly string[];
  readonly limit: string;
  readonly by?: string;
  readonly list?: boolean;
  readonly json?: boolean;
}

/** A waiting chain as somebody may see it (L8). */
export interface SeenChain extends Omit<InboxChain, 'requests' | 'paused'> {
  readonly requests: readonly SeenRequest[];
  /** In words; null where it is not paused. */
  readonly paused: { readonly by: string | null; readonly at: number; readonly text: string } | null;
}

export interface SeenInbox {
  readonly chains: readonly SeenChain[];
  /** Whether there are more than were asked for. */
  readonly more: boolean;
}

export async function inbox(terminal: Terminal, flags: InboxFlags): Promise<number> {
  const limit = wholeNumber('--limit', flags.limit);
  const seen = viewing(flags);
  return withServer(async (connect) => {
    const longhand = await connect();
    const look = () => lookInto(longhand, flags, { seen, limit });
    if (flags.json) {
      terminal.write(`${JSON.stringify(inboxJson(await look()))}\n`);
      return 0;
    }
    if (!flags.list && mayAsk()) {
      colourPrompts(terminal);
      const { workThrough } = await import('./inbox-at-terminal.js');
      return workThrough(terminal, longhand, look, speakerOf(flags));
    }
    terminal.write(inboxText(await look(), terminal, Date.now()));
    return 0;
  });
}

async function lookInto(
  { client }: Longhand,
  { agent, tenant, role }: InboxFlags,
  { seen, limit }: { readonly seen: Viewing; readonly limit: number },
): Promise<SeenInbox> {
  const found: Waiting[] = [];
  for await (const waiting of whoWaits(client, { agent, tenant, roles: role.length === 0 ? undefined : role })) {
    if (found.push(waiting) > limit) break;
  }
  const chains = found.slice(0, limit).sort((a, b) => since(a.found) - since(b.found));
  return { chains: chains.map((waiting) => seenChain(waiting, seen)), more: found.length > limit };
}

function seenChain({ found, read }: Waiting, seen: Viewing): SeenChain {
  const view = seen.reasoning(reason(read.chain, { ...nothingBeside, attempts: read.attempts }));
  const { task, tenant, user, steps } = view;
  const notice = steps.findLast((step) => step.level === 'full' && step.kind === 'notice' && step.notice === 'paused');
  const text = notice?.level === 'full' && notice.kind === 'notice' ? notice.text : 'Paused.';
  const { paused } = found;
  return {
    ...found,
    task,
    tenant,
    user,
    requests: found.requests.map((request) => seenRequest(request, view)),
    paused: paused === null ? null : { by: paused.by, at: paused.at, text },
  };
}

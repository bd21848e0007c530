/** `longhand inbox`: what waits for a person over all chains; at a terminal, one after the other is decided there. */

import type { Longhand } from '../../client/connect.js';
import { longestWaiting } from '../../client/list/inbox.js';
import { fullId } from '../access/find.js';
import { noteView, viewedOf } from '../access/note-view.js';
import { withServer } from '../access/open.js';
import { type ViewFlags, type Viewing, viewing } from '../access/viewed.js';
import { wholeNumber } from '../flags/numbers.js';
import { jsonLine } from '../terminal/json-line.js';
import { fitPrompts, mayAsk } from '../terminal/may-ask.js';
import type { Terminal } from '../terminal/terminal.js';
import { inboxJson } from './inbox-json.js';
import { inboxText } from './inbox-text.js';
import { type SeenInbox, seenChain } from './seen-chain.js';
import { speakerOf } from './speaker.js';

export interface InboxFlags extends ViewFlags {
  readonly agent?: string;
  readonly tenant?: string;
  readonly root?: string;
  readonly role: readonly string[];
  readonly limit: string;
  readonly by?: string;
  readonly list?: boolean;
  readonly json?: boolean;
}

export async function inbox(terminal: Terminal, flags: InboxFlags): Promise<number> {
  const limit = wholeNumber('--limit', flags.limit);
  const seen = viewing(flags);
  return withServer(async (connect) => {
    const longhand = await connect();
    const root = flags.root === undefined ? undefined : await fullId(longhand, flags.root);
    let told = false;
    const look = async () => {
      const found = await lookInto(longhand, { ...flags, root }, { seen, limit });
      if (!told) for (const { chainId, why } of found.unreadable) terminal.say(`${chainId} may wait, too: ${why}`);
      told = true;
      return found;
    };
    if (flags.json) {
      terminal.write(jsonLine(inboxJson(await look())));
      return 0;
    }
    if (!flags.list && mayAsk()) {
      fitPrompts(terminal);
      const { workThrough } = await import('./inbox-at-terminal.js');
      return workThrough(terminal, longhand, look, speakerOf(flags));
    }
    terminal.write(inboxText(await look(), terminal, Date.now()));
    return 0;
  });
}

async function lookInto(
  { client }: Longhand,
  { agent, tenant, root, role }: Omit<InboxFlags, 'root'> & { readonly root: string | undefined },
  { seen, limit }: { readonly seen: Viewing; readonly limit: number },
): Promise<SeenInbox> {
  const roles = role.length === 0 ? undefined : role;
  const { longest, others, unreadable } = await longestWaiting(client, { agent, tenant, root, roles, limit });
  const viewed = longest.map(({ found, read }) => viewedOf({ chainId: found.chainId, chain: read.chain }));
  await noteView({ role: seen.role, command: 'inbox', named: null }, viewed);
  return { chains: longest.map((waiting) => seenChain(waiting, seen)), others, unreadable };
}

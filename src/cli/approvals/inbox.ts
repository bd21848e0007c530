/** `longhand inbox`: lists what waits for a person over all chains; at a terminal, requests are decided one by one. */

import type { Longhand } from '../../client/connect.js';
import { listLongestWaiting } from '../../client/list/inbox.js';
import { fullId } from '../access/find.js';
import { noteView, viewedOf } from '../access/note-view.js';
import { withServer } from '../access/open.js';
import { type ViewFlags, type Viewing, viewing } from '../access/viewed.js';
import { wholeNumber } from '../flags/values.js';
import { fitPrompts, isInteractive, jsonLine, type Terminal } from '../terminal/terminal.js';
import { speakerOf } from './decision.js';
import { inboxJson, inboxText } from './inbox-output.js';
import { type InboxView, viewWaiting } from './request-view.js';

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
    let warned = false;
    const look = async () => {
      const found = await lookInto(longhand, { ...flags, root }, { seen, limit });
      if (!warned) for (const { chainId, why } of found.unreadable) terminal.say(`${chainId} may wait, too: ${why}`);
      warned = true;
      return found;
    };
    if (flags.json) {
      terminal.write(jsonLine(inboxJson(await look())));
      return 0;
    }
    if (!flags.list && isInteractive()) {
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
): Promise<InboxView> {
  const roles = role.length === 0 ? undefined : role;
  const { longest, others, unreadable } = await listLongestWaiting(client, { agent, tenant, root, roles, limit });
  const viewed = longest.map(({ chain, read }) => viewedOf({ chainId: chain.chainId, chain: read.chain }));
  await noteView({ role: seen.role, command: 'inbox', named: null }, viewed);
  return { chains: longest.map((waiting) => viewWaiting(waiting, seen)), others, unreadable };
}

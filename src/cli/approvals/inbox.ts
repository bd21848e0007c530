/** `longhand inbox`: lists the requests and paused chains of all chains; at a terminal, lets a person decide them. */

import { type InboxView, type Longhand, listLongestWaiting, viewWaitingChain } from '../../client/index.js';
import { type ChainViewer, createChainViewer, type ViewFlags } from '../access/chain-viewer.js';
import { resolveChainId } from '../access/find-chain.js';
import { withServer } from '../access/open.js';
import { recordView, toViewedChain } from '../access/record-view.js';
import { parseWholeNumber } from '../flags/values.js';
import { formatJson, isInteractive, preparePrompts, type Terminal } from '../terminal/terminal.js';
import { toSender } from './decision.js';
import { formatInbox, toInboxJson } from './format-inbox.js';

export interface InboxFlags extends ViewFlags {
  readonly agent?: string;
  readonly root?: string;
  readonly role: readonly string[];
  readonly limit: string;
  readonly by?: string;
  readonly list?: boolean;
}

export async function showInbox(terminal: Terminal, flags: InboxFlags): Promise<number> {
  const limit = parseWholeNumber('--limit', flags.limit);
  const seen = await createChainViewer(flags);
  return withServer(async (connect) => {
    const longhand = await connect();
    const root = flags.root === undefined ? undefined : await resolveChainId(longhand, flags.root);
    let warned = false;
    const look = async () => {
      const inbox = await readInbox(longhand, { ...flags, root }, { seen, limit });
      if (!warned)
        for (const { chainId, why } of inbox.unreadable)
          terminal.report(`${chainId} cannot be read and may wait as well: ${why}`);
      warned = true;
      return inbox;
    };
    if (flags.json) {
      terminal.write(formatJson(toInboxJson(await look())));
      return 0;
    }
    if (!flags.list && isInteractive()) {
      preparePrompts(terminal);
      const { processInbox: workThrough } = await import('./inbox-at-terminal.js');
      return workThrough(terminal, longhand, look, toSender(flags));
    }
    terminal.write(formatInbox(await look(), terminal, Date.now()));
    return 0;
  });
}

async function readInbox(
  { client }: Longhand,
  { agent, tenant, root, role }: Omit<InboxFlags, 'root'> & { readonly root: string | undefined },
  { seen, limit }: { readonly seen: ChainViewer; readonly limit: number },
): Promise<InboxView> {
  const roles = role.length === 0 ? undefined : role;
  const { longest, others, unreadable } = await listLongestWaiting(client, { agent, tenant, root, roles, limit });
  const viewed = longest.map(({ chain, read }) => toViewedChain({ chainId: chain.chainId, chain: read.chain }));
  await recordView({ role: seen.role, command: 'inbox', named: null }, viewed);
  return { chains: longest.map((waiting) => viewWaitingChain(waiting, seen.viewReasoning)), others, unreadable };
}

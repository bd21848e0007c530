/** Handlers of operations that list chains. Each listed chain is within the caller's reach, as its viewer may see it. */

import { listChainPage } from '../../client/list/chain-page.js';
import { type ChainRow, matchesFilter, toChainRow } from '../../client/list/chain-row.js';
import { canFindByText } from '../../client/list/find-by-text.js';
import { toListedChain } from '../../client/list/list-archived.js';
import type { ListQuery } from '../../client/list/list-chains.js';
import { resolveViewer } from '../../client/read/resolve-viewer.js';
import { LonghandError } from '../../core/lib/errors.js';
import type { Reasoning } from '../../core/view/reasoning.js';
import { view } from '../../core/view/view.js';
import type { chainOperations } from '../../http/operations/chains.js';
import { canReach } from '../identity/identity.js';
import type { RequestContext } from '../request/context.js';
import type { Handlers } from '../request/handler.js';
import { findOwnUser, resolveTenant } from '../request/requester.js';

type ListHandlers = Pick<Handlers<typeof chainOperations>, 'listChains' | 'searchChains'>;

export const listHandlers: ListHandlers = {
  listChains: async ({ query: { as, limit, cursor, ...given } }, context) => {
    const query = toListQuery(given, context);
    const { viewer, viewReasoning } = await createListViewer(context, as);
    const page = await listChainPage(context.longhand.client, query, { limit, cursor });
    const rows = page.chains.flatMap((listed) => {
      if (!canReach(context.identity, listed.reasoning)) return [];
      const row = toChainRow(viewReasoning(listed.reasoning), listed);
      return row !== null && matchesFilter(row, { ...query, text: null }) ? [row] : [];
    });
    await context.recordShown(viewer.role, rows);
    return { items: rows, cursor: page.cursor };
  },

  searchChains: async ({ query: { as, limit, cursor, text, user, until, ...given } }, context) => {
    const { longhand, identity, visibility } = context;
    if (longhand.archive === null)
      throw new LonghandError('store_missing', 'The gateway has no store, and so no archive. Set LONGHAND_STORE.');
    const query = toListQuery(given, context);
    const seen = await createListViewer(context, as);
    const page = await longhand.archive.list({
      ...toArchiveQuery(query),
      ...{ limit, cursor, text, until, user: findOwnUser(identity) ?? user },
    });
    const rows: ChainRow[] = [];
    for (const chain of page.chains) {
      if (chain.runId === null) continue;
      const listed = toListedChain(chain);
      if (!canReach(identity, listed.reasoning)) continue;
      const row = toChainRow(seen.viewReasoning(listed.reasoning), listed);
      if (row === null) continue;
      const found =
        text === undefined ||
        matchesFilter(row, { ...query, text: text.toLowerCase() }) ||
        (await canFindByText(longhand.client, chain.chainId, text, { ...seen, config: visibility }));
      if (found) rows.push(row);
    }
    await context.recordShown(seen.viewer.role, rows);
    return { items: rows, cursor: page.cursor };
  },
};

interface GivenFilter {
  readonly [name: string]: unknown;
  readonly status?: ListQuery['status'] | undefined;
  readonly agent?: string | undefined;
  readonly tenant?: string | undefined;
  readonly outcome?: string | undefined;
  readonly since?: number | undefined;
  readonly costOver?: number | undefined;
  readonly thread?: string | undefined;
  readonly root?: string | undefined;
}

function toListQuery(given: GivenFilter, { identity }: RequestContext): ListQuery {
  const { status, agent, tenant, outcome, since, costOver, thread, root } = given;
  return {
    status: status ?? null,
    agent: agent ?? null,
    agentVersion: null,
    tenant: resolveTenant(identity, tenant) ?? null,
    outcome: outcome ?? null,
    since: since ?? null,
    costOver: costOver ?? null,
    thread: thread ?? null,
    tree: root === undefined ? 'roots' : { root },
  };
}

function toArchiveQuery({ agent, tenant, outcome, since, costOver, thread, tree }: ListQuery) {
  return {
    agent: agent ?? undefined,
    tenant: tenant ?? undefined,
    outcome: outcome ?? undefined,
    since: since ?? undefined,
    costOver: costOver ?? undefined,
    thread: thread ?? undefined,
    tree,
  };
}

async function createListViewer({ longhand, visibility, toViewer }: RequestContext, as: string | undefined) {
  const viewer = await resolveViewer(await toViewer(as), longhand.archive);
  return { viewer, viewReasoning: (reasoning: Reasoning) => view(reasoning, viewer, visibility) };
}

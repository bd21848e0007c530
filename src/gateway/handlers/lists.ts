/** Handlers of operations that list chains. Each listed chain is within the caller's reach, as its viewer may see it. */

import { listChainPage } from '../../client/list/chain-page.js';
import { type ChainRow, matchesFilter, toChainRow } from '../../client/list/chain-row.js';
import { canFindByText, seesIndexedText } from '../../client/list/find-by-text.js';
import { toListedChain } from '../../client/list/list-archived.js';
import type { ListQuery } from '../../client/list/list-chains.js';
import { mapAll } from '../../client/read/many-chains.js';
import { resolveViewer } from '../../client/read/resolve-viewer.js';
import { LonghandError } from '../../core/lib/errors.js';
import type { Reasoning } from '../../core/view/reasoning.js';
import { view } from '../../core/view/view.js';
import type { chainOperations } from '../../http/operations/chains.js';
import type { ArchivedChainSummary, ArchivePage } from '../../store/archive/query-archive.js';
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
    const seen = { ...(await createListViewer(context, as)), config: visibility };
    // L8: the pages of the index would count matches in hidden text. Other viewers search by their own view alone.
    const indexed = seesIndexedText(seen) ? text : undefined;
    const filter = { ...toArchiveQuery(query), text: indexed, until, user: findOwnUser(identity) ?? user };
    const toFoundRow = async (chain: ArchivedChainSummary) => {
      if (chain.runId === null) return null;
      const listed = toListedChain(chain);
      const row = canReach(identity, listed.reasoning)
        ? toChainRow(seen.viewReasoning(listed.reasoning), listed)
        : null;
      if (row === null || text === undefined || matchesFilter(row, { ...query, text: text.toLowerCase() })) return row;
      return (await canFindByText(longhand.client, chain.chainId, text, seen)) ? row : null;
    };
    const rows: ChainRow[] = [];
    let next: string | null | undefined = cursor;
    for (let examined = 0; next !== null && rows.length < limit && examined < maxExamined; ) {
      // The page that fills the list ends with its last row, so its cursor is that of the list.
      const size = Math.min(limit - rows.length, maxExamined - examined);
      const page: ArchivePage = await longhand.archive.list({ ...filter, limit: size, cursor: next });
      rows.push(...(await mapAll(page.chains, toFoundRow)).filter((row) => row !== null));
      examined += page.chains.length;
      next = page.cursor;
    }
    await context.recordShown(seen.viewer.role, rows);
    return { items: rows, cursor: next ?? null };
  },
};

/** Most archived chains that one search examines: as many as the largest page has. */
const maxExamined = 200;

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

/** Handlers of operations that list chains. Each listed chain is within the caller's reach, as its viewer may see it. */

import {
  type ChainRow,
  canFindByText,
  type ListedChain,
  type ListQuery,
  listChainPage,
  mapAll,
  matchesFilter,
  resolveViewer,
  seesIndexedText,
  toChainRow,
  toListedChain,
} from '../../client/index.js';
import { LonghandError } from '../../core/lib/index.js';
import { type Reasoning, view } from '../../core/view/index.js';
import type { chainOperations } from '../../http/index.js';
import type { ArchivedChainSummary } from '../../store/index.js';
import { canReach } from '../identity/identity.js';
import { createListFilter } from '../request/authorize-chain.js';
import type { RequestContext } from '../request/context.js';
import type { Handlers } from '../request/handler.js';
import { resolveTenant, resolveUser } from '../request/requester.js';
import { fillPage } from './fill-page.js';

type ListHandlers = Pick<Handlers<typeof chainOperations>, 'listChains' | 'searchChains'>;

export const listHandlers: ListHandlers = {
  listChains: async ({ query: { as, limit, cursor, ...filters } }, context) => {
    const { longhand, identity, visibility, signal } = context;
    const query = toListQuery(filters, context);
    const { viewer, viewReasoning } = await createListViewer(context, as);
    const isWanted = createListFilter(context);
    const rules = { viewer, config: visibility };
    const toRow = (listed: ListedChain): readonly ChainRow[] => {
      const row = canReach(identity, listed.reasoning) ? toChainRow(viewReasoning(listed.reasoning), listed) : null;
      return row !== null && matchesFilter(row, { ...query, text: null }) ? [row] : [];
    };
    const page = await fillPage({ limit, cursor, signal }, async (options) => {
      const { chains, cursor: next } = await listChainPage(longhand.client, query, { ...options, rules, isWanted });
      return { items: chains.flatMap(toRow), cursor: next };
    });
    await context.recordShown(viewer.role, page.items);
    return page;
  },

  searchChains: async ({ query: { as, limit, cursor, text, user, until, ...filters } }, context) => {
    const { longhand, identity, visibility, signal } = context;
    const { archive } = longhand;
    if (archive === null)
      throw new LonghandError('store_missing', 'The gateway has no store, and so no archive. Set LONGHAND_STORE.');
    const query = toListQuery(filters, context);
    const listViewer = { ...(await createListViewer(context, as)), config: visibility };
    // L8: the pages of the index would count matches in hidden text. Other viewers search by their own view alone.
    const indexed = seesIndexedText(listViewer) ? text : undefined;
    const filter = { ...toArchiveQuery(query), text: indexed, until, user: resolveUser(identity, user) };
    const toRow = async (chain: ArchivedChainSummary): Promise<ChainRow | null> => {
      if (chain.runId === null) return null;
      const listed = toListedChain(chain);
      const row = canReach(identity, listed.reasoning)
        ? toChainRow(listViewer.viewReasoning(listed.reasoning), listed)
        : null;
      if (row === null || text === undefined || matchesFilter(row, { ...query, text: text.toLowerCase() })) return row;
      signal.throwIfAborted();
      return (await canFindByText(longhand.client, chain.chainId, text, listViewer)) ? row : null;
    };
    const page = await fillPage({ limit, cursor, signal }, async (options) => {
      const { chains, cursor: next } = await archive.list({ ...filter, ...options });
      return { items: (await mapAll(chains, toRow)).filter((row) => row !== null), cursor: next };
    });
    await context.recordShown(listViewer.viewer.role, page.items);
    return page;
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

function toListQuery(filter: GivenFilter, { identity }: RequestContext): ListQuery {
  const { status, agent, tenant, outcome, since, costOver, thread, root } = filter;
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

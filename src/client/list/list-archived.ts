/** Archived chains as lists tell them: the same as the server's, for those that it has forgotten. */

import { type ChainResult, resultOf } from '../../core/engine/result.js';
import { emptyState } from '../../core/model/state.js';
import { emptyRecord } from '../../core/state/entry.js';
import { nothingBeside, reason } from '../../core/view/reason.js';
import type { ArchivedChain, ArchiveQuery } from '../../store/archive/list-chains.js';
import type { ChainArchive } from '../read/chain-archive.js';
import { type Listed, type ListQuery, startToldBy } from './list.js';

export interface ListedArchived extends Listed {
  readonly chainId: string;
  readonly erased: ArchivedChain['erased'];
}

/** The newest first. @throws StoreError */
export async function* listArchivedChains(
  archive: ChainArchive,
  query: ListQuery & { readonly text: string | null },
): AsyncGenerator<ListedArchived> {
  // Whoever waits or is paused runs, and no archive knows of what runs.
  if (query.status === 'waiting' || query.status === 'paused') return;
  const asked = queryOf(query);
  for (let cursor: string | undefined; ; ) {
    const page = await archive.list({ ...asked, limit: 100, ...(cursor === undefined ? {} : { cursor }) });
    for (const chain of page.chains) if (chain.runId !== null) yield listedOf(chain);
    if (page.cursor === null) return;
    cursor = page.cursor;
  }
}

function queryOf({ status, agent, tenant, outcome, since, costOver, tree, text }: ListQuery & { text: string | null }) {
  const query: Omit<ArchiveQuery, 'namespace'> = {
    status: status === 'running' || status === 'ended' ? status : undefined,
    agent: agent ?? undefined,
    tenant: tenant ?? undefined,
    outcome: outcome ?? undefined,
    since: since ?? undefined,
    costOver: costOver ?? undefined,
    text: text ?? undefined,
    tree,
  };
  return query;
}

function listedOf(chain: ArchivedChain): ListedArchived {
  const { agent, model, tenant, chainId, tokens, costUsd, startedAt, steps, runId, outcome, status, erased } = chain;
  const input = chain.input ?? startToldBy({ agent, model, tenant });
  const state = { ...emptyState, chainId, input, startedAt, spent: { tokens, usd: costUsd } };
  const result: ChainResult | null =
    outcome === null
      ? null
      : {
          ...resultOf(state),
          outcome: outcome as ChainResult['outcome'],
          steps,
          endedAt: new Date(chain.closedAt).toISOString(),
        };
  const reasoning = { ...reason({ state, ...emptyRecord }, { ...nothingBeside, result }), reason: null };
  return { chainId, reasoning, steps, runId: runId ?? '', status, erased };
}

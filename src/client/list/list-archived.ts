/** Lists archived chains in the form of the server's list, for chains that the server has deleted. */

import { type ChainResult, emptyRecord, toChainResult, toEndTimes } from '../../core/engine/index.js';
import { emptyState } from '../../core/model/index.js';
import { buildReasoning, emptyReasoningContext } from '../../core/view/index.js';
import type { ArchivedChainSummary, ArchiveQuery } from '../../store/index.js';
import type { ChainArchive } from '../read/chain-archive.js';
import { createPartialInput, isInterruption, type ListedChain, type ListQuery } from './list-chains.js';

export interface ListedArchivedChain extends ListedChain {
  readonly chainId: string;
  readonly erased: ArchivedChainSummary['erased'];
}

/** The newest first. @throws StoreError */
export async function* listArchivedChains(
  archive: ChainArchive,
  query: ListQuery & { readonly text: string | null },
): AsyncGenerator<ListedArchivedChain> {
  // Waiting, sleeping and paused chains run; the archive has only closed runs.
  if (isInterruption(query.status)) return;
  const archiveQuery = toArchiveQuery(query);
  for (let cursor: string | undefined; ; ) {
    const page = await archive.list({ ...archiveQuery, limit: 100, ...(cursor === undefined ? {} : { cursor }) });
    for (const chain of page.chains) if (chain.runId !== null) yield toListedChain(chain);
    if (page.cursor === null) return;
    cursor = page.cursor;
  }
}

function toArchiveQuery({
  status,
  agent,
  agentVersion,
  tenant,
  outcome,
  since,
  costOver,
  thread,
  tree,
  text,
}: ListQuery & { text: string | null }) {
  const query: Omit<ArchiveQuery, 'namespace'> = {
    status: status === 'running' || status === 'ended' ? status : undefined,
    agent: agent ?? undefined,
    agentVersion: agentVersion ?? undefined,
    tenant: tenant ?? undefined,
    outcome: outcome ?? undefined,
    since: since ?? undefined,
    costOver: costOver ?? undefined,
    thread: thread ?? undefined,
    text: text ?? undefined,
    tree,
  };
  return query;
}

export function toListedChain(chain: ArchivedChainSummary): ListedArchivedChain {
  const { agent, model, tenant, chainId, tokens, costUsd, startedAt, steps, runId, outcome, status, erased } = chain;
  const input = chain.input ?? createPartialInput({ agent, model, tenant });
  const state = { ...emptyState, chainId, input, startedAt, charged: { tokens, usd: costUsd } };
  const result: ChainResult | null =
    outcome === null
      ? null
      : {
          ...toChainResult(state),
          outcome: outcome as ChainResult['outcome'],
          steps,
          ...toEndTimes(startedAt, chain.closedAt),
        };
  const reasoning = {
    ...buildReasoning({ state, ...emptyRecord }, { ...emptyReasoningContext, result }),
    agentVersion: chain.agentVersion,
    reason: null,
  };
  return { chainId, reasoning, steps, runId: runId ?? '', status, erased };
}

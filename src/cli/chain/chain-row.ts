/** A chain in one row of a list: who works on what, what it came to, and what it took, as the viewer may see it (L8). */

import type { ListedStatus, ListQuery } from '../../client/list/list-chains.js';
import { describeWaiting } from '../../core/print/head-lines.js';
import type { ReasoningView } from '../../core/view/reasoning-view.js';

export interface ChainRow {
  readonly chainId: string;
  /** Of a sub-chain: from its outermost chain down to it. Absent of every other. */
  readonly path?: readonly string[];
  readonly runId: string;
  readonly agent: string;
  readonly task: string;
  readonly tenant: string | null;
  readonly user: string | null;
  readonly status: 'running' | 'ended';
  /** For a person, or until somebody lets it go on; null for neither. */
  readonly waits: 'waiting' | 'paused' | null;
  /** Null while it runs. */
  readonly outcome: ReasoningView['outcome'];
  /** What it is at while it runs; else null. */
  readonly doing: string | null;
  readonly steps: number;
  readonly tokens: number;
  readonly costUsd: number | null;
  /** ISO 8601; null of a chain that no worker has taken up yet. */
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  /** Where it was found; null of a chain on the server. */
  readonly file: string | null;
  /** Its content is gone. Absent of every other. */
  readonly erased?: { readonly at: string; readonly by: string | null };
  /** Why no more than this is known of it. Absent of every other. */
  readonly unreadable?: string;
}

interface RowSource extends Pick<ChainRow, 'runId' | 'steps'> {
  readonly status: ListedStatus;
  readonly file?: string | null;
  readonly unreadable?: string;
}

/** Null for a sub-chain that its path hides: its parent's view does not name it either. */
export function toChainRow(
  chain: ReasoningView,
  { runId, steps, status, file = null, unreadable }: RowSource,
): ChainRow | null {
  if (chain.pathLevel === 'hidden') return null;
  const { chainId, path, agent, task, tenant, user, outcome, tokens, costUsd, startedAt, endedAt } = chain;
  return {
    chainId,
    ...(path === undefined ? {} : { path }),
    runId,
    agent,
    task,
    tenant,
    user,
    status: outcome === null ? 'running' : 'ended',
    waits: status === 'waiting' || status === 'paused' ? status : null,
    outcome,
    doing: outcome !== null ? null : unreadable === undefined ? describeActivity(chain) : 'unreadable',
    steps,
    tokens,
    costUsd,
    startedAt: startedAt > 0 ? new Date(startedAt).toISOString() : null,
    endedAt: endedAt === null ? null : new Date(endedAt).toISOString(),
    file,
    ...(unreadable === undefined ? {} : { unreadable }),
  };
}

function describeActivity(chain: ReasoningView): string {
  const { state, steps, startedAt } = chain;
  if (startedAt <= 0) return 'not begun';
  const waits = describeWaiting(chain);
  if (waits !== null) return waits;
  if (state !== 'tool_calling') return state;
  const pending = steps.flatMap((step) =>
    step.level !== 'hidden' && step.kind === 'tool_call' && step.status === 'pending' ? [step.tool ?? ''] : [],
  );
  return pending.length === 0 ? 'calling tools' : [...new Set(pending)].join(', ');
}

const outcomeNames: { readonly [outcome in NonNullable<ChainRow['outcome']>]: true } = {
  success: true,
  custom: true,
  failure: true,
  refused: true,
  max_iterations: true,
  token_budget: true,
  cost_budget: true,
  timeout: true,
  stalled: true,
  cancelled: true,
  terminated: true,
};

/** All that a chain may come to. */
export const allOutcomes: readonly string[] = Object.keys(outcomeNames);

export interface RowFilter extends Omit<ListQuery, 'tree'> {
  /** In lower case. */
  readonly text: string | null;
}

export function matchesFilter(
  row: ChainRow,
  { status, agent, tenant, outcome, since, costOver, text }: RowFilter,
): boolean {
  return (
    (status === null || row.status === status || row.waits === status) &&
    (agent === null || row.agent === agent) &&
    (tenant === null || row.tenant === tenant) &&
    (outcome === null || row.outcome === outcome) &&
    (since === null || row.startedAt === null || Date.parse(row.startedAt) >= since) &&
    (costOver === null || (row.costUsd !== null && row.costUsd >= costOver)) &&
    (text === null || `${row.task}\n${row.chainId}`.toLowerCase().includes(text))
  );
}

/** The running ones first, and then what came last. */
export function sortRows(rows: readonly ChainRow[]): readonly ChainRow[] {
  const at = ({ startedAt }: ChainRow) => (startedAt === null ? Number.POSITIVE_INFINITY : Date.parse(startedAt));
  const running = ({ status }: ChainRow) => (status === 'running' ? 0 : 1);
  return [...rows].sort((a, b) => running(a) - running(b) || at(b) - at(a) || 0);
}

/** One row of a list of chains: agent, task, status, outcome and usage, as the viewer may see them (L8). */

import { getWaitHolder, type Holder } from '../../core/engine/index.js';
import { describeWaiting, findWaitsFor, type ReasoningView, type WaitsFor } from '../../core/view/index.js';
import { type Interruption, isInterruption, type ListedStatus, type ListQuery } from './list-chains.js';

export interface ChainRow {
  readonly chainId: string;
  /** Of a sub-chain: agents from the root down to it. Otherwise absent. */
  readonly path?: readonly string[];
  /** The id of its thread's first chain; null for a sub-chain. */
  readonly thread: string | null;
  readonly runId: string;
  readonly agent: string;
  readonly agentVersion: string | null;
  readonly task: string;
  readonly tenant: string | null;
  readonly user: string | null;
  readonly status: 'running' | 'ended';
  /** Whether the chain waits for a person, only waits for a time or a signal, or is paused; else null. */
  readonly waits: Interruption | null;
  /** Null if it waits for nothing of these, or the viewer may not see it. */
  readonly waitsFor: WaitsFor | null;
  /** What holds the chain until a person repairs it; else null. */
  readonly heldBy: Holder | null;
  /** Null while it runs. */
  readonly outcome: ReasoningView['outcome'];
  /** Current activity of a running chain; else null. */
  readonly doing: string | null;
  readonly steps: number;
  readonly tokens: number;
  readonly costUsd: number | null;
  /** ISO 8601; null if no worker has started the chain yet. */
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  /** File that holds the chain; null for a chain on the server. */
  readonly file: string | null;
  /** Present if the content of the chain was erased. */
  readonly erased?: { readonly at: string; readonly by: string | null };
  /** Why the chain cannot be read. Otherwise absent. */
  readonly unreadable?: string;
}

interface RowSource extends Pick<ChainRow, 'runId' | 'steps'> {
  readonly status: ListedStatus;
  readonly file?: string | null;
  readonly unreadable?: string;
}

/** Converts a chain to a row. Null for a sub-chain whose path is hidden: its parent's view does not name it either. */
export function toChainRow(
  chain: ReasoningView,
  { runId, steps, status, file = null, unreadable }: RowSource,
): ChainRow | null {
  if (chain.pathLevel === 'hidden') return null;
  const { chainId, path, thread, agent, agentVersion, task, tenant, user } = chain;
  const { outcome, tokens, costUsd, startedAt, endedAt } = chain;
  return {
    chainId,
    ...(path === undefined ? {} : { path }),
    thread: path === undefined ? (thread?.id ?? chainId) : null,
    runId,
    agent,
    agentVersion,
    task,
    tenant,
    user,
    status: outcome === null ? 'running' : 'ended',
    waits: isInterruption(status) ? status : null,
    waitsFor: outcome === null && startedAt > 0 ? findWaitsFor(chain) : null,
    heldBy: outcome === null ? getWaitHolder(chain.retryWait) : null,
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
  if (startedAt <= 0) return 'not started';
  const waits = describeWaiting(chain);
  if (waits !== null) return waits;
  if (state !== 'tool_calling') return state;
  const pending = steps.flatMap((step) =>
    step.level !== 'hidden' && step.kind === 'tool_call' && step.status === 'pending' ? [step.tool ?? ''] : [],
  );
  return pending.length === 0 ? 'calling tools' : [...new Set(pending)].join(', ');
}

export interface RowFilter extends Omit<ListQuery, 'tree'> {
  /** In lower case. */
  readonly text: string | null;
}

export function matchesFilter(
  row: ChainRow,
  { status, agent, agentVersion, tenant, outcome, since, costOver, thread, text }: RowFilter,
): boolean {
  return (
    (status === null || row.status === status || row.waits === status) &&
    (agent === null || row.agent === agent) &&
    (agentVersion === null || row.agentVersion === agentVersion) &&
    (tenant === null || row.tenant === tenant) &&
    (outcome === null || row.outcome === outcome) &&
    (since === null || row.startedAt === null || Date.parse(row.startedAt) >= since) &&
    (costOver === null || (row.costUsd !== null && row.costUsd >= costOver)) &&
    // Of a chain that cannot be read, the list alone knows the thread.
    (thread === null || row.thread === thread || row.unreadable !== undefined || row.erased !== undefined) &&
    (text === null || `${row.task}\n${row.chainId}`.toLowerCase().includes(text))
  );
}

/** Sorts running chains first, then the newest first. */
export function sortRows(rows: readonly ChainRow[]): readonly ChainRow[] {
  const at = ({ startedAt }: ChainRow) => (startedAt === null ? Number.POSITIVE_INFINITY : Date.parse(startedAt));
  const running = ({ status }: ChainRow) => (status === 'running' ? 0 : 1);
  return [...rows].sort((a, b) => running(a) - running(b) || at(b) - at(a) || 0);
}

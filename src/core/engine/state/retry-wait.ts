/**
 * The wait of a chain before it tries again what did not succeed: a model call that failed or whose files the store does not
 * return, or an operation that no worker could take, because each lacks the agent, a tool or the model's provider. A person may have to repair the
 * cause.
 */

import { formatTime, shorten, toOneLine } from '../../lib/index.js';
import { type ChainState, defaults, type MissingPart, type ModelFailureKind, type Requeue } from '../../model/index.js';
import { isRequeued } from './flight.js';

/** What holds a chain: its model's provider, the store, or its workers. */
export const holders = ['provider', 'store', 'worker'] as const;
export type Holder = (typeof holders)[number];

/** What a chain waits for before it tries again: also a budget, or its turn at a rate, which hold no chain. */
export type WaitCause = Holder | 'budget' | 'rate';

/** Names no agent and no tool: each viewer sees it. */
export interface RetryWait {
  readonly waitsFor: WaitCause;
  /** Number of the next attempt, or of the one under way. */
  readonly attempt: number;
  /** When the next attempt is due, in milliseconds since 1970; null while it runs. */
  readonly nextAt: number | null;
  /** When the chain ends as `failure` if no attempt succeeds, in milliseconds since 1970. */
  readonly endsAt: number;
  /** Whether a person has to repair the cause. */
  readonly held: boolean;
}

/** Returns null unless the chain tries its current operation again. A paused chain first waits for its resume. */
export function findRetryWait(state: ChainState): RetryWait | null {
  const { agent, stop, paused, failing, requeue, attempt, flight } = state;
  if (stop !== null || paused !== null) return null;
  if (requeue !== null) {
    const { times, since, nextAt, held } = requeue;
    const endsAt = since + getMissingMs(state, requeue);
    const waits = isRequeued(state);
    // While it is offered, a worker that has everything may already work on it.
    return { waitsFor: 'worker', attempt: times + 1, nextAt: waits ? nextAt : null, endsAt, held: held && waits };
  }
  if (failing === null) return null;
  const nextAt = flight.kind === 'modelRetry' ? flight.nextAt : null;
  const { since, failure, held, rejectedSince = since } = failing;
  const waitsFor = getWaitCause(failure);
  const retryMs = agent?.model.retry.forMs ?? defaults.modelRetryMs;
  const endsAt = isHolder(waitsFor) ? since + retryMs : rejectedSince + defaults.budgetWaitMs;
  return { waitsFor, attempt, nextAt, endsAt, held };
}

/** Milliseconds that a chain waits for a worker. */
export function getMissingMs(state: ChainState, { missing }: Requeue): number {
  return mayBeMisspelt(state, missing) ? defaults.agentMissingMs : defaults.workerMissingMs;
}

/** Whether what is missing is the agent of a new chain. A sub-chain has its agent from a worker. */
export function mayBeMisspelt({ agent, input }: ChainState, { kind }: MissingPart): boolean {
  return kind === 'agent' && agent === null && input?.lineage === undefined && input?.awaitAgent !== true;
}

function isHolder(cause: WaitCause): cause is Holder {
  return cause !== 'budget' && cause !== 'rate';
}

export function getWaitCause(kind: ModelFailureKind): Exclude<WaitCause, 'worker'> {
  if (kind === 'budget') return 'budget';
  return kind === 'throttled' ? 'rate' : getFailureHolder(kind);
}

/** Returns what a failed model call waits for. */
export function getFailureHolder(kind: ModelFailureKind): 'provider' | 'store' {
  return kind === 'store_unavailable' ? 'store' : 'provider';
}

/** What holds the chain until a person repairs it; null if nothing does. */
export function findHolder(state: ChainState): Holder | null {
  return getWaitHolder(findRetryWait(state));
}

/** The same, of a wait as readers see it. */
export function getWaitHolder(wait: RetryWait | null): Holder | null {
  return wait?.held && isHolder(wait.waitsFor) ? wait.waitsFor : null;
}

/** `waiting for the provider, attempt 9, next at 2026-11-23 05:12:30 UTC, ends by 2026-11-30 05:01:00 UTC` */
export function formatRetryWait({ waitsFor, attempt, nextAt, endsAt, held }: RetryWait): string {
  const { waiting, holding } = phrases[waitsFor];
  if (!isHolder(waitsFor)) return `${waiting}${nextAt === null ? '' : `, next at ${formatTime(nextAt)}`}`;
  const next = nextAt === null ? `attempt ${attempt} runs` : `attempt ${attempt}, next at ${formatTime(nextAt)}`;
  return `${held ? holding : waiting}, ${next}, ends by ${formatTime(endsAt)}`;
}

/** `held by the provider`: the same words in lists, lines and explanations. */
export function formatHolder(holder: Holder): string {
  return `held by the ${holder === 'worker' ? 'workers' : holder}`;
}

const phrases = {
  provider: { waiting: 'waiting for the provider', holding: formatHolder('provider') },
  store: { waiting: 'waiting for the store', holding: formatHolder('store') },
  worker: {
    waiting: 'waiting for a worker that has its agent, tools and provider',
    holding: `${formatHolder('worker')}: none has its agent, tools and provider`,
  },
  budget: { waiting: 'waiting for a budget', holding: '' },
  rate: { waiting: 'waiting for its turn', holding: '' },
} as const satisfies { readonly [cause in WaitCause]: object };

/** `the agent clerk`, `the tool send of the agent clerk`, or `the model provider openai` */
export function describeMissing({ input }: Pick<ChainState, 'input'>, missing: MissingPart): string {
  const agent = `the agent ${shorten(toOneLine(input?.agent ?? ''), 100)}`;
  if (missing.kind === 'agent') return agent;
  const name = shorten(toOneLine(missing.name), 100);
  if (missing.kind === 'provider') return `the model provider ${name}`;
  if (missing.kind === 'source') return `a connection to the source of tools ${name}`;
  return `the ${missing.kind} ${name} of ${agent}`;
}

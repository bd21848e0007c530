/**
 * Operations that go back to the task queue, because the worker that took one lacks the chain's agent, the tool, the
 * model's provider or a source of tools: another worker may have it, as while a version is rolled out. Nothing was run, so nothing is charged, and it is not an attempt. The
 * operation is offered again after a short wait. After some minutes the chain is held, and a person has to act.
 *
 * The chain decides this, and not Temporal's retries: those would repeat a lost model call, which is paid (L6), and a lost
 * unsafe call (L5).
 */

import {
  type ChainState,
  changeState,
  defaults,
  doubleWait,
  type Fact,
  isOptionalAside,
  type MissingPart,
  type Requeue,
  type RequeueCount,
} from '../model/index.js';
import { applyPendingCommands } from './approvals/advance-command.js';
import { leaveOutAside } from './asides.js';
import { type Advance, andThen, emit, unchanged } from './state/advance.js';
import { releaseReservation } from './state/call-payment.js';
import { type ChainEntry, createNoticeEntry } from './state/entry.js';
import { endFlight, isOpen, isRequeued, leaveOutOfTimeLimit, listCalls } from './state/flight.js';
import { endLocalRun } from './state/local-calls.js';
import { formatRequeueNotice, formatWorkerHeldNotice } from './state/notice-text.js';
import { describeMissing, getMissingMs, mayBeMisspelt } from './state/retry-wait.js';
import { replaceCall, settleCall } from './state/step.js';
import { notRunText, skipClosing, stopChain } from './state/stop.js';

type Requeued = Extract<Fact, { type: 'requeued' }>;

/** The fact names the operation: a preparation, a model call or a tool call. */
export function requeueOperation(before: ChainState, fact: Requeued): Advance {
  const { flight } = before;
  const { activity } = fact;
  const missing = findMissingPart(fact) ?? toMissingAgent(before, fact);
  switch (flight.kind) {
    case 'preparing':
      if (before.stop !== null) return emit(endFlight(before));
      return fact.nowhere === true && mayBeMisspelt(before, missing)
        ? stopUnknownAgent(before, fact)
        : requeueFlight(before, missing);
    case 'model':
      return flight.call === activity ? requeueModelCall(before, flight, missing) : unchanged(before);
    case 'calls':
      return fact.local === true ? endLocalRun(before, activity) : requeueCall(before, fact);
    default:
      return unchanged(before);
  }
}

/** Null if the worker lacks the agent, or the tool of the call. */
function findMissingPart(fact: Requeued): MissingPart | null {
  const kind = (['provider', 'source', 'strategy'] as const).find((part) => fact[part] !== undefined);
  return kind === undefined ? null : { kind, name: fact[kind] ?? '' };
}

/** Workers may have different agents: the names of all that took the operation are kept. */
function toMissingAgent({ requeue }: ChainState, { agents }: Requeued): MissingPart {
  if (agents === undefined) return { kind: 'agent' };
  const before = requeue?.missing.kind === 'agent' ? (requeue.missing.known ?? []) : [];
  return { kind: 'agent', known: [...new Set([...agents, ...before])].slice(0, defaults.namedAgents) };
}

function requeueModelCall(
  before: ChainState,
  { purpose, startedAt }: Extract<ChainState['flight'], { kind: 'model' }>,
  missing: MissingPart,
): Advance {
  const state = leaveOutOfTimeLimit(before, before.now - startedAt);
  if (purpose === 'closing') return emit(offerClosing(endFlight(state), missing));
  if (isOptionalAside(purpose) && missing.kind === 'provider')
    return leaveOutAside(state, purpose, `no worker has the provider ${missing.name}`);
  return state.stop === null ? requeueFlight(state, missing) : emit(endFlight(state));
}

/** An ending chain offers its last call again immediately. */
function offerClosing(state: ChainState, missing: MissingPart): ChainState {
  const requeue = createRequeue(state, countRequeue(state, state.requeue), missing);
  return requeue.times > defaults.closingRequeues ? skipClosing(state) : changeState(state, { requeue });
}

function requeueFlight(state: ChainState, missing: MissingPart): Advance {
  const requeue = createRequeue(state, countRequeue(state, state.requeue), missing);
  const offered: ChainState =
    requeue.nextAt > state.now ? changeState(state, { flight: { kind: 'requeued' } }) : endFlight(state);
  return offerAgain(offered, requeue);
}

function countRequeue({ now }: ChainState, earlier: RequeueCount | null): RequeueCount {
  return { since: earlier?.since ?? now, times: (earlier?.times ?? 0) + 1 };
}

function requeueCall(before: ChainState, fact: Requeued): Advance {
  const { activity: id, attempted } = fact;
  const taken = listCalls(before).find((candidate) => candidate.id === id && candidate.progress === 'running');
  if (taken === undefined || before.agent === null) return unchanged(before);
  const call = releaseReservation(taken);
  if (before.stop !== null) {
    return settleCall(before, before.agent, call, { status: 'not_run', content: notRunText });
  }
  const requeues = countRequeue(before, call.requeues ?? null);
  const requeue = createRequeue(before, requeues, findMissingPart(fact) ?? { kind: 'tool', name: call.tool });
  // Calls of one step that wait are offered together.
  const joins = isRequeued(before);
  const progress = joins || requeue.nextAt > before.now ? 'requeued' : 'ready';
  const state = replaceCall(before, {
    ...call,
    requeues,
    progress,
    ...(attempted === true ? { attempted } : {}),
  });
  return joins ? emit(state) : offerAgain(state, requeue);
}

function offerAgain(state: ChainState, requeue: Requeue): Advance {
  if (requeue.nextAt > requeue.since + getMissingMs(state, requeue)) return stopWithoutWorker(state, requeue);
  return emit(changeState(state, { requeue }), ...createRequeueNotices(state, requeue));
}

function createRequeue({ now }: ChainState, { since, times }: RequeueCount, missing: MissingPart): Requeue {
  const isHeld = now - since >= defaults.requeueMs;
  const retryDelayMs = isHeld ? defaults.heldRetryMs : computeRetryDelayMs(times);
  return { since, times, missing, held: isHeld, nextAt: now + retryDelayMs };
}

function computeRetryDelayMs(times: number): number {
  if (times <= defaults.requeuesAtOnce) return 0;
  return doubleWait(defaults.requeueBackoffMs, times - defaults.requeuesAtOnce, defaults.requeueBackoffLongestMs);
}

/** One notice for the first time, and one for each cause that holds the chain, because it names the fix. */
function createRequeueNotices(before: ChainState, { missing: part, held }: Requeue): readonly ChainEntry[] {
  const missing = describeMissing(before, part);
  const known = part.kind === 'agent' ? part.known : undefined;
  if (before.requeue === null) return [createNoticeEntry(before, 'requeued', formatRequeueNotice(missing, known))];
  if (!held || (before.requeue.held && describeMissing(before, before.requeue.missing) === missing)) return [];
  return [createNoticeEntry(before, 'held', formatWorkerHeldNotice(missing, known))];
}

/** L7. Commands that waited for the agent are rejected with notices. */
function stopWithoutWorker(state: ChainState, { missing, since }: Requeue): Advance {
  const known = missing.kind === 'agent' && missing.known !== undefined ? { known: missing.known } : {};
  const lacked = { missing: describeMissing(state, missing), ms: toWholeMinutes(state.now - since), ...known };
  const reason = { code: 'no_worker', ...lacked } as const;
  const stopped = stopChain(state, 'failure', reason);
  return state.agent === null ? andThen(stopped, applyPendingCommands) : stopped;
}

/** The start, by another program than our client, which rejects it, names an agent that no worker of the queue has. */
function stopUnknownAgent(state: ChainState, { agents = [] }: Requeued): Advance {
  const reason = { code: 'unknown_agent', missing: describeMissing(state, { kind: 'agent' }), known: agents } as const;
  return andThen(stopChain(endFlight(state), 'failure', reason), applyPendingCommands);
}

function toWholeMinutes(ms: number): number {
  return Math.round(ms / 60_000) * 60_000;
}

/** Forgets what went back to the task queue once workers have taken all of it, with any result. */
export function endRequeue(state: ChainState, { type }: Fact): Advance {
  if (state.requeue === null || !resultFacts.has(type)) return unchanged(state);
  const mayGoBack = listCalls(state).some((call) => {
    return isOpen(call) && call.progress !== 'waiting' && call.requeues !== undefined;
  });
  return emit(mayGoBack || isRequeued(state) ? state : changeState(state, { requeue: null }));
}

const resultFacts: ReadonlySet<Fact['type']> = new Set([
  'prepared',
  'prepareFailed',
  'modelReplied',
  'checkEnded',
  'modelFailed',
  'toolReturned',
  'callChecked',
  'approvalRequired',
  'questionAsked',
  'toolFailed',
]);

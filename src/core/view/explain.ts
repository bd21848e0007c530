/**
 * Explains a chain in sentences: its next action or what it waits for, who may decide, how far its limits are used, and
 * which limit would stop it first. Pure; the time is an argument.
 */

import {
  asksAtLimits,
  awaitedPhrases,
  type ChainResult,
  computeTotalUse,
  decide,
  describeMissing,
  endFlight,
  enforceLimits,
  findHolder,
  formatAnswerCommand,
  formatBreakpoint,
  formatHolder,
  formatMinute,
  formatPauseNotice,
  getWaitCause,
  hasOnlyWaits,
  isOnlyWaiting,
  isOpen,
  isRequeued,
  listDecisionCommands,
  listDelegatingCalls,
  listLimitUsage,
  listOpenWaits,
  listWaitingCalls,
  type OpenWait,
  reserve,
  type WaitCause,
  type WaitingCall,
} from '../engine/index.js';
import { formatCount, formatDuration, formatExactUsd, formatPlural, formatTime, formatUsd } from '../lib/index.js';
import {
  type ChainState,
  changeState,
  defaults,
  type Flight,
  formatStop,
  type LimitUsage,
  listDecidingRoles,
  type Pause,
  type PersonRequest,
} from '../model/index.js';
import { describeActions } from './action-text.js';

export interface Explanation {
  /** One sentence: the next action, or how the chain ended. */
  readonly next: string;
  readonly why: readonly string[];
  /** Empty until the agent is known. */
  readonly limits: readonly LimitUsage[];
}

/** @param result null while the chain runs @param now milliseconds since 1970 */
export function explain(state: ChainState, result: ChainResult | null, now: number): Explanation {
  const limits = listLimitUsage(changeState(state, { now: result === null ? now : Date.parse(result.endedAt) }));
  if (result !== null)
    return { next: `Nothing: the chain has ended as ${result.outcome}.`, why: describeEnd(result), limits };
  if (state.agent === null && state.startedAt === 0) {
    return {
      next: 'A worker starts the chain.',
      why: ['No workflow task has been completed yet. If that lasts, check that a worker can read the chain.'],
      limits,
    };
  }
  const actions = decide(state);
  const next =
    actions.length > 0 ? describeActions(actions, state) : `${describeWait(state)}${describeFollowUp(state)}`;
  return {
    next,
    why: [...explainCauses(state), ...explainWaiting(state, now), ...explainLimits(state, limits)],
    limits,
  };
}

function describeEnd({ reason, steps, partial, success }: ChainResult): readonly string[] {
  const findings = partial === null || success ? [] : ['Its findings are in the partial answer.'];
  return [reason, `It took ${steps} ${steps === 1 ? 'step' : 'steps'}.`, ...findings];
}

/** Returns the next action if all calls ended now and none stopped the chain. */
function describeFollowUp(state: ChainState): string {
  const { flight, stop } = state;
  if (flight.kind !== 'calls') return '';
  if (stop === null && state.paused !== null) return ' Then it is paused.';
  const then = decide(enforceLimits(endFlight(state)).state).filter(({ type }) => !/Timer$/.test(type));
  return then.length === 0 ? '' : ` Then: ${describeActions(then, state)}`;
}

function describeWait(state: ChainState): string {
  const { flight, stop, steps, attempt } = state;
  switch (flight.kind) {
    case 'idle':
      if (stop === null && state.paused?.question !== undefined) return 'It waits for a person to answer at a limit.';
      if (stop === null && state.paused !== null) return 'It is paused until a person resumes it.';
      return stop?.awaitsCancel ? "It waits for Temporal's own cancel, and then ends." : 'It waits.';
    case 'preparing':
      return "It waits for a worker to record the agent's definition.";
    case 'model':
      if (flight.purpose === 'closing') return 'It waits for the model to summarize its findings, and then ends.';
      if (flight.purpose === 'observer') return 'It waits for the model that observes the last steps.';
      if (flight.purpose === 'policy') return 'It waits for the model that compares the step with the written policy.';
      if (flight.purpose === 'compaction') return 'It waits for the model that writes notes on the oldest steps.';
      if (flight.purpose === 'judge') return 'It waits for the model that judges its end.';
      return `It waits for the model's reply, which will be step ${steps + 1}${attempt > 1 ? ` (attempt ${attempt})` : ''}.`;
    case 'calls':
      if (isRequeued(state) && !flight.calls.some(isRunning)) return describeRequeue(state);
      return `It waits for ${[...flight.calls.filter(isRunning).map(describeCall), ...listWaitingCalls(state).map(describeWaitingCall), ...listOpenWaits(state).map(describeCallWait)].join(' and ') || 'its calls'}.`;
    case 'modelRetry':
      return `It ${describeHold(state)}: attempt ${attempt} at the model call is due at ${formatTime(flight.nextAt)}.`;
    case 'requeued':
      return describeRequeue(state);
    case 'taskRetry':
      return `It waits ${formatDuration(flight.retryDelayMs)} before task ${flight.task} is retried.`;
  }
}

function describeRequeue(state: ChainState): string {
  const { requeue } = state;
  if (requeue === null) return 'It waits.';
  const missing = describeMissing(state, requeue.missing);
  const next = `its operation is offered again at ${formatTime(requeue.nextAt)}`;
  if (requeue.held) return `It is ${formatHolder('worker')}: none has ${missing}; ${next}.`;
  return `It waits for a worker that has ${missing}: ${next}.`;
}

/** A held chain in the words of `chain list` and `chain show`. */
function describeHold(state: ChainState): string {
  const holder = findHolder(state);
  return holder === null ? `waits for ${awaited[findAwaited(state)]}` : `is ${formatHolder(holder)}`;
}

function findAwaited({ failing }: ChainState): WaitCause {
  return failing === null ? 'provider' : getWaitCause(failing.failure);
}

const awaited: { readonly [cause in WaitCause]: string } = {
  provider: 'the provider',
  store: 'the store',
  worker: 'the worker',
  budget: 'a budget',
  rate: 'its turn',
};

type PendingCalls = Extract<Flight, { kind: 'calls' }>['calls'];

function isRunning({ progress }: PendingCalls[number]): boolean {
  return progress === 'running';
}

function describeCall({ id, tool, effects }: PendingCalls[number]): string {
  return `call ${id} (${tool}${effects === 'unsafe' ? ', not retried' : ''})`;
}

/** Returns the causes of the chain's current operation. */
function explainCauses({
  stop,
  flight,
  steps,
  agent,
  attempt,
  failing,
  unreadableReplies,
}: ChainState): readonly string[] {
  if (stop !== null) {
    return [
      `It is ending as ${stop.outcome}: ${formatStop(stop)}`,
      ...(stop.interrupt === 'none' || flight.kind === 'idle' ? [] : ['Running operations were interrupted.']),
    ];
  }
  const unreadable =
    unreadableReplies === 0
      ? []
      : [`${unreadableReplies} of at most ${defaults.maxUnreadableReplies} replies in a row could not be read.`];
  switch (flight.kind) {
    case 'idle':
      return agent === null ? ['The agent is not known yet.'] : unreadable;
    case 'preparing':
      return ['Every chain begins with this. If it takes long, no worker polls its task queue.'];
    case 'model': {
      const { inputTokens, outputTokens, usd: cost } = flight.reservation;
      const max = `at most ${formatCount(inputTokens)} tokens in and ${formatCount(outputTokens)} out`;
      const reservation = `The budget reserves ${max}${cost === null ? '' : `, or ${formatExactUsd(cost)}`} for this call.`;
      return [
        steps === 0 ? 'The agent is prepared; no model call was made yet.' : `Step ${steps} is complete.`,
        reservation,
        ...unreadable,
      ];
    }
    case 'calls': {
      const { length: count } = flight.calls;
      const ended = flight.calls.filter((call) => !isOpen(call)).length;
      const so = ended === 0 ? 'none has ended' : `${ended} of them ${ended === 1 ? 'has' : 'have'} ended`;
      return [`Step ${steps} requested ${count} ${count === 1 ? 'call' : 'calls'}; ${so}.`];
    }
    case 'modelRetry':
      return failing === null ? [] : [`Attempt ${attempt - 1} failed: ${failing.message}`];
    case 'requeued':
      return ['The workers that took the operation so far do not have what it needs; nothing was run.'];
    case 'taskRetry':
      return ['The task has failed.'];
  }
}

function explainWaiting(state: ChainState, now: number): readonly string[] {
  return state.stop === null ? explainRequestsAndPause(state, now) : [];
}

/** Returns what would stop the chain if it continued as it is. */
function explainLimits(state: ChainState, limits: readonly LimitUsage[]): readonly string[] {
  const { agent, stop, flight } = state;
  const used = computeTotalUse(state);
  if (agent === null || stop !== null || state.paused?.question !== undefined) return [];
  const asks = asksAtLimits(state);
  const left = (name: LimitUsage['name']) =>
    limits.filter((use) => use.name === name).map((use) => use.limit - use.used);
  const steps = left('steps').map((n) =>
    n <= 0
      ? `No step is left: it ${asks ? 'asks a person' : 'ends'} after the current operation.`
      : `It ${asks ? 'asks a person' : 'ends as max_iterations'} after ${formatPlural(n, 'more step')}.`,
  );
  const isPaused = isOnlyWaiting(state) && !agent.waitingCounts;
  const time = left('timeMs').map((ms) => {
    if (ms <= 0) return 'Its time is up.';
    return isPaused
      ? `The time limit is paused while it waits for ${describeAwaited(state)}; ${formatDuration(ms)} remain.`
      : `In ${formatDuration(ms)} it ${asks ? 'asks a person' : 'ends as timeout'}.`;
  });
  const stall = left('stallThreshold')
    .filter((n) => n === 1)
    .map(() => 'It ends as stalled after one more step without new results.');
  const budget = reserve(state, agent, 'step');
  const broke =
    flight.kind === 'model' || budget.ok
      ? []
      : [
          `The budget does not cover another model call: ${budget.limit === 'tokens' ? `${formatCount(used.tokens)} tokens are used` : `${formatUsd(used.usd)} is spent`}.`,
        ];
  return [...broke, ...stall, ...steps, ...time];
}

function describeAwaited(state: ChainState): string {
  if (state.flight.kind === 'modelRetry') return `the ${findAwaited(state)}`;
  if (isRequeued(state)) return 'a worker';
  if (hasOnlyWaits(state)) return 'a time or a signal';
  return listDelegatingCalls(state).length === 0 ? 'people' : 'sub-chains';
}

/** After `It waits for`. */
function describeWaitingCall({ id, tool, request }: WaitingCall): string {
  return `${awaitedPhrases[request.kind]} call ${id} (${tool})`;
}

/** After `It waits for`. Without the name of the signal, which is an argument of the call. */
function describeCallWait({ id, tool, wait: { until, signal } }: OpenWait): string {
  const end = signal === null ? formatMinute(until) : `its signal, ${formatMinute(until)} at most`;
  return `the end of call ${id} (${tool}): ${end}`;
}

function explainRequestsAndPause(state: ChainState, now: number): readonly string[] {
  return [
    ...listWaitingCalls(state).flatMap((call) => explainRequest(call, state.chainId, now)),
    ...listOpenWaits(state).map(({ id }) => `End the wait: longhand resume ${state.chainId} ${id}`),
    ...(state.paused === null ? [] : explainPause(state.paused, state.chainId)),
    ...(findHolder(state) === null ? [] : [`Once it is repaired: longhand resume ${state.chainId}`]),
    ...state.breakpoints.map(({ breakpoint }) => `A breakpoint is set ${formatBreakpoint(breakpoint)}.`),
  ];
}

function explainPause({ by, reason, roles = [], question }: Pause, chainId: string): readonly string[] {
  const answer = formatAnswerCommand(chainId, question);
  if (question === undefined) return [formatPauseNotice(by, reason), `Resume: ${answer}`];
  const who = roles.length === 0 ? 'Any person' : `A person with the role ${roles.join(' or ')}`;
  const until = question.expiresAt === null ? '' : ` until ${formatMinute(question.expiresAt)}; then it ends`;
  return [reason ?? '', `${who} may answer${until}.`, `Answer: ${answer}, or longhand cancel ${chainId}`];
}

function explainRequest({ id, request }: WaitingCall, chainId: string, now: number): readonly string[] {
  const { rules, votes, expiresAt } = request;
  const roles = listDecidingRoles(request, now);
  const who = roles.length === 0 ? 'Any person' : `A person with the role ${roles.join(' or ')}`;
  const until =
    expiresAt === null
      ? ', without a time limit'
      : ` until ${formatMinute(expiresAt)}; then ${describeExpiry(request)}`;
  const people = `${rules.approvers} different people must approve it; ${votes.length} ${votes.length === 1 ? 'has' : 'have'}.`;
  const self = rules.byRequester ? [] : ["The chain's own user may not decide."];
  const commands = listDecisionCommands(request.kind, chainId, id, roles);
  return [
    `${who} may decide on call ${id}${until}.`,
    ...(rules.approvers === 1 ? [] : [people]),
    ...self,
    `Decide: ${commands.join(', or ')}`,
  ];
}

function describeExpiry({ kind, rules }: PersonRequest): string {
  if (kind === 'outcome') return 'the chain ends as failure';
  if (kind === 'question') return 'the model continues without an answer';
  return rules.onExpiry === 'approve' ? 'it is run' : 'it is denied';
}

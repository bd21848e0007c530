/**
 * Why a chain does what it does, in sentences: what `decide` would have it do next or what it waits for, who may decide that,
 * how far its limits are used, and which of them would stop it first. Pure; the hour comes in as a value.
 */

import { formatBreakpoint } from '../approvals/pause.js';
import { decide } from '../engine/decide.js';
import { enforceLimits } from '../engine/enforce-limits.js';
import type { ChainResult } from '../engine/result.js';
import { formatCount, formatDuration, formatExactUsd } from '../lib/display.js';
import { defaults } from '../model/defaults.js';
import type { Limits } from '../model/limits.js';
import { listDecidingRoles, type PersonRequest } from '../model/request.js';
import type { ChainState, Flight } from '../model/state.js';
import { formatStop } from '../model/stop-reason.js';
import { reserve } from '../state/budget.js';
import { computeTotalUse, listOpenShares } from '../state/budget-tree.js';
import { listDelegatingCalls } from '../state/children.js';
import { formatMinute, listDecisionCommands } from '../state/decision-text.js';
import { listWaitingCalls, type WaitingCall } from '../state/due-requests.js';
import { computeWorkedMs, endFlight, isOnlyWaiting, isOpen } from '../state/flight.js';
import { countOwnSteps } from '../state/fork.js';
import * as reasons from '../state/notice-text.js';
import { awaitedPhrases } from '../state/stop.js';
import { describeActions } from './action-text.js';

export interface LimitUsage {
  readonly name: Exclude<keyof Limits, 'depth'>;
  readonly used: number;
  readonly limit: number;
}

export interface Explanation {
  /** One sentence: what comes next, or what the chain came to. */
  readonly next: string;
  readonly why: readonly string[];
  /** Empty until the agent is known. */
  readonly limits: readonly LimitUsage[];
}

/** @param result null while the chain runs; `now` is when somebody asks, in milliseconds since 1970 */
export function explain(state: ChainState, result: ChainResult | null, now: number): Explanation {
  const limits = listLimitUsage(state, result === null ? now : Date.parse(result.endedAt));
  if (result !== null)
    return { next: `Nothing: the chain has ended as ${result.outcome}.`, why: describeEnd(result), limits };
  if (state.input === null) {
    return { next: 'A worker takes the chain up.', why: ['No workflow task has been completed yet.'], limits };
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

function listLimitUsage(state: ChainState, until: number): readonly LimitUsage[] {
  const limits = state.agent?.limits;
  if (limits === undefined) return [];
  const repeats = Math.max(state.repetition.steps, state.novelty.steps);
  return [
    { name: 'steps', used: countOwnSteps(state), limit: limits.steps },
    { name: 'tokens', used: computeTotalUse(state).tokens, limit: limits.tokens },
    ...(limits.costUsd === null
      ? []
      : [{ name: 'costUsd' as const, used: computeTotalUse(state).usd ?? 0, limit: limits.costUsd }]),
    ...(limits.chains === undefined
      ? []
      : [
          {
            name: 'chains' as const,
            used: state.subChainTotals.chains + listOpenShares(state).length,
            limit: limits.chains,
          },
        ]),
    { name: 'timeMs', used: Math.max(0, computeWorkedMs({ ...state, now: until })), limit: limits.timeMs },
    { name: 'stallThreshold', used: repeats, limit: limits.stallThreshold },
  ];
}

function describeEnd({ reason, steps, partial, success }: ChainResult): readonly string[] {
  const found = partial === null || success ? [] : ['What had been found by then is kept as its partial answer.'];
  return [reason, `It took ${steps} ${steps === 1 ? 'step' : 'steps'}.`, ...found];
}

/** What the chain would need if all of its calls ended now, and nothing that they bring stopped it. */
function describeFollowUp(state: ChainState): string {
  const { flight, stop, steps, agent } = state;
  if (flight.kind !== 'calls' || (stop === null && steps >= (agent?.limits.steps ?? 0))) return '';
  if (stop === null && state.paused !== null) return ' Then it is paused.';
  const then = decide(enforceLimits(endFlight(state)).state);
  return then.length === 0 ? '' : ` Then: ${describeActions(then, state)}`;
}

function describeWait(state: ChainState): string {
  const { flight, stop, steps, attempt } = state;
  switch (flight.kind) {
    case 'idle':
      if (stop === null && state.paused !== null) return 'It is paused, and goes on when somebody says so.';
      return stop?.awaitsCancel ? "It waits for Temporal's own cancel, and then ends." : 'It waits.';
    case 'preparing':
      return 'It waits for a worker to take down the agent as it is defined.';
    case 'model':
      if (flight.purpose === 'closing') return 'It waits for the model to sum up what was found, and then ends.';
      return `It waits for the model's reply, which will be step ${steps + 1}${attempt > 1 ? ` (attempt ${attempt})` : ''}.`;
    case 'calls':
      return `It waits for ${[...flight.calls.filter(isRunning).map(describeCall), ...listWaitingCalls(state).map(describeWaitingCall)].join(' and ') || 'its calls'}.`;
    case 'retry':
      return flight.task === undefined
        ? `It waits ${formatDuration(flight.waitMs)} before attempt ${attempt} at the model call.`
        : `It waits ${formatDuration(flight.waitMs)} before task ${flight.task} is tried again.`;
  }
}

type PendingCalls = Extract<Flight, { kind: 'calls' }>['calls'];

function isRunning({ progress }: PendingCalls[number]): boolean {
  return progress === 'running';
}

function describeCall({ id, tool, effects }: PendingCalls[number]): string {
  return `call ${id} (${tool}${effects === 'unsafe' ? ', which is not run twice' : ''})`;
}

/** What brought the chain to where it is. */
function explainCauses({ stop, flight, steps, agent, unreadableReplies }: ChainState): readonly string[] {
  if (stop !== null) {
    return [
      `It is coming to an end as ${stop.outcome}: ${formatStop(stop)}`,
      ...(stop.interrupt === 'none' || flight.kind === 'idle' ? [] : ['What was running has been told to stop.']),
    ];
  }
  const unreadable =
    unreadableReplies === 0
      ? []
      : [`${unreadableReplies} of at most ${defaults.problems} replies in a row could not be read.`];
  switch (flight.kind) {
    case 'idle':
      return agent === null ? ['The agent is not known yet.'] : unreadable;
    case 'preparing':
      return ['Every chain begins with that. If it lasts, no worker listens on its task queue.'];
    case 'model': {
      const { inputTokens, outputTokens, usd: cost } = flight.reservation;
      const most = `at most ${formatCount(inputTokens)} tokens in and ${formatCount(outputTokens)} out`;
      const held = `For this call the budget holds ${most}${cost === null ? '' : `, or ${formatExactUsd(cost)}`}.`;
      return [
        steps === 0 ? 'The agent is prepared, and nothing has been asked yet.' : `Step ${steps} is complete.`,
        held,
        ...unreadable,
      ];
    }
    case 'calls': {
      const { length: asked } = flight.calls;
      const ended = flight.calls.filter((call) => !isOpen(call)).length;
      const so = ended === 0 ? 'no result is there yet' : `${ended} of them ${ended === 1 ? 'has' : 'have'} ended`;
      return [`Step ${steps} asked for ${asked} ${asked === 1 ? 'call' : 'calls'}; ${so}.`];
    }
    case 'retry':
      return [flight.task === undefined ? 'The last attempt failed in a way that may pass.' : 'The task has failed.'];
  }
}

function explainWaiting(state: ChainState, now: number): readonly string[] {
  return state.stop === null ? explainRequestsAndPause(state, now) : [];
}

/** What would stop the chain, were nothing else to happen. */
function explainLimits(state: ChainState, limits: readonly LimitUsage[]): readonly string[] {
  const { agent, stop, flight } = state;
  const used = computeTotalUse(state);
  if (agent === null || stop !== null) return [];
  const left = (name: LimitUsage['name']) =>
    limits.filter((use) => use.name === name).map((use) => use.limit - use.used);
  const steps = left('steps').map((n) =>
    n <= 0
      ? 'No step is left: it ends once what is under way is done.'
      : `${formatCount(n)} more ${n === 1 ? 'step' : 'steps'}, and it ends as max_iterations.`,
  );
  const stands = isOnlyWaiting(state) && !agent.waitingCounts;
  const time = left('timeMs').map((ms) => {
    if (ms <= 0) return 'Its time is up.';
    return stands
      ? `No time runs while it waits for ${listDelegatingCalls(state).length === 0 ? 'people' : 'sub-chains'}: ${formatDuration(ms)} are left.`
      : `In ${formatDuration(ms)} it ends as timeout.`;
  });
  const stall = left('stallThreshold')
    .filter((n) => n === 1)
    .map(() => 'One more step without anything new, and it ends as stalled.');
  const budget = reserve(state, agent, 'step');
  const broke =
    flight.kind === 'model' || budget.ok
      ? []
      : [
          `The budget cannot pay for another call of the model: ${budget.limit === 'tokens' ? `${formatCount(used.tokens)} tokens are used` : `${formatExactUsd(used.usd)} is spent`}.`,
        ];
  return [...broke, ...stall, ...steps, ...time];
}

/** After `It waits for`. */
function describeWaitingCall({ id, tool, request }: WaitingCall): string {
  return `${awaitedPhrases[request.kind]} call ${id} (${tool})`;
}

function explainRequestsAndPause(state: ChainState, now: number): readonly string[] {
  return [
    ...listWaitingCalls(state).flatMap((call) => explainRequest(call, state.chainId, now)),
    ...(state.paused === null
      ? []
      : [reasons.formatPauseNotice(state.paused.by, state.paused.reason), `Go on: longhand resume ${state.chainId}`]),
    ...state.breakpoints.map(({ breakpoint }) => `A breakpoint stands ${formatBreakpoint(breakpoint)}.`),
  ];
}

function explainRequest({ id, request }: WaitingCall, chainId: string, now: number): readonly string[] {
  const { rules, votes, expiresAt } = request;
  const roles = listDecidingRoles(request, now);
  const who = roles.length === 0 ? 'Anybody' : `Who has the role ${roles.join(' or ')}`;
  const until =
    expiresAt === null
      ? ', and it waits for as long as it takes'
      : ` until ${formatMinute(expiresAt)}; then ${describeExpiry(request)}`;
  const people = `${rules.approvers} different people have to approve it, and ${votes.length} ${votes.length === 1 ? 'has' : 'have'}.`;
  const self = rules.byRequester ? [] : ['The user for whom the chain runs may not.'];
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
  if (kind === 'question') return 'the model goes on without an answer';
  return rules.onExpiry === 'approve' ? 'it is run' : 'it is denied';
}

/**
 * Why a chain does what it does, in sentences: what `decide` would have it do next or what it waits for, who may decide that,
 * how far its limits are used, and which of them would stop it first. Pure; the hour comes in as a value.
 */

import { breakpointText } from '../approvals/hold.js';
import { decide } from '../engine/decide.js';
import { enforceLimits } from '../engine/enforce.js';
import type { ChainResult } from '../engine/result.js';
import { count, duration, usdExact } from '../lib/display.js';
import { type Ask, rolesOf } from '../model/ask.js';
import { defaults } from '../model/defaults.js';
import type { Limits } from '../model/limits.js';
import type { Flight, State } from '../model/state.js';
import { reasonOf } from '../model/stop-reason.js';
import { type WaitingCall, waiting } from '../state/asks-due.js';
import { reserve } from '../state/budget.js';
import { heldIn, usedInAll } from '../state/budget-tree.js';
import { delegating } from '../state/children.js';
import { decideCommands, minute } from '../state/decided-text.js';
import { idle, isOpen, onlyWaits, workedMs } from '../state/flight.js';
import { ownSteps } from '../state/forked.js';
import * as reasons from '../state/reasons.js';
import { waitedFor } from '../state/stop.js';
import { toldOf } from './action-text.js';

export interface LimitUse {
  readonly name: Exclude<keyof Limits, 'depth'>;
  readonly used: number;
  readonly limit: number;
}

export interface Explanation {
  /** One sentence: what comes next, or what the chain came to. */
  readonly next: string;
  readonly why: readonly string[];
  /** Empty until the agent is known. */
  readonly limits: readonly LimitUse[];
}

/** @param result null while the chain runs; `now` is when somebody asks, in milliseconds since 1970 */
export function explain(state: State, result: ChainResult | null, now: number): Explanation {
  const limits = limitsOf(state, result === null ? now : Date.parse(result.endedAt));
  if (result !== null)
    return { next: `Nothing: the chain has ended as ${result.outcome}.`, why: endOf(result), limits };
  if (state.input === null) {
    return { next: 'A worker takes the chain up.', why: ['No workflow task has been completed yet.'], limits };
  }
  const actions = decide(state);
  const next = actions.length > 0 ? toldOf(actions, state) : `${waitText(state)}${thenText(state)}`;
  return { next, why: [...becauseOf(state), ...peopleOf(state, now), ...aheadOf(state, limits)], limits };
}

function limitsOf(state: State, until: number): readonly LimitUse[] {
  const limits = state.agent?.limits;
  if (limits === undefined) return [];
  const repeats = Math.max(state.repeated.steps, state.idle.steps);
  return [
    { name: 'steps', used: ownSteps(state), limit: limits.steps },
    { name: 'tokens', used: usedInAll(state).tokens, limit: limits.tokens },
    ...(limits.costUsd === null
      ? []
      : [{ name: 'costUsd' as const, used: usedInAll(state).usd ?? 0, limit: limits.costUsd }]),
    ...(limits.chains === undefined
      ? []
      : [{ name: 'chains' as const, used: state.delegated.chains + heldIn(state).length, limit: limits.chains }]),
    { name: 'timeMs', used: Math.max(0, workedMs({ ...state, now: until })), limit: limits.timeMs },
    { name: 'stallThreshold', used: repeats, limit: limits.stallThreshold },
  ];
}

function endOf({ reason, steps, partial, success }: ChainResult): readonly string[] {
  const found = partial === null || success ? [] : ['What had been found by then is kept as its partial answer.'];
  return [reason, `It took ${steps} ${steps === 1 ? 'step' : 'steps'}.`, ...found];
}

/** What the chain would need if all of its calls ended now, and nothing that they bring stopped it. */
function thenText(state: State): string {
  const { flight, stop, steps, agent } = state;
  if (flight.kind !== 'calls' || (stop === null && steps >= (agent?.limits.steps ?? 0))) return '';
  if (stop === null && state.held !== null) return ' Then it is paused.';
  const then = decide(enforceLimits(idle(state)).state);
  return then.length === 0 ? '' : ` Then: ${toldOf(then, state)}`;
}

function waitText(state: State): string {
  const { flight, stop, steps, attempt } = state;
  switch (flight.kind) {
    case 'idle':
      if (stop === null && state.held !== null) return 'It is paused, and goes on when somebody says so.';
      return stop?.awaitsCancel ? "It waits for Temporal's own cancel, and then ends." : 'It waits.';
    case 'preparing':
      return 'It waits for a worker to take down the agent as it is defined.';
    case 'model':
      if (flight.purpose === 'closing') return 'It waits for the model to sum up what was found, and then ends.';
      return `It waits for the model's reply, which will be step ${steps + 1}${attempt > 1 ? ` (attempt ${attempt})` : ''}.`;
    case 'calls':
      return `It waits for ${[...flight.calls.filter(isRunning).map(named), ...waiting(state).map(waitedForText)].join(' and ') || 'its calls'}.`;
    case 'retry':
      return flight.task === undefined
        ? `It waits ${duration(flight.waitMs)} before attempt ${attempt} at the model call.`
        : `It waits ${duration(flight.waitMs)} before task ${flight.task} is tried again.`;
  }
}

type Calls = Extract<Flight, { kind: 'calls' }>['calls'];

function isRunning({ progress }: Calls[number]): boolean {
  return progress === 'running';
}

function named({ id, tool, effects }: Calls[number]): string {
  return `call ${id} (${tool}${effects === 'unsafe' ? ', which is not run twice' : ''})`;
}

/** What brought the chain to where it is. */
function becauseOf({ stop, flight, steps, agent, problems }: State): readonly string[] {
  if (stop !== null) {
    return [
      `It is coming to an end as ${stop.outcome}: ${reasonOf(stop)}`,
      ...(stop.interrupt === 'none' || flight.kind === 'idle' ? [] : ['What was running has been told to stop.']),
    ];
  }
  const unreadable =
    problems === 0 ? [] : [`${problems} of at most ${defaults.problems} replies in a row could not be read.`];
  switch (flight.kind) {
    case 'idle':
      return agent === null ? ['The agent is not known yet.'] : unreadable;
    case 'preparing':
      return ['Every chain begins with that. If it lasts, no worker listens on its task queue.'];
    case 'model': {
      const { inputTokens, outputTokens, usd: cost } = flight.reservation;
      const most = `at most ${count(inputTokens)} tokens in and ${count(outputTokens)} out`;
      const held = `For this call the budget holds ${most}${cost === null ? '' : `, or ${usdExact(cost)}`}.`;
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

function peopleOf(state: State, now: number): readonly string[] {
  return state.stop === null ? aboutPeople(state, now) : [];
}

/** What would stop the chain, were nothing else to happen. */
function aheadOf(state: State, limits: readonly LimitUse[]): readonly string[] {
  const { agent, stop, flight } = state;
  const used = usedInAll(state);
  if (agent === null || stop !== null) return [];
  const left = (name: LimitUse['name']) => limits.filter((use) => use.name === name).map((use) => use.limit - use.used);
  const steps = left('steps').map((n) =>
    n <= 0
      ? 'No step is left: it ends once what is under way is done.'
      : `${count(n)} more ${n === 1 ? 'step' : 'steps'}, and it ends as max_iterations.`,
  );
  const stands = onlyWaits(state) && !agent.waitingCounts;
  const time = left('timeMs').map((ms) => {
    if (ms <= 0) return 'Its time is up.';
    return stands
      ? `No time runs while it waits for ${delegating(state).length === 0 ? 'people' : 'sub-chains'}: ${duration(ms)} are left.`
      : `In ${duration(ms)} it ends as timeout.`;
  });
  const stall = left('stallThreshold')
    .filter((n) => n === 1)
    .map(() => 'One more step without anything new, and it ends as stalled.');
  const budget = reserve(state, agent, 'step');
  const broke =
    flight.kind === 'model' || budget.ok
      ? []
      : [
          `The budget cannot pay for another call of the model: ${budget.limit === 'tokens' ? `${count(used.tokens)} tokens are used` : `${usdExact(used.usd)} is spent`}.`,
        ];
  return [...broke, ...stall, ...steps, ...time];
}

/** After `It waits for`. */
function waitedForText({ id, tool, ask }: WaitingCall): string {
  return `${waitedFor[ask.kind]} call ${id} (${tool})`;
}

function aboutPeople(state: State, now: number): readonly string[] {
  return [
    ...waiting(state).flatMap((call) => aboutRequest(call, state.chainId, now)),
    ...(state.held === null
      ? []
      : [reasons.paused(state.held.by, state.held.reason), `Go on: longhand resume ${state.chainId}`]),
    ...state.breakpoints.map(({ at }) => `A breakpoint stands ${breakpointText(at)}.`),
  ];
}

function aboutRequest({ id, ask }: WaitingCall, chainId: string, now: number): readonly string[] {
  const { rules, votes, expiresAt } = ask;
  const roles = rolesOf(ask, now);
  const who = roles.length === 0 ? 'Anybody' : `Who has the role ${roles.join(' or ')}`;
  const until =
    expiresAt === null
      ? ', and it waits for as long as it takes'
      : ` until ${minute(expiresAt)}; then ${afterExpiry(ask)}`;
  const people = `${rules.approvers} different people have to approve it, and ${votes.length} ${votes.length === 1 ? 'has' : 'have'}.`;
  const self = rules.byRequester ? [] : ['The user for whom the chain runs may not.'];
  const commands = decideCommands(ask.kind, chainId, id, roles);
  return [
    `${who} may decide on call ${id}${until}.`,
    ...(rules.approvers === 1 ? [] : [people]),
    ...self,
    `Decide: ${commands.join(', or ')}`,
  ];
}

function afterExpiry({ kind, rules }: Ask): string {
  if (kind === 'outcome') return 'the chain ends as failure';
  if (kind === 'question') return 'the model goes on without an answer';
  return rules.onExpiry === 'approve' ? 'it is run' : 'it is denied';
}

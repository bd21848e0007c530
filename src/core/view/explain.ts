/**
 * Why a chain does what it does, in sentences: what `decide` would have it do next or what it waits for, how far its
 * limits are used, and which of them would stop it first. Pure; the hour comes in as a value.
 */

import { decide } from '../engine/decide.js';
import { enforceLimits } from '../engine/enforce.js';
import type { ChainResult } from '../engine/result.js';
import { count, duration, durationExact, usdExact } from '../lib/display.js';
import type { Action } from '../model/action.js';
import { defaults } from '../model/defaults.js';
import type { Limits } from '../model/limits.js';
import type { Flight, State } from '../model/state.js';
import { reasonOf } from '../model/stop-reason.js';
import { waiting } from '../state/asks-due.js';
import { reserve } from '../state/budget.js';
import { heldIn, usedInAll } from '../state/budget-tree.js';
import { delegating } from '../state/children.js';
import { idle, isOpen } from '../state/flight.js';
import { ownSteps } from '../state/forked.js';
import { onlyWaits, workedMs } from '../state/working-time.js';
import { aboutPeople, waitedForText } from './explain-people.js';

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

function toldOf(actions: readonly Action[], state: State): string {
  return actions.map((action) => actionText(action, state)).join(' ');
}

/** What the chain would need if all of its calls ended now, and nothing that they bring stopped it. */
function thenText(state: State): string {
  const { flight, stop, steps, agent } = state;
  if (flight.kind !== 'calls' || (stop === null && steps >= (agent?.limits.steps ?? 0))) return '';
  if (stop === null && state.held !== null) return ' Then it is paused.';
  const then = decide(enforceLimits(idle(state)).state);
  return then.length === 0 ? '' : ` Then: ${toldOf(then, state)}`;
}

function actionText(action: Action, { steps }: State): string {
  switch (action.type) {
    case 'prepare':
      return "The agent's definition is taken down by a worker.";
    case 'callModel':
      return action.purpose === 'closing'
        ? 'The model is asked to sum up what was found.'
        : `The model is asked for step ${steps + 1}.`;
    case 'runCalls':
      return `It runs ${action.calls.map(({ id, tool }) => `call ${id} (${tool})`).join(' and ')}.`;
    case 'startChildren':
      return `It begins ${action.starts.map(({ chainId, input }) => `chain ${chainId} (${input.agent})`).join(' and ')}.`;
    case 'readChildren':
      return `What ${action.children.map(({ chainId }) => chainId).join(' and ')} came to is read.`;
    case 'score':
      return `The answers to call ${action.call} are scored.`;
    case 'startTimer':
      return `A timer of ${durationExact(action.ms)} is set (${action.timer}).`;
    case 'interrupt':
      return 'What is running is told to stop.';
    case 'continueAsNew':
      return 'It goes on in a new run.';
    case 'end':
      return 'The chain ends.';
  }
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

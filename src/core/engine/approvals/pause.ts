/** Pauses: before the next step, or at a breakpoint. */

import { formatExactUsd } from '../../lib/index.js';
import {
  type ActiveBreakpoint,
  type Breakpoint,
  type ChainState,
  changeState,
  isAside,
  type Pause,
  type RequestRules,
  type ToolSnapshot,
} from '../../model/index.js';
import { type Advance, emit, unchanged } from '../state/advance.js';
import { computeTotalUse } from '../state/budget-tree.js';
import { createNoticeEntry } from '../state/entry.js';
import { endFlight, isRequeued, restartRequeue } from '../state/flight.js';
import { formatPauseNotice, formatResumeNotice } from '../state/notice-text.js';
import { createRequestRules, toRisk } from '../state/request-rules.js';

export function pauseChain(state: ChainState, by: Pause['by'], reason: Pause['reason']): Advance {
  const pausedState: ChainState = changeState(state, { paused: { by, reason, at: state.now } });
  return emit(pausedState, createNoticeEntry(state, 'paused', formatPauseNotice(by, reason)));
}

/**
 * Resumes a chain: ends its pause, or its wait before something failed is tried again. Removes the breakpoints that are
 * reached now. The waits of calls continue: a person ends one by the name of its call, so that no resume of something
 * else ends it by accident.
 */
export function resumeChain(state: ChainState, by: Pause['by'], reason: Pause['reason']): Advance {
  const left = state.breakpoints.filter((breakpoint) => !isBreakpointReached(breakpoint, state));
  const notice = createNoticeEntry(state, 'resumed', formatResumeNotice(by, reason));
  return emit(changeState(endRetryWait(state), { paused: null, breakpoints: left }), notice);
}

/** Workers get a few minutes again before they hold the chain: a person may have started one that has what the others lack. */
function endRetryWait(state: ChainState): ChainState {
  if (isRequeued(state)) return restartRequeue(state);
  return state.flight.kind === 'modelRetry' ? endFlight(state) : state;
}

/** Pauses between two steps if a breakpoint is reached. Removes all that are reached. */
export function pauseAtBreakpoints(state: ChainState): Advance {
  const { agent, flight, stop, paused, breakpoints, held } = state;
  if (breakpoints.length === 0 || agent === null || flight.kind !== 'idle' || stop !== null || paused !== null) {
    return unchanged(state);
  }
  if (held !== undefined) return unchanged(state);
  const reached = breakpoints.filter((breakpoint) => isBreakpointReached(breakpoint, state));
  const [first] = reached;
  if (first === undefined) return unchanged(state);
  const left = breakpoints.filter((breakpoint) => !reached.includes(breakpoint));
  return pauseChain(
    changeState(state, { breakpoints: left }),
    first.by,
    `breakpoint ${formatBreakpoint(first.breakpoint)} reached`,
  );
}

function isBreakpointReached({ breakpoint }: ActiveBreakpoint, state: ChainState): boolean {
  if ('step' in breakpoint) return state.flight.kind === 'idle' && state.steps + 1 >= breakpoint.step;
  const { usd } = computeTotalUse(state);
  return 'costUsd' in breakpoint && usd !== null && usd >= breakpoint.costUsd;
}

/** Returns the number of steps with a reply, or a request under way. */
export function countStartedSteps({ flight, steps }: Pick<ChainState, 'flight' | 'steps'>): number {
  return flight.kind === 'model' && !isAside(flight.purpose) ? steps + 1 : steps;
}

/** Returns the approval rules of a tool's breakpoint; null without one. */
export function findBreakpointRules({ breakpoints }: ChainState, { name, effects }: ToolSnapshot): RequestRules | null {
  const set = breakpoints.find(({ breakpoint }) => 'tool' in breakpoint && breakpoint.tool === name);
  if (set === undefined) return null;
  return createRequestRules({
    reason: `${set.by ?? 'A person'} requested to see calls of ${name} first.`,
    risk: toRisk(effects),
  });
}

/** Formats a breakpoint as a place: `before step 3`. */
export function formatBreakpoint(at: Breakpoint): string {
  if ('step' in at) return `before step ${at.step}`;
  return 'costUsd' in at ? `at a cost of ${formatExactUsd(at.costUsd)}` : `before calls of ${at.tool}`;
}

/** Chains that pause: at once, which is before the next step, or at a breakpoint that somebody has set. */

import { formatExactUsd } from '../lib/display.js';
import type { ToolSnapshot } from '../model/agent.js';
import type { Breakpoint } from '../model/command.js';
import type { RequestRules } from '../model/request.js';
import type { ActiveBreakpoint, ChainState, Pause } from '../model/state.js';
import { type Advance, emit } from '../state/advance.js';
import { computeTotalUse } from '../state/budget-tree.js';
import { createNoticeEntry } from '../state/entry.js';
import * as reasons from '../state/notice-text.js';
import { createRequestRules, toRisk } from '../state/request-rules.js';

export function pauseChain(state: ChainState, by: Pause['by'], reason: Pause['reason']): Advance {
  const held: ChainState = { ...state, paused: { by, reason, at: state.now } };
  return emit(held, createNoticeEntry(state, 'paused', reasons.formatPauseNotice(by, reason)));
}

/** Goes on, past the breakpoints that are reached here: whoever resumes has stopped at them. */
export function resumeChain(state: ChainState, by: Pause['by'], reason: Pause['reason']): Advance {
  const left = state.breakpoints.filter((each) => !isBreakpointReached(each, state));
  const told = createNoticeEntry(state, 'resumed', reasons.formatResumeNotice(by, reason));
  return emit({ ...state, paused: null, breakpoints: left }, told);
}

/** Between two steps: pauses at the first breakpoint that is reached. Those that were passed do not stand any more. */
export function pauseAtBreakpoints(state: ChainState): Advance {
  const { agent, flight, stop, paused, breakpoints } = state;
  if (breakpoints.length === 0 || agent === null || flight.kind !== 'idle' || stop !== null || paused !== null) {
    return emit(state);
  }
  const reached = breakpoints.filter((each) => isBreakpointReached(each, state));
  const [first] = reached;
  if (first === undefined) return emit(state);
  const left = breakpoints.filter((each) => !reached.includes(each));
  return pauseChain(
    { ...state, breakpoints: left },
    first.by,
    `the breakpoint ${formatBreakpoint(first.breakpoint)} is reached`,
  );
}

function isBreakpointReached({ breakpoint }: ActiveBreakpoint, state: ChainState): boolean {
  if ('step' in breakpoint) return state.flight.kind === 'idle' && state.steps + 1 >= breakpoint.step;
  const { usd } = computeTotalUse(state);
  return 'costUsd' in breakpoint && usd !== null && usd >= breakpoint.costUsd;
}

/** Steps whose reply has come or is under way. */
export function countStartedSteps({ flight, steps }: Pick<ChainState, 'flight' | 'steps'>): number {
  return flight.kind === 'model' ? steps + 1 : steps;
}

/** By which rules calls of a tool are asked about because somebody outside wants to be; null where nobody does. */
export function findBreakpointRules({ breakpoints }: ChainState, { name, effects }: ToolSnapshot): RequestRules | null {
  const set = breakpoints.find(({ breakpoint }) => 'tool' in breakpoint && breakpoint.tool === name);
  if (set === undefined) return null;
  return createRequestRules({
    reason: `${set.by ?? 'Somebody'} wants to see calls of ${name} first.`,
    risk: toRisk(effects),
  });
}

/** After `breakpoint` or `pause`. */
export function formatBreakpoint(at: Breakpoint): string {
  if ('step' in at) return `before step ${at.step}`;
  return 'costUsd' in at ? `at a cost of ${formatExactUsd(at.costUsd)}` : `before calls of ${at.tool}`;
}

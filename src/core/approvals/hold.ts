/** Chains that pause: at once, which is before the next step, or at a breakpoint that somebody has set. */

import { usdExact } from '../lib/display.js';
import type { ToolSnapshot } from '../model/agent.js';
import type { AskRules } from '../model/ask.js';
import type { Breakpoint } from '../model/direction.js';
import type { Held, SetBreakpoint, State } from '../model/state.js';
import { type Advance, emit } from '../state/advance.js';
import { askRules, riskOf } from '../state/ask-rules.js';
import { usedInAll } from '../state/budget-tree.js';
import { notice } from '../state/entry.js';
import * as reasons from '../state/reasons.js';

export function hold(state: State, by: Held['by'], reason: Held['reason']): Advance {
  const held: State = { ...state, held: { by, reason, at: state.now } };
  return emit(held, notice(state, 'paused', reasons.paused(by, reason)));
}

/** Goes on, past the breakpoints that are reached here: whoever resumes has stopped at them. */
export function resume(state: State, by: Held['by'], reason: Held['reason']): Advance {
  const left = state.breakpoints.filter((each) => !isReached(each, state));
  const told = notice(state, 'resumed', reasons.resumed(by, reason));
  return emit({ ...state, held: null, breakpoints: left }, told);
}

/** Between two steps: pauses at the first breakpoint that is reached. Those that were passed do not stand any more. */
export function stopAtBreakpoints(state: State): Advance {
  const { agent, flight, stop, held, breakpoints } = state;
  if (breakpoints.length === 0 || agent === null || flight.kind !== 'idle' || stop !== null || held !== null) {
    return emit(state);
  }
  const reached = breakpoints.filter((each) => isReached(each, state));
  const [first] = reached;
  if (first === undefined) return emit(state);
  const left = breakpoints.filter((each) => !reached.includes(each));
  return hold({ ...state, breakpoints: left }, first.by, `the breakpoint ${breakpointText(first.at)} is reached`);
}

function isReached({ at }: SetBreakpoint, state: State): boolean {
  if ('step' in at) return state.flight.kind === 'idle' && state.steps + 1 >= at.step;
  const { usd } = usedInAll(state);
  return 'costUsd' in at && usd !== null && usd >= at.costUsd;
}

/** Steps whose reply has come or is under way. */
export function stepsBegun({ flight, steps }: Pick<State, 'flight' | 'steps'>): number {
  return flight.kind === 'model' ? steps + 1 : steps;
}

/** By which rules calls of a tool are asked about because somebody outside wants to be; null where nobody does. */
export function approvalAtBreakpoint({ breakpoints }: State, { name, effects }: ToolSnapshot): AskRules | null {
  const set = breakpoints.find(({ at }) => 'tool' in at && at.tool === name);
  if (set === undefined) return null;
  return askRules({ reason: `${set.by ?? 'Somebody'} wants to see calls of ${name} first.`, risk: riskOf(effects) });
}

/** After `breakpoint` or `pause`. */
export function breakpointText(at: Breakpoint): string {
  if ('step' in at) return `before step ${at.step}`;
  return 'costUsd' in at ? `at a cost of ${usdExact(at.costUsd)}` : `before calls of ${at.tool}`;
}

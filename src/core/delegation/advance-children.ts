/**
 * What becomes of the chains of a call that delegates: each ends in what the model is told of it.
 *
 * 1. Every chain that was begun is settled once, however it ended (state/budget-tree.ts).
 * 2. A chain that an earlier run of this one had begun is not begun again by itself (complete-delegation.ts).
 * 3. L5: one that failed is begun anew only where it is known that neither it nor any below it made an unsafe call.
 * 4. What a sub-chain comes to never ends its parent: it is an observation (L4).
 */

import { toValueText } from '../lib/json.js';
import type { AgentSnapshot } from '../model/agent.js';
import type { Child, ChildEnd, ChildReport } from '../model/child.js';
import type { ChainState, PendingCall } from '../model/state.js';
import { type Advance, emit } from '../state/advance.js';
import { settleChild } from '../state/budget-tree.js';
import {
  type DelegatingCall,
  findChild,
  findDelegation,
  getChildAgent,
  listDelegatingCalls,
  replaceChild,
  toNextAttempt,
} from '../state/children.js';
import { clipObservation } from '../state/observation.js';
import { replaceCall } from '../state/step.js';
import { isSuccessful, notRestartedText, renderChildReport, renderUnreadChild } from './child-observation.js';

export function applyChildEnded(state: ChainState, agent: AgentSnapshot, chainId: string, end: ChildEnd): Advance {
  const found = findChild(state, chainId, 'running');
  return emit(found === null ? state : endChild(state, agent, found, end));
}

/** @param report null where its history could not be read: what its close said stands, else all that was held counts as used */
export function applyChildReport(
  state: ChainState,
  agent: AgentSnapshot,
  chainId: string,
  report: ChildReport | null,
): Advance {
  const found = findChild(state, chainId, 'reading');
  return emit(found === null ? state : settleWithReport(state, agent, found, report ?? found.child.reported ?? null));
}

/** @param scores in the order of the candidates; none where they could not be scored */
export function applyScores(state: ChainState, id: string, scores: readonly (number | null)[]): Advance {
  const call = listDelegatingCalls(state).find((each) => each.id === id && each.judging === 'scoring');
  return emit(call === undefined ? state : replaceCall(state, { ...call, judging: scores }));
}

/** All that is held for the chains of a call that is left behind counts as used. */
export function abandonChildren(state: ChainState, { children = [] }: PendingCall): ChainState {
  return children.reduce((charged, child) => settleChild(charged, child, null), state);
}

interface CallWithChild {
  readonly call: DelegatingCall;
  readonly child: Child;
}

function endChild(state: ChainState, agent: AgentSnapshot, found: CallWithChild, end: ChildEnd): ChainState {
  const { call, child } = found;
  switch (end.type) {
    case 'reported':
      if (findDelegation(agent, call)?.sees !== 'chain') return settleWithReport(state, agent, found, end.report);
      return replaceChild(state, call, { ...child, progress: 'unread', reported: end.report });
    case 'silent':
      return replaceChild(state, call, { ...child, progress: 'unread', silentEnd: end });
    case 'exists':
      return failUnstartedChild(state, call, { ...child, exists: true }, `${child.chainId} exists already.`);
    case 'not_started':
      return failUnstartedChild(state, call, child, `The chain could not be started: ${end.message}`);
  }
}

/** Nothing was begun, so nothing was used. */
function failUnstartedChild(state: ChainState, call: DelegatingCall, child: Child, told: string): ChainState {
  return replaceChild(state, call, { ...child, progress: 'failed', share: null, observation: told });
}

/** Invariant 1. */
function settleWithReport(
  before: ChainState,
  agent: AgentSnapshot,
  { call, child }: CallWithChild,
  report: ChildReport | null,
): ChainState {
  const safe = report !== null && !report.hasUnsafeCalls;
  const charged = settleChild(before, child, report?.charged ?? null);
  const state: ChainState = safe ? charged : { ...charged, hasUnsafeCalls: true };
  const delegation = findDelegation(agent, call);
  const { silentEnd: how, reported: _, ...rest } = child;
  const over: Child = { ...rest, share: null, progress: report !== null && isSuccessful(report) ? 'ok' : 'failed' };
  if (delegation === null) return replaceChild(state, call, over);
  const named = getChildAgent(delegation, child);
  const failed = report?.outcome === 'failure' || how?.status === 'timeout';
  const wanted = failed && state.stop === null && child.attempt < delegation.attempts;
  const again = wanted && safe;
  const came = report === null ? renderUnreadChild(named, how) : renderChildReport(named, delegation.sees, report);
  const told = wanted && !safe ? `${toValueText(came)}\n\n${notRestartedText}` : came;
  return replaceChild(
    state,
    call,
    again ? toNextAttempt(child) : { ...over, observation: clipObservation(told, agent.maxObservationTokens).content },
    child.chainId,
  );
}

/**
 * Applies the ends, reports and scores of sub-chains to their parent.
 *
 * 1. Every started sub-chain is settled exactly once, however it ended (state/budget-tree.ts).
 * 2. A sub-chain that an earlier run of this chain started is never restarted without a person (complete-delegation.ts).
 * 3. L5: a failed sub-chain is retried only if neither it nor any chain below it made an unsafe call.
 * 4. The outcome of a sub-chain never ends its parent: it is an observation (L4).
 */

import { toValueText } from '../../lib/index.js';
import {
  type AgentSnapshot,
  type ChainState,
  type Child,
  type ChildEnd,
  type ChildReport,
  changeState,
  mergeDataClasses,
  type PendingCall,
} from '../../model/index.js';
import { type Advance, emit } from '../state/advance.js';
import { settleChild } from '../state/budget-tree.js';
import {
  type ChildMatch,
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
  const child = findChild(state, chainId, 'running');
  return emit(child === null ? state : endChild(state, agent, child, end));
}

/** @param report null if its history could not be read: its own report counts, else its whole reservation is charged */
export function applyChildReport(
  state: ChainState,
  agent: AgentSnapshot,
  chainId: string,
  report: ChildReport | null,
): Advance {
  const child = findChild(state, chainId, 'reading');
  return emit(child === null ? state : settleWithReport(state, agent, child, report ?? child.child.reported ?? null));
}

/** @param scores in the order of the candidates; empty if scoring failed */
export function applyScores(state: ChainState, id: string, scores: readonly (number | null)[]): Advance {
  const call = listDelegatingCalls(state).find(
    (delegatingCall) => delegatingCall.id === id && delegatingCall.judging === 'scoring',
  );
  return emit(call === undefined ? state : replaceCall(state, { ...call, judging: scores }));
}

/** Charges the full reservations of an abandoned call's sub-chains. */
export function abandonChildren(state: ChainState, { children = [] }: PendingCall): ChainState {
  return children.reduce((charged, child) => settleChild(charged, child, null), state);
}

function endChild(state: ChainState, agent: AgentSnapshot, childMatch: ChildMatch, end: ChildEnd): ChainState {
  const { call, child } = childMatch;
  switch (end.type) {
    case 'reported':
      if (findDelegation(agent, call)?.sees !== 'chain') return settleWithReport(state, agent, childMatch, end.report);
      return replaceChild(state, call, { ...child, progress: 'unread', reported: end.report });
    case 'silent':
      return replaceChild(state, call, { ...child, progress: 'unread', silentEnd: end });
    case 'exists':
      return failUnstartedChild(state, call, { ...child, exists: true }, `Chain ${child.chainId} already exists.`);
    case 'not_started':
      return failUnstartedChild(state, call, child, `The chain could not be started: ${end.message}`);
  }
}

/** Fails a sub-chain that did not start: nothing is charged. */
function failUnstartedChild(state: ChainState, call: DelegatingCall, child: Child, observation: string): ChainState {
  return replaceChild(state, call, { ...child, progress: 'failed', share: null, observation });
}

/** Invariant 1. */
function settleWithReport(
  before: ChainState,
  agent: AgentSnapshot,
  { call, child }: ChildMatch,
  report: ChildReport | null,
): ChainState {
  const isSafe = report !== null && !report.hasUnsafeCalls;
  const charged = settleChild(before, child, report?.charged ?? null);
  const state: ChainState = changeState(charged, {
    hasUnsafeCalls: charged.hasUnsafeCalls || !isSafe,
    dataClasses: mergeDataClasses(charged.dataClasses, report?.dataClasses),
  });
  const delegation = findDelegation(agent, call);
  const { silentEnd, reported: _, ...rest } = child;
  const ended: Child = { ...rest, share: null, progress: report !== null && isSuccessful(report) ? 'ok' : 'failed' };
  if (delegation === null) return replaceChild(state, call, ended);
  const hasFailed = report?.outcome === 'failure' || silentEnd?.status === 'timeout';
  const canRetry = hasFailed && state.stop === null && child.attempt < delegation.attempts;
  if (canRetry && isSafe) return replaceChild(state, call, toNextAttempt(child), child.chainId);
  const name = getChildAgent(delegation, child);
  const result =
    report === null ? renderUnreadChild(name, silentEnd) : renderChildReport(name, delegation.sees, report);
  const observation = canRetry ? `${toValueText(result)}\n\n${notRestartedText}` : result;
  const { content } = clipObservation(observation, agent.maxObservationTokens);
  return replaceChild(state, call, { ...ended, observation: content });
}

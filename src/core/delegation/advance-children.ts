/**
 * What becomes of the chains of a call that delegates: each ends in what the model is told of it.
 *
 * 1. Every chain that was begun is settled once, however it ended (state/budget-tree.ts).
 * 2. A chain that an earlier run of this one had begun is not begun again by itself (complete-delegation.ts).
 * 3. L5: one that failed is begun anew only where it is known that neither it nor any below it made an unsafe call.
 * 4. What a sub-chain comes to never ends its parent: it is an observation (L4).
 */

import { asText } from '../lib/json.js';
import type { AgentSnapshot } from '../model/agent.js';
import type { Child, ChildEnd, ChildReport } from '../model/child.js';
import type { PendingCall, State } from '../model/state.js';
import { type Advance, emit } from '../state/advance.js';
import { settleChild } from '../state/budget-tree.js';
import {
  agentOf,
  childOf,
  type DelegatingCall,
  delegating,
  delegationOf,
  nextAttempt,
  withChild,
} from '../state/children.js';
import { clip } from '../state/observation.js';
import { withCall } from '../state/step.js';
import { isGood, notAnew, toldOf, unreadText } from './child-told.js';

export function onChildEnded(state: State, agent: AgentSnapshot, chainId: string, end: ChildEnd): Advance {
  const found = childOf(state, chainId, 'running');
  return emit(found === null ? state : ended(state, agent, found, end));
}

/** @param report null where its history could not be read: what its close said stands, else all that was held counts as used */
export function onChildRead(state: State, agent: AgentSnapshot, chainId: string, report: ChildReport | null): Advance {
  const found = childOf(state, chainId, 'reading');
  return emit(found === null ? state : settled(state, agent, found, report ?? found.child.reported ?? null));
}

/** @param scores in the order of the candidates; none where they could not be scored */
export function onScored(state: State, id: string, scores: readonly (number | null)[]): Advance {
  const call = delegating(state).find((each) => each.id === id && each.judging === 'scoring');
  return emit(call === undefined ? state : withCall(state, { ...call, judging: scores }));
}

/** All that is held for the chains of a call that is left behind counts as used. */
export function abandonChildren(state: State, { children = [] }: PendingCall): State {
  return children.reduce((charged, child) => settleChild(charged, child, null), state);
}

interface Found {
  readonly call: DelegatingCall;
  readonly child: Child;
}

function ended(state: State, agent: AgentSnapshot, found: Found, end: ChildEnd): State {
  const { call, child } = found;
  switch (end.type) {
    case 'reported':
      if (delegationOf(agent, call)?.sees !== 'chain') return settled(state, agent, found, end.report);
      return withChild(state, call, { ...child, progress: 'unread', reported: end.report });
    case 'silent':
      return withChild(state, call, { ...child, progress: 'unread', silent: end });
    case 'exists':
      return notBegun(state, call, { ...child, exists: true }, `${child.chainId} exists already.`);
    case 'not_started':
      return notBegun(state, call, child, `The chain could not be started: ${end.message}`);
  }
}

/** Nothing was begun, so nothing was used. */
function notBegun(state: State, call: DelegatingCall, child: Child, told: string): State {
  return withChild(state, call, { ...child, progress: 'failed', share: null, told });
}

/** Invariant 1. */
function settled(before: State, agent: AgentSnapshot, { call, child }: Found, report: ChildReport | null): State {
  const safe = report !== null && !report.unsafe;
  const charged = settleChild(before, child, report?.charged ?? null);
  const state: State = safe ? charged : { ...charged, unsafe: true };
  const delegation = delegationOf(agent, call);
  const { silent: how, reported: _, ...rest } = child;
  const over: Child = { ...rest, share: null, progress: report !== null && isGood(report) ? 'ok' : 'failed' };
  if (delegation === null) return withChild(state, call, over);
  const named = agentOf(delegation, child);
  const failed = report?.outcome === 'failure' || how?.how === 'timeout';
  const wanted = failed && state.stop === null && child.attempt < delegation.attempts;
  const again = wanted && safe;
  const came = report === null ? unreadText(named, how) : toldOf(named, delegation.sees, report);
  const told = wanted && !safe ? `${asText(came)}\n\n${notAnew}` : came;
  return withChild(
    state,
    call,
    again ? nextAttempt(child) : { ...over, told: clip(told, agent.maxObservationTokens).content },
    child.chainId,
  );
}

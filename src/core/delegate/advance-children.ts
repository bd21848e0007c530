/**
 * What becomes of a call that delegates: chains are begun as the budget and their number allow, each ends in what the
 * model is told of it, and with the last one the call is complete.
 *
 * 1. Every chain that was begun is settled once, however it ended (budget-tree.ts).
 * 2. A chain that an earlier run of this one had begun is not begun again by itself: it may have had effects (L5).
 * 3. What a sub-chain comes to never ends its parent: it is an observation (L4).
 */

import type { AgentSnapshot } from '../agent.js';
import { clip } from '../clip.js';
import type { Entry } from '../entry.js';
import { callsIn } from '../flight.js';
import { type AskRules, openAsk } from '../people/ask.js';
import { askRules } from '../people/ask-rules.js';
import { settleCall, waitForPerson, withCall } from '../settle-call.js';
import type { PendingCall, State } from '../state.js';
import type { Advance } from '../stop.js';
import { heldIn, settleChild, shareFor } from './budget-tree.js';
import { type Child, type ChildEnd, type ChildReport, isOver } from './child.js';
import { isGood, toldOf, toldOfAll } from './child-told.js';
import { atOnceOf, type Delegation, tasksOf } from './delegation.js';
import { byScore, byVote, judgedBy, type Verdict } from './judge.js';

export type DelegatingCall = PendingCall & { readonly children: readonly Child[] };

export function delegating(state: Pick<State, 'flight'>): readonly DelegatingCall[] {
  return callsIn(state).filter((call): call is DelegatingCall => call.children !== undefined);
}

export function delegationOf(agent: AgentSnapshot, { tool }: Pick<PendingCall, 'tool'>): Delegation | null {
  return agent.tools.find(({ name }) => name === tool)?.delegates ?? null;
}

/** The rule that stands behind every fact: begins what may be begun, and completes what has ended. */
export function provideForChildren(before: State): Advance {
  const { agent } = before;
  if (agent === null || delegating(before).length === 0) return { state: before, entries: [] };
  let state = before;
  for (const call of delegating(before))
    if (call.progress === 'asked') state = withCall(state, enlisted(state, agent, call));
  state = state.stop === null ? begun(state, agent) : dropQueued(state);
  return complete(state, agent);
}

/** All that is held for the chains of a call that is left behind counts as used. */
export function abandonChildren(state: State, { children = [] }: PendingCall): State {
  return children.reduce((charged, child) => settleChild(charged, child, null), state);
}

/** Its chains, none begun yet. What a person has sent to be done again is begun under another name. */
function enlisted(state: State, agent: AgentSnapshot, call: DelegatingCall): PendingCall {
  const delegation = delegationOf(agent, call);
  if (delegation === null) return { ...call, progress: 'running' };
  if (call.children.length > 0) {
    const again = call.children.map((child) => (child.exists ? nextAttempt(child) : child));
    return { ...call, progress: 'running', children: again };
  }
  const tasks = tasksOf(delegation, call.input);
  const children = tasks.map((_, index): Child => newChild(state, call, index, delegation.spread.kind === 'one'));
  return { ...call, progress: 'running', children };
}

function newChild({ chainId }: State, { id }: PendingCall, index: number, alone: boolean): Child {
  const name = alone ? `${chainId}/${id}` : `${chainId}/${id}.${index < 0 ? 'judge' : index + 1}`;
  return { chainId: name, index, attempt: 1, progress: 'queued', share: null, begun: null, told: null };
}

function nextAttempt({ chainId, index, attempt }: Child): Child {
  const name = `${chainId.replace(/~\d+$/, '')}~${attempt + 1}`;
  return { chainId: name, index, attempt: attempt + 1, progress: 'queued', share: null, begun: null, told: null };
}

/** Each gets an equal part of what is left, counting those that still wait; with too little, it waits for what comes back. */
function begun(before: State, agent: AgentSnapshot): State {
  let state = before;
  let among = delegating(state).reduce((sum, { children }) => sum + children.filter(isQueued).length, 0);
  for (const { id } of delegating(before)) {
    for (;;) {
      const call = delegating(state).find((each) => each.id === id);
      const next = call?.children.find(isQueued);
      const delegation = call === undefined ? null : delegationOf(agent, call);
      if (call === undefined || next === undefined || delegation === null) break;
      if (call.children.filter(isAtWork).length >= atOnceOf(delegation)) break;
      const share = shareFor(state, agent, delegation, among);
      if (share === null && heldIn(state).length > 0) break;
      among -= 1;
      const asked: Child =
        share === null
          ? { ...next, progress: 'failed', told: tooLittle }
          : { ...next, progress: 'asked', share, begun: null };
      state = withChild(state, call, asked);
    }
  }
  return state;
}

const tooLittle = 'Not begun: what is left of the budget is too little for another chain. Go on with what you have.';

function dropQueued(before: State): State {
  return delegating(before).reduce((state, call) => {
    const children = call.children.map((child) =>
      isQueued(child) || child.progress === 'asked'
        ? { ...child, progress: 'failed' as const, share: null, told: 'Not begun: the chain ended first.' }
        : child,
    );
    const { judging, ...rest } = call;
    const kept = judging === undefined || judging === 'wanted' ? {} : { judging };
    return withCall(state, { ...rest, ...kept, children });
  }, before);
}

export function onChildEnded(state: State, agent: AgentSnapshot, chainId: string, end: ChildEnd): Advance {
  const found = childOf(state, chainId, 'running');
  if (found === null) return { state, entries: [] };
  const { call, child } = found;
  switch (end.type) {
    case 'reported': {
      const sees = delegationOf(agent, call)?.sees;
      if (sees === 'chain') return { state: withChild(state, call, { ...child, progress: 'unread' }), entries: [] };
      return { state: settled(state, agent, found, end.report), entries: [] };
    }
    case 'silent':
      return { state: withChild(state, call, { ...child, progress: 'unread', silent: end }), entries: [] };
    case 'exists':
      return { state: notBegun(state, call, { ...child, exists: true }, `${chainId} exists already.`), entries: [] };
    case 'not_started':
      return { state: notBegun(state, call, child, `The chain could not be started: ${end.message}`), entries: [] };
  }
}

/** @param report null where its history could not be read: then all that was held for it counts as used */
export function onChildRead(state: State, agent: AgentSnapshot, chainId: string, report: ChildReport | null): Advance {
  const found = childOf(state, chainId, 'reading');
  if (found === null) return { state, entries: [] };
  return { state: settled(state, agent, found, report), entries: [] };
}

/** @param scores in the order of the candidates; none where they could not be scored */
export function onScored(state: State, id: string, scores: readonly (number | null)[]): Advance {
  const call = delegating(state).find((each) => each.id === id && each.judging === 'scoring');
  return { state: call === undefined ? state : withCall(state, { ...call, judging: scores }), entries: [] };
}

interface Found {
  readonly call: DelegatingCall;
  readonly child: Child;
}

function childOf(state: State, chainId: string, progress: Child['progress']): Found | null {
  for (const call of delegating(state)) {
    const child = call.children.find((each) => each.chainId === chainId && each.progress === progress);
    if (child !== undefined) return { call, child };
  }
  return null;
}

/** Nothing was begun, so nothing was used. */
function notBegun(state: State, call: DelegatingCall, child: Child, told: string): State {
  return withChild(state, call, { ...child, progress: 'failed', share: null, told });
}

/** Invariant 1. */
function settled(before: State, agent: AgentSnapshot, { call, child }: Found, report: ChildReport | null): State {
  const state = settleChild(before, child, report?.charged ?? null);
  const delegation = delegationOf(agent, call);
  const { silent: how, ...rest } = child;
  const over: Child = { ...rest, share: null, progress: report !== null && isGood(report) ? 'ok' : 'failed' };
  if (delegation === null) return withChild(state, call, over);
  const named = child.index < 0 && delegation.judge?.by === 'agent' ? delegation.judge.agent : delegation.agent;
  const told = report === null ? unread(named, how?.message ?? '') : toldOf(named, delegation.sees, report);
  const failed = report?.outcome === 'failure' || how?.how === 'timeout';
  const again = failed && state.stop === null && child.attempt < delegation.attempts;
  return withChild(
    state,
    call,
    again ? nextAttempt(child) : { ...over, told: clip(told, agent.maxObservationTokens).content },
    child.chainId,
  );
}

function unread(agent: string, message: string): string {
  return `${agent} did not finish: ${message}${message.endsWith('.') ? '' : '.'} What it had found could not be read.`;
}

function complete(before: State, agent: AgentSnapshot): Advance {
  let state = before;
  const entries: Entry[] = [];
  for (const { id } of delegating(before)) {
    const call = delegating(state).find((each) => each.id === id);
    if (call === undefined || call.progress !== 'running' || !call.children.every(isOver)) continue;
    if (call.judging === 'wanted' || call.judging === 'scoring') continue;
    const advanced = completeCall(state, agent, call);
    state = advanced.state;
    entries.push(...advanced.entries);
  }
  return { state, entries };
}

function completeCall(state: State, agent: AgentSnapshot, call: DelegatingCall): Advance {
  const delegation = delegationOf(agent, call);
  const doubtful = call.children.find(({ exists }) => exists);
  if (doubtful !== undefined && state.stop === null) return askAboutEarlier(state, call, doubtful);
  const candidates = call.children.filter(({ progress, index }) => progress === 'ok' && index >= 0);
  const wanted = delegation === null ? 'none' : judgement(state, delegation, call, candidates);
  if (wanted === 'score') return { state: withCall(state, { ...call, judging: 'wanted' }), entries: [] };
  if (wanted === 'agent') return begunToJudge(state, agent, call);
  const content = delegation === null ? null : contentOf(state, delegation, agent, call, candidates);
  const status = candidates.length > 0 ? 'ok' : state.stop === null ? 'error' : 'cancelled';
  const clipped = clip(content, agent.maxObservationTokens);
  return settleCall(state, agent, call, { status, content: clipped.content, clippedFrom: clipped.clippedFrom });
}

/** Whether somebody is still to say which of several is the best. */
function judgement(
  { stop }: State,
  { judge }: Delegation,
  call: DelegatingCall,
  candidates: readonly Child[],
): 'none' | 'score' | 'agent' {
  if (judge === null || stop !== null || candidates.length < 2) return 'none';
  if (judge.by === 'score') return call.judging === undefined ? 'score' : 'none';
  return judge.by === 'agent' && !call.children.some(({ index }) => index < 0) ? 'agent' : 'none';
}

function begunToJudge(state: State, agent: AgentSnapshot, call: DelegatingCall): Advance {
  const judge = newChild(state, call, -1, false);
  const next = begun(withCall(state, { ...call, children: [...call.children, judge] }), agent);
  const now = delegating(next).find(({ id }) => id === call.id);
  return now?.children.every(isOver) ? completeCall(next, agent, now) : { state: next, entries: [] };
}

function contentOf(
  state: State,
  delegation: Delegation,
  { maxObservationTokens }: AgentSnapshot,
  call: DelegatingCall,
  candidates: readonly Child[],
) {
  const of = call.children.filter(({ index }) => index >= 0);
  const [only] = of;
  if (delegation.spread.kind === 'one' && only !== undefined) return only.told;
  const tasks = tasksOf(delegation, call.input);
  const verdict = state.stop === null ? bestOf(delegation, call, candidates) : null;
  if (verdict === null) return { ...toldOfAll(tasks, of, maxObservationTokens) };
  const { best, why } = verdict;
  const beside = delegation.spread.kind === 'branches' ? { hypothesis: tasks[best.index] ?? '' } : {};
  return {
    best: best.told,
    ...beside,
    chain: best.chainId,
    why,
    candidates: `${candidates.length} of ${of.length} answered`,
  };
}

/** A judge that has failed leaves the choice to a vote. */
function bestOf({ judge }: Delegation, call: DelegatingCall, candidates: readonly Child[]): Verdict | null {
  if (judge === null || candidates.length === 0) return null;
  const { judging } = call;
  const said = call.children.find(({ index, progress }) => index < 0 && progress === 'ok');
  const judged = said === undefined ? null : judgedBy(said.told, candidates);
  const scored = typeof judging === 'object' && judging.length > 0 ? byScore(candidates, judging) : null;
  return judged ?? scored ?? byVote(candidates);
}

/** Invariant 2. */
function askAboutEarlier(state: State, call: DelegatingCall, { chainId }: Child): Advance {
  const reason = `The run was reset in Temporal, and the run before had already begun chain ${chainId} for call ${call.id} (${call.tool}). It may have had effects; see \`longhand chain show ${chainId}\`.`;
  const rules: AskRules = askRules({ reason, risk: 'medium' });
  return waitForPerson(state, call, openAsk('outcome', rules, state.now));
}

function isQueued({ progress }: Child): boolean {
  return progress === 'queued';
}

function isAtWork(child: Child): boolean {
  return !isOver(child) && !isQueued(child);
}

function withChild(state: State, call: DelegatingCall, child: Child, was = child.chainId): State {
  const now = delegating(state).find(({ id }) => id === call.id) ?? call;
  const children = now.children.map((each) => (each.chainId === was ? child : each));
  return withCall(state, { ...now, children });
}

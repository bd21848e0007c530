/**
 * A call whose chains have all ended: what its model is told of them. Where one of several answers is to be chosen,
 * somebody is asked first who does that.
 */

import type { Json } from '../lib/json.js';
import type { AgentSnapshot } from '../model/agent.js';
import { type AskRules, openAsk } from '../model/ask.js';
import { type Child, isOver } from '../model/child.js';
import { type Delegation, tasksOf } from '../model/delegation.js';
import type { State } from '../model/state.js';
import { askRules } from '../state/ask-rules.js';
import { type DelegatingCall, delegating, delegationOf, newChild } from '../state/children.js';
import { clip } from '../state/clip.js';
import type { Entry } from '../state/entry.js';
import { settleCall, waitForPerson, withCall } from '../state/settle-call.js';
import type { Advance } from '../state/stop.js';
import { beginQueued } from './begin-queued.js';
import { toldOfAll } from './child-told.js';
import { byScore, byVote, judgedBy, type Verdict } from './judge.js';

export function completeDelegations(before: State, agent: AgentSnapshot): Advance {
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

/** Nobody but a person can say what is to become of what an earlier run began: it may have had effects (L5). */
function askAboutEarlier(state: State, call: DelegatingCall, { chainId }: Child): Advance {
  const reason = `An earlier run of this chain, before a reset in Temporal or under the same id, had already begun chain ${chainId} for call ${call.id} (${call.tool}). It may have had effects; see \`longhand chain show ${chainId}\`.`;
  const rules: AskRules = askRules({ reason, risk: 'medium' });
  return waitForPerson(state, call, openAsk('outcome', rules, state.now));
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
  const next = beginQueued(withCall(state, { ...call, children: [...call.children, judge] }), agent);
  const now = delegating(next).find(({ id }) => id === call.id);
  return now?.children.every(isOver) ? completeCall(next, agent, now) : { state: next, entries: [] };
}

function contentOf(
  { stop }: State,
  delegation: Delegation,
  { maxObservationTokens }: AgentSnapshot,
  call: DelegatingCall,
  candidates: readonly Child[],
): Json {
  const of = call.children.filter(({ index }) => index >= 0);
  const [only] = of;
  if (delegation.spread.kind === 'one' && only !== undefined) return only.told;
  const tasks = tasksOf(delegation, call.input);
  const verdict = stop === null ? bestOf(delegation, call, candidates) : null;
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

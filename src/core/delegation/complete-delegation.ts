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
import { type Advance, applyEach, emit } from '../state/advance.js';
import { askRules } from '../state/ask-rules.js';
import { type DelegatingCall, delegating, delegationOf, newChild } from '../state/children.js';
import { clip } from '../state/observation.js';
import { settleCall, waitForPerson, withCall } from '../state/step.js';
import { toldOfAll } from './child-told.js';
import { byScore, byVote, judgedBy, type Verdict } from './judge.js';

/** Where one of several answers is to be chosen: who is to do it, once all of them are there. */
export function appointJudges(before: State): Advance {
  const { agent } = before;
  if (agent === null || before.stop !== null) return emit(before);
  return emit(ended(before).reduce((state, call) => withJudge(state, agent, call), before));
}

export function completeDelegations(before: State): Advance {
  const { agent } = before;
  if (agent === null) return emit(before);
  return applyEach(before, ended(before), (state, call) => completeCall(state, agent, call));
}

/** The calls of which nothing is still to come. */
function ended(state: State): readonly DelegatingCall[] {
  return delegating(state).filter(
    ({ progress, children, judging }) =>
      progress === 'running' && children.every(isOver) && judging !== 'wanted' && judging !== 'scoring',
  );
}

function withJudge(state: State, agent: AgentSnapshot, call: DelegatingCall): State {
  const judge = delegationOf(agent, call)?.judge ?? null;
  if (judge === null || doubtfulOf(call) !== undefined || candidatesOf(call).length < 2) return state;
  if (judge.by === 'score') return call.judging === undefined ? withCall(state, { ...call, judging: 'wanted' }) : state;
  if (judge.by !== 'agent' || call.children.some(({ index }) => index < 0)) return state;
  return withCall(state, { ...call, children: [...call.children, newChild(state, call, -1, false)] });
}

function completeCall(state: State, agent: AgentSnapshot, call: DelegatingCall): Advance {
  const doubtful = doubtfulOf(call);
  if (doubtful !== undefined && state.stop === null) return askAboutEarlier(state, call, doubtful);
  const delegation = delegationOf(agent, call);
  const candidates = candidatesOf(call);
  const content = delegation === null ? null : contentOf(state, delegation, agent, call, candidates);
  const status = candidates.length > 0 ? 'ok' : state.stop === null ? 'error' : 'cancelled';
  return settleCall(state, agent, call, { status, ...clip(content, agent.maxObservationTokens) });
}

/** An earlier run of the chain may have begun it. */
function doubtfulOf({ children }: DelegatingCall): Child | undefined {
  return children.find(({ exists }) => exists);
}

function candidatesOf({ children }: DelegatingCall): readonly Child[] {
  return children.filter(({ progress, index }) => progress === 'ok' && index >= 0);
}

/** Nobody but a person can say what is to become of what an earlier run began: it may have had effects (L5). */
function askAboutEarlier(state: State, call: DelegatingCall, { chainId }: Child): Advance {
  const reason = `An earlier run of this chain, before a reset in Temporal or under the same id, had already begun chain ${chainId} for call ${call.id} (${call.tool}). It may have had effects; see \`longhand chain show ${chainId}\`.`;
  const rules: AskRules = askRules({ reason, risk: 'medium' });
  return waitForPerson(state, call, openAsk('outcome', rules, state.now));
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

/** Settles a delegating call when all its sub-chains have ended. To choose among several answers, a judge is appointed first. */

import type { Json } from '../../lib/index.js';
import {
  type AgentSnapshot,
  type ChainState,
  type Child,
  createPersonRequest,
  type Delegation,
  hasEnded,
  listTasks,
  type RequestRules,
} from '../../model/index.js';
import { type Advance, applyEach, emit, unchanged } from '../state/advance.js';
import { createChild, type DelegatingCall, findDelegation, isJudge, listDelegatingCalls } from '../state/children.js';
import { clipObservation } from '../state/observation.js';
import { createRequestRules } from '../state/request-rules.js';
import { replaceCall, settleCall, waitForPerson } from '../state/step.js';
import { renderChildResults } from './child-observation.js';
import { type BestCandidate, chooseByScore, chooseByVote, parseJudgeAnswer } from './judge.js';

/** Starts the judging of calls that choose one of several answers, once all of these are known. */
export function appointJudges(before: ChainState): Advance {
  const { agent } = before;
  if (agent === null || before.stop !== null) return unchanged(before);
  return emit(listEndedDelegations(before).reduce((state, call) => addJudge(state, agent, call), before));
}

export function completeDelegations(before: ChainState): Advance {
  const { agent } = before;
  if (agent === null) return unchanged(before);
  return applyEach(before, listEndedDelegations(before), (state, call) => completeDelegation(state, agent, call));
}

/** Delegating calls whose sub-chains have ended and whose judging is not under way. */
function listEndedDelegations(state: ChainState): readonly DelegatingCall[] {
  return listDelegatingCalls(state).filter(
    ({ progress, children, judging }) =>
      progress === 'running' && children.every(hasEnded) && judging !== 'wanted' && judging !== 'scoring',
  );
}

function addJudge(state: ChainState, agent: AgentSnapshot, call: DelegatingCall): ChainState {
  const judge = findDelegation(agent, call)?.judge ?? null;
  if (judge === null || findExistingChild(call) !== undefined || listCandidates(call).length < 2) return state;
  if (judge.by === 'score')
    return call.judging === undefined ? replaceCall(state, { ...call, judging: 'wanted' }) : state;
  if (judge.by !== 'agent' || call.children.some(isJudge)) return state;
  return replaceCall(state, { ...call, children: [...call.children, createChild(state, call, -1, false)] });
}

function completeDelegation(state: ChainState, agent: AgentSnapshot, call: DelegatingCall): Advance {
  const existing = findExistingChild(call);
  if (existing !== undefined && state.stop === null) return requestEarlierOutcome(state, call, existing);
  const delegation = findDelegation(agent, call);
  const candidates = listCandidates(call);
  const content = delegation === null ? null : renderDelegation(state, delegation, agent, call, candidates);
  const status = candidates.length > 0 ? 'ok' : state.stop === null ? 'error' : 'cancelled';
  return settleCall(state, agent, call, { status, ...clipObservation(content, agent.maxObservationTokens) });
}

/** Finds a sub-chain that an earlier run of this chain may have started. */
function findExistingChild({ children }: DelegatingCall): Child | undefined {
  return children.find(({ exists }) => exists);
}

function listCandidates({ children }: DelegatingCall): readonly Child[] {
  return children.filter((child) => child.progress === 'ok' && !isJudge(child));
}

/** Requests a person's decision on a sub-chain of an earlier run: it may have had effects (L5). */
function requestEarlierOutcome(state: ChainState, call: DelegatingCall, { chainId }: Child): Advance {
  const reason = `An earlier run of this chain (before a reset in Temporal, or under the same id) already started chain ${chainId} for call ${call.id} (${call.tool}). It may have had effects: see \`longhand chain show ${chainId}\`.`;
  const rules: RequestRules = createRequestRules({ reason, risk: 'medium' });
  return waitForPerson(state, call, createPersonRequest('outcome', rules, state.now));
}

function renderDelegation(
  { stop }: ChainState,
  delegation: Delegation,
  { maxObservationTokens }: AgentSnapshot,
  call: DelegatingCall,
  candidates: readonly Child[],
): Json {
  const children = call.children.filter((child) => !isJudge(child));
  const [only] = children;
  if (delegation.spread.kind === 'one' && only !== undefined) return only.observation;
  const tasks = listTasks(delegation, call.input);
  const verdict = stop === null ? chooseBest(delegation, call, candidates) : null;
  if (verdict === null) return { ...renderChildResults(tasks, children, maxObservationTokens) };
  const { best, why } = verdict;
  const hypothesis = delegation.spread.kind === 'branches' ? { hypothesis: tasks[best.index] ?? '' } : {};
  return {
    best: best.observation,
    ...hypothesis,
    chain: best.chainId,
    why,
    candidates: `${candidates.length} of ${children.length} answered`,
  };
}

/** Chooses the best candidate. If the judge failed, the vote decides. */
function chooseBest({ judge }: Delegation, call: DelegatingCall, candidates: readonly Child[]): BestCandidate | null {
  if (judge === null || candidates.length === 0) return null;
  const { judging } = call;
  const judgeChain = call.children.find((child) => isJudge(child) && child.progress === 'ok');
  const judged = judgeChain === undefined ? null : parseJudgeAnswer(judgeChain.observation, candidates);
  const scored = typeof judging === 'object' && judging.length > 0 ? chooseByScore(candidates, judging) : null;
  return judged ?? scored ?? chooseByVote(candidates);
}

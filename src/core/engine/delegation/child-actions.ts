/** Decides the actions for delegating calls (start sub-chains, read them, score answers), and begins them. */

import {
  type AgentSnapshot,
  type Branch,
  type ChainInput,
  type ChainState,
  type Child,
  type ChildrenAction,
  currentRules,
  type Delegation,
  getTaskAt,
  isLineage,
  type Lineage,
  listTasks,
  type StartingCall,
  type VisibilitySource,
} from '../../model/index.js';
import {
  type DelegatingCall,
  findDelegation,
  findJudgeAgent,
  isJudge,
  listDelegatingCalls,
} from '../state/children.js';
import { computeWorkedMs } from '../state/flight.js';
import { replaceCall } from '../state/step.js';
import { computeAnswerTokens } from './child-observation.js';
import { renderJudgeTask } from './judge.js';
import { computeMaxDepth } from './validate-delegation.js';

export function decideChildActions(state: ChainState): readonly ChildrenAction[] {
  return [...decideChildStarts(state), ...decideChildReads(state), ...decideScoring(state)];
}

/** Reads ended sub-chains. An ending parent reads them too, for their usage. */
export function decideChildReads(state: ChainState): readonly ChildrenAction[] {
  const { agent } = state;
  if (agent === null) return [];
  const children = listDelegatingCalls(state).flatMap((call) => {
    const delegation = findDelegation(agent, call);
    const sees = delegation?.sees ?? 'answer';
    const max = agent.maxObservationTokens;
    const maxTokens = delegation === null ? max : computeAnswerTokens(delegation, max, call.children.length);
    return call.children.flatMap(({ chainId, progress }) =>
      progress === 'unread' ? [{ chainId, includesTranscript: sees === 'chain', maxTokens }] : [],
    );
  });
  return children.length === 0 ? [] : [{ type: 'readChildren', children }];
}

function decideChildStarts(state: ChainState): readonly ChildrenAction[] {
  const { agent } = state;
  if (agent === null) return [];
  const starts = listDelegatingCalls(state).flatMap((call) =>
    call.children.flatMap((child) => {
      const input = child.progress === 'ready' ? toChildInput(state, agent, call, child) : null;
      return input === null ? [] : [{ chainId: child.chainId, input }];
    }),
  );
  return starts.length === 0 ? [] : [{ type: 'startChildren', starts }];
}

function decideScoring(state: ChainState): readonly ChildrenAction[] {
  return listDelegatingCalls(state).flatMap((call) => {
    if (call.judging !== 'wanted' || state.agent === null) return [];
    const delegation = findDelegation(state.agent, call);
    const tasks = delegation === null ? [] : listTasks(delegation, call.input);
    const candidates = call.children.flatMap(({ progress, index, observation }) =>
      progress === 'ok' && index >= 0 ? [{ task: tasks[index] ?? '', answer: observation }] : [],
    );
    return [{ type: 'score', call: call.id, tool: call.tool, candidates } as const];
  });
}

export function beginChildAction(state: ChainState, action: ChildrenAction): ChainState {
  switch (action.type) {
    case 'startChildren': {
      const start = { at: state.now, workedMs: computeWorkedMs(state) };
      return changeChildren(state, 'ready', (child) => ({ ...child, progress: 'running', start }));
    }
    case 'readChildren':
      return changeChildren(state, 'unread', (child) => ({ ...child, progress: 'reading' }));
    case 'score': {
      const call = listDelegatingCalls(state).find(({ id }) => id === action.call);
      return call === undefined ? state : replaceCall(state, { ...call, judging: 'scoring' });
    }
  }
}

function changeChildren(before: ChainState, from: Child['progress'], change: (child: Child) => Child): ChainState {
  return listDelegatingCalls(before).reduce((state, call) => {
    if (!call.children.some(({ progress }) => progress === from)) return state;
    const children = call.children.map((child) => (child.progress === from ? change(child) : child));
    return replaceCall(state, { ...call, children });
  }, before);
}

/** Returns null if the call's tool does not delegate. */
function toChildInput(state: ChainState, agent: AgentSnapshot, call: DelegatingCall, child: Child): ChainInput | null {
  const delegation = findDelegation(agent, call);
  const { input } = state;
  if (delegation === null || input === null || child.share === null) return null;
  const { tokens: _t, costUsd: _c, timeMs: _m, ...limits } = delegation.limits;
  const judges = findJudgeAgent(delegation, child);
  const isBranch = delegation.spread.kind === 'branches' && judges === null;
  const lineage: Lineage = {
    path: [
      ...(input.lineage?.path ?? []),
      { chainId: state.chainId, agent: agent.name, by: toStartingCall(agent, call) },
    ],
    call: call.id,
    share: child.share,
    maxDepth: computeMaxDepth(state, agent),
    answerTokens: computeAnswerTokens(delegation, agent.maxObservationTokens, call.children.length),
    sensitive: [],
    ...toBranch(state, delegation, call, child),
  };
  return {
    rules: currentRules,
    agent: judges ?? delegation.agent,
    task: getChildTask(state, delegation, call, child),
    ...(isBranch && input.files !== undefined ? { files: input.files } : {}),
    ...(isBranch && input.earlier !== undefined ? { earlier: input.earlier } : {}),
    ...(state.dataClasses.length === 0 ? {} : { dataClasses: state.dataClasses }),
    model: judges === null ? (isBranch ? input.model : null) : (agent.routing?.roles.judge ?? null),
    limits: judges === null ? limits : {},
    tenant: input.tenant,
    user: input.user,
    roles: input.roles,
    lineage,
    ...extendVisibilitySource(input.shownAs, child.chainId, lineage),
  };
}

/** Below a fork of a sub-chain, visibility also depends on the sub-chain's own path. */
function extendVisibilitySource(
  fork: VisibilitySource | undefined,
  chainId: string,
  lineage: Lineage,
): { readonly shownAs?: VisibilitySource } {
  if (fork === undefined || !isLineage(fork.lineage)) return {};
  return { shownAs: { chainId, lineage: { ...lineage, path: [...fork.lineage.path, ...lineage.path] } } };
}

function toStartingCall({ tools }: AgentSnapshot, { id: call, tool }: DelegatingCall): StartingCall {
  const { kind = 'external', view = {} } = tools.find(({ name }) => name === tool) ?? {};
  return { call, tool, view: { kind, ...view } };
}

function getChildTask({ input }: ChainState, delegation: Delegation, call: DelegatingCall, child: Child): string {
  if (isJudge(child)) {
    const candidates = call.children.filter((child) => child.progress === 'ok' && !isJudge(child));
    return renderJudgeTask(listTasks(delegation, call.input), candidates);
  }
  return delegation.spread.kind === 'branches' ? (input?.task ?? '') : getTaskAt(delegation, call.input, child.index);
}

/** Branches start before the step that requests them, which is incomplete. */
function toBranch(
  state: ChainState,
  delegation: Delegation,
  { input }: DelegatingCall,
  { index }: Child,
): { readonly branch?: Branch } {
  if (delegation.spread.kind !== 'branches' || index < 0) return {};
  const hypothesis = getTaskAt(delegation, input, index);
  return { branch: { steps: state.steps - 1, hypothesis } };
}

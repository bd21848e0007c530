/** Builds the reasoning of a chain: each thought, call, request, result, answer and notice is a step, in order. */

import {
  type ChainResult,
  findCall,
  findCallCost,
  findCurrentStep,
  findRetryWait,
  getRequester,
  hasOnlyWaits,
  listControlViews,
  listKnownTools,
  listWaitingCalls,
} from '../engine/index.js';
import {
  type ActivityAttempts,
  type Call,
  type Chain,
  type ChainState,
  computeMaxCallCost,
  computeWaitingMs,
  findEarlier,
  isThreadRef,
  type KnownTool,
  listPathIds,
  type Notice,
  type Plan,
  pickAnsweringModel,
  type Step,
  toStoredParts,
  toUnpricedTokens,
} from '../model/index.js';
import { type RecordedChain, toRecordedResult } from '../record/index.js';
import { findAncestry } from './ancestry.js';
import { toApprovalSteps } from './approval-steps.js';
import { listCallWaits } from './call-waits.js';
import { findAnswerConfidence, findConfidence } from './confidence.js';
import { formatMessage } from './past-text.js';
import type {
  ModelCallStats,
  NoticeStep,
  Reasoning,
  ReasoningState,
  ReasoningStep,
  SynthesisStep,
  ThinkingStep,
  ToolCallStep,
  ToolResultStep,
} from './reasoning.js';
import { listSources } from './sources.js';
import { listSubChains, type SubChainContext, type SubChainProgress, sumSpending, toEndState } from './sub-chain.js';

/** What a reader knows in addition to the chain's facts. */
export interface ReasoningContext {
  /** Attempts of activities, by their ids. */
  readonly attempts: ReadonlyMap<string, ActivityAttempts>;
  /** Null while the chain runs. */
  readonly result: ChainResult | null;
  /** Progress of sub-chains that was read from their own histories, by chain id. */
  readonly subChainProgress: ReadonlyMap<string, SubChainProgress>;
}

export const emptyReasoningContext: ReasoningContext = {
  attempts: new Map(),
  result: null,
  subChainProgress: new Map(),
};

/** Returns the complete reasoning of a recorded chain, for `view` to limit to a viewer. */
export function toReasoning(recorded: Pick<RecordedChain, 'chain' | 'closed' | 'closedAt' | 'attempts'>): Reasoning {
  const { chain, attempts } = recorded;
  return buildReasoning(chain, { ...emptyReasoningContext, attempts, result: toRecordedResult(recorded) });
}

/** @param from first step number; for readers that have the steps before */
export function buildReasoning(
  chain: Chain,
  { attempts, result, subChainProgress }: ReasoningContext = emptyReasoningContext,
  from = 0,
): Reasoning {
  const { state } = chain;
  const children = listSubChainsByCall(chain, { subChainProgress, parentEnded: result !== null }, from);
  const descent = findAncestry(state);
  const waits = result === null ? listCallWaits(state) : [];
  return {
    chainId: state.chainId,
    ...(state.input?.lineage === undefined ? {} : { path: listPathIds(state) }),
    ...(descent === null ? {} : { ancestry: descent }),
    agent: state.input?.agent ?? '',
    agentVersion: state.agent?.version ?? null,
    ...(state.agent?.title === undefined ? {} : { agentTitle: state.agent.title }),
    ...(state.agent?.prompt === undefined ? {} : { agentPrompt: state.agent.prompt }),
    model: state.agent?.model.name ?? state.input?.model ?? '',
    task: state.input?.task ?? '',
    ...(state.input?.metadata === undefined ? {} : { metadata: state.input.metadata }),
    ...(state.input?.files === undefined ? {} : { files: state.input.files }),
    ...getRequester(state),
    ...toThreadMembers(state),
    origin: state.origin === null ? null : { chainId: state.origin.chainId, steps: state.origin.steps },
    state: toReasoningState(state, result),
    currentStep: result === null ? findCurrentStep(state) : null,
    retryWait: result === null ? findRetryWait(state) : null,
    ...(waits.length === 0 ? {} : { waits }),
    outcome: result?.outcome ?? null,
    reason: result?.reason ?? null,
    answer: result?.answer ?? null,
    partial: result?.partial ?? null,
    startedAt: state.startedAt,
    endedAt: result === null ? null : Date.parse(result.endedAt),
    usage: state.usage,
    tokens: state.charged.tokens,
    costUsd: state.charged.usd,
    ...toUnpricedTokens(state),
    ...(state.reservedCharges.calls === 0 ? {} : { reservedCharges: state.reservedCharges }),
    tools: toToolViews(listKnownTools(state)),
    steps: toReasoningSteps(chain, { attempts, ended: result !== null }, from),
    ...(state.plan === null ? {} : { plan: state.plan }),
    ...computeBelow(children),
    children,
  };
}

function toThreadMembers({ input }: ChainState): Pick<Reasoning, 'thread' | 'earlier'> {
  const earlier = findEarlier(input);
  return {
    ...(isThreadRef(input?.thread) ? { thread: input.thread } : {}),
    ...(earlier === null ? {} : { earlier }),
  };
}

function listSubChainsByCall({ state, steps }: Chain, known: SubChainContext, from: number): Reasoning['children'] {
  const calls = steps.slice(Math.max(0, from - 1)).flatMap((step) => step.calls);
  const chainsByCall = calls.map((call) => [call.id, listSubChains(call, state, known)] as const);
  return Object.fromEntries(chainsByCall.filter(([, chains]) => chains.length > 0));
}

function computeBelow(children: Reasoning['children']): Pick<Reasoning, 'below'> {
  const chains = Object.values(children).flat();
  return chains.length === 0 ? {} : { below: sumSpending(chains.flatMap(({ total: whole }) => whole ?? [])) };
}

/** Returns each tool's view by its name; null while the tools are unknown. */
export function toToolViews(tools: readonly KnownTool[] | null): Reasoning['tools'] {
  return tools === null ? null : Object.fromEntries(tools.map(({ name, kind, view }) => [name, { kind, ...view }]));
}

function toReasoningState(state: ChainState, result: ChainResult | null): ReasoningState {
  if (result !== null) return toEndState(result.outcome);
  const { flight, agent, stop, paused } = state;
  // Nothing follows but the end: the outcome is decided.
  const isOver = stop !== null && flight.kind === 'idle' && (agent === null || !stop.closing);
  if (isOver) return toEndState(stop.outcome);
  if (listWaitingCalls(state).length > 0 || hasOnlyWaits(state)) return 'waiting';
  if (flight.kind === 'calls') return 'tool_calling';
  if (agent === null) return 'waiting';
  // At the end of a run, the next model call is the first of the next run.
  const isBetweenRuns = flight.kind === 'idle' && stop === null && paused === null;
  return flight.kind === 'model' || isBetweenRuns ? 'thinking' : 'waiting';
}

interface StepContext {
  readonly attempts: ReasoningContext['attempts'];
  readonly ended: boolean;
}

function toReasoningSteps(chain: Chain, { attempts, ended }: StepContext, from: number): readonly ReasoningStep[] {
  const tools = listTools(chain);
  const steps: ReasoningStep[] = [];
  const notices = listNoticeDrafts(chain).filter(({ step }) => step >= from);
  const numbered = new Map<number, number>();
  const takeNotices = (until: number) => {
    while (notices[0] !== undefined && notices[0].step <= until) {
      const next = notices.shift() as NoticeDraft;
      const nth = (numbered.get(next.step) ?? 0) + 1;
      numbered.set(next.step, nth);
      const { step: number, code: notice, ...rest } = next;
      steps.push({ kind: 'notice', id: `${number}n${nth}`, number, notice, ...rest });
    }
  };
  const first = Math.max(0, from - 1);
  let before = chain.steps[first - 1]?.modelCall ?? 0;
  for (const step of chain.steps.slice(first)) {
    takeNotices(step.number - 1);
    steps.push(...toReplySteps(step, chain, countAttempts(step, before)));
    for (const call of step.calls) {
      const toolCallStep = toToolCallStep(call, chain, tools, attempts.get(call.id) ?? null);
      steps.push(toolCallStep, ...toApprovalSteps(call, { ...toolCallStep, now: chain.state.now, ended }));
    }
    steps.push(...step.calls.flatMap((call) => toToolResultSteps(call, chain, tools)));
    before = step.modelCall;
  }
  takeNotices(Number.POSITIVE_INFINITY);
  return steps;
}

function listTools({ state }: Chain): readonly KnownTool[] {
  return [...(listKnownTools(state) ?? []), ...listControlViews(state.agent?.strategy)];
}

/** Notices of the chain and messages of people, between the steps. */
type NoticeDraft = Omit<Notice, 'code'> & { readonly code: NoticeStep['notice'] };

function listNoticeDrafts({ notices, messages }: Chain): NoticeDraft[] {
  const fromPeople = messages.map((message): NoticeDraft => {
    return { code: 'message', text: formatMessage(message), step: message.afterStep, at: message.at };
  });
  return fromPeople.length === 0
    ? [...notices]
    : [...notices, ...fromPeople].sort((a, b) => a.step - b.step || a.at - b.at);
}

/** Returns a thought, an answer, or both. A reply with calls alone is a thought without text. */
function toReplySteps(step: Step, chain: Chain, attempts: number): readonly ReasoningStep[] {
  const { number, thought, problem, answer, usage, costUsd, startedAt, endedAt: at } = step;
  const charged = step.charged === undefined ? {} : { charged: step.charged };
  const durationMs = at - startedAt;
  const called = { kind: 'llm', call: `model-${step.modelCall}`, ...pickAnsweringModel(step) } as const;
  const modelCall: ModelCallStats = { ...called, usage, costUsd, ...charged, durationMs, attempts };
  const confidence = findConfidence(thought);
  const thinking: ThinkingStep = {
    kind: 'thinking',
    id: `${number}`,
    number,
    at,
    thought,
    problem,
    ...(problem === null ? {} : { reply: [...step.pausedContent, ...(step.received ?? step.content)] }),
    confidence,
    modelCall,
  };
  if (answer === null) return [thinking];
  const synthesis = (stats: ModelCallStats | null): SynthesisStep => ({
    kind: 'synthesis',
    id: `${number}a`,
    number,
    at,
    conclusion: answer,
    ...(step.repairs === undefined ? {} : { repairs: step.repairs }),
    sources: listSources(answer, chain.state.input?.task ?? '', listStepsBefore(chain, number)),
    confidence: findAnswerConfidence(answer, chain.state.agent),
    modelCall: stats,
  });
  if (thought === null) return [synthesis(modelCall)];
  return [thinking, synthesis(null)];
}

/** By their numbers: a chain that was read from the start of a run lacks steps. */
function listStepsBefore({ steps }: Chain, before: number): readonly Step[] {
  return steps.filter(({ number }) => number < before);
}

/** Model calls are counted over the chain: those since the step before were attempts at this one. */
function countAttempts(step: Step, before: number): number {
  return Math.max(1, step.modelCall - before);
}

function toToolCallStep(
  call: Call,
  chain: Chain,
  tools: readonly KnownTool[],
  attempts: ActivityAttempts | null,
): ToolCallStep {
  const { id, tool, input, changedFrom, status, startedAt, task } = call;
  const visibility = findAnswering(call, chain).visibility;
  const cost = computeMaxCallCost(findCallCost(chain.state.agent, call), input);
  return {
    kind: 'tool_call',
    id,
    number: Number.parseInt(id, 10),
    at: startedAt,
    correlationId: id,
    tool,
    toolKind: findToolKind(tools, tool),
    input,
    ...(changedFrom === undefined ? {} : { changedFrom }),
    status,
    attempts,
    ...(task === undefined ? {} : { task, ...findTaskText(chain, Number.parseInt(id, 10), task) }),
    ...(cost === null ? {} : { cost }),
    ...(visibility === undefined ? {} : { visibility: { level: visibility.level } }),
  };
}

/** Looks in the plan as it was: a later revision may drop the task, or describe it differently. */
function findTaskText({ state, steps }: Chain, number: number, task: string): Pick<ToolCallStep, 'taskText'> {
  const has = (plan: Plan | null | undefined) => plan?.tasks.find(({ id }) => id === task);
  const before = steps.findLast((step) => step.number <= number && has(step.plan) !== undefined);
  const taskText = has(before?.plan ?? state.plan)?.description;
  return taskText === undefined ? {} : { taskText };
}

function toToolResultSteps(call: Call, chain: Chain, tools: readonly KnownTool[]): readonly ToolResultStep[] {
  const { id, tool, status, clippedFrom, reusedFrom, endedAt } = call;
  if (status === 'pending' || endedAt === null) return [];
  const { visibility } = findAnswering(call, chain);
  return [
    {
      kind: 'tool_result',
      id: `${id}r`,
      number: Number.parseInt(id, 10),
      at: endedAt,
      correlationId: id,
      tool,
      toolKind: findToolKind(tools, tool),
      status,
      observation: findAnswering(call, chain).observation,
      clippedFrom,
      reusedFrom,
      ...toStoredParts(call),
      ...(call.charges === undefined ? {} : { charges: call.charges }),
      ...(visibility === undefined ? {} : { visibility }),
      durationMs: reusedFrom === null ? computeRunMs(call, endedAt) : null,
    },
  ];
}

/** Returns the call whose result is shown: a reused call shows an earlier one's. */
function findAnswering(call: Call, { steps }: Chain): Pick<Call, 'observation' | 'visibility'> {
  return call.reusedFrom === null ? call : (findCall(steps, call.reusedFrom) ?? { observation: null });
}

/** Returns null for a call that a person answered or denied: it did not run. */
function computeRunMs(call: Call, endedAt: number): number | null {
  const ms = endedAt - call.startedAt - computeWaitingMs(call);
  return call.requests !== undefined && ms <= 0 ? null : ms;
}

function findToolKind(tools: readonly KnownTool[], tool: string): string {
  return tools.find(({ name }) => name === tool)?.kind ?? 'external';
}

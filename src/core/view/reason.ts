/** Makes a chain readable: each thought, call, request, result, answer and notice a step of its own, in their order. */

import type { ChainResult } from '../engine/result.js';
import { isObject, type Json } from '../lib/json.js';
import type { Attempts } from '../model/activity.js';
import type { Call, Chain, Notice, Step } from '../model/chain.js';
import { keptOf } from '../model/kept.js';
import { pathOf } from '../model/lineage.js';
import type { KnownTool } from '../model/origin.js';
import type { State } from '../model/state.js';
import { waiting } from '../state/asks-due.js';
import { controlTools } from '../state/control-tools.js';
import { knownTools } from '../state/forked.js';
import { approvalSteps, waitedMs } from './approval-steps.js';
import { descentOf } from './descent.js';
import type {
  NoticeStep,
  Reasoning,
  ReasoningState,
  ReasoningStep,
  Spoken,
  SynthesisStep,
  ToolCallStep,
  ToolResultStep,
} from './reasoning.js';
import { type KnownBelow, type Looked, subChainsOf, sumOf } from './sub-chain.js';

/** What a reader knows besides the chain's facts. */
export interface Beside {
  /** Attempts of activities, by their ids. */
  readonly attempts: ReadonlyMap<string, Attempts>;
  /** Null while the chain runs. */
  readonly result: ChainResult | null;
  /** What was seen of sub-chains in their own histories, by their ids. */
  readonly looked: ReadonlyMap<string, Looked>;
}

export const nothingBeside: Beside = { attempts: new Map(), result: null, looked: new Map() };

/** @param from only the steps from this number on: for who knows those before */
export function reason(chain: Chain, { attempts, result, looked }: Beside = nothingBeside, from = 0): Reasoning {
  const { state } = chain;
  const children = childrenOf(chain, { looked, over: result !== null }, from);
  const descent = descentOf(state);
  return {
    chainId: state.chainId,
    ...(state.input?.lineage === undefined ? {} : { path: pathOf(state) }),
    ...(descent === null ? {} : { descent }),
    agent: state.input?.agent ?? '',
    model: state.agent?.model.name ?? state.input?.model ?? '',
    task: state.input?.task ?? '',
    tenant: state.input?.tenant ?? null,
    user: state.input?.user ?? null,
    origin: state.origin === null ? null : { chainId: state.origin.chainId, steps: state.origin.steps },
    state: stateOf(state, result),
    outcome: result?.outcome ?? null,
    reason: result?.reason ?? null,
    answer: result?.answer ?? null,
    partial: result?.partial ?? null,
    startedAt: state.startedAt,
    endedAt: result === null ? null : Date.parse(result.endedAt),
    usage: state.usage,
    tokens: state.spent.tokens,
    costUsd: state.spent.usd,
    tools: toolViews(knownTools(state)),
    steps: stepsOf(chain, { attempts, ended: result !== null }, from),
    ...(state.plan === null ? {} : { plan: state.plan }),
    ...belowOf(children),
    children,
  };
}

function childrenOf({ state, steps }: Chain, known: KnownBelow, from: number): Reasoning['children'] {
  const calls = steps.slice(Math.max(0, from - 1)).flatMap((step) => step.calls);
  const found = calls.map((call) => [call.id, subChainsOf(call, state, known)] as const);
  return Object.fromEntries(found.filter(([, chains]) => chains.length > 0));
}

function belowOf(children: Reasoning['children']): Pick<Reasoning, 'below'> {
  const chains = Object.values(children).flat();
  return chains.length === 0 ? {} : { below: sumOf(chains.flatMap(({ whole }) => whole ?? [])) };
}

/** How each tool is shown, by its name; null where nobody knows the tools yet. */
export function toolViews(tools: readonly KnownTool[] | null): Reasoning['tools'] {
  return tools === null ? null : Object.fromEntries(tools.map(({ name, view }) => [name, view]));
}

function stateOf(state: State, result: ChainResult | null): ReasoningState {
  if (result !== null) return result.outcome === 'success' || result.outcome === 'custom' ? 'completed' : 'failed';
  const { flight, agent } = state;
  if (waiting(state).length > 0) return 'waiting';
  if (flight.kind === 'calls') return 'tool_calling';
  return flight.kind === 'model' && agent !== null ? 'thinking' : 'waiting';
}

interface Ways {
  readonly attempts: Beside['attempts'];
  readonly ended: boolean;
}

function stepsOf(chain: Chain, { attempts, ended }: Ways, from: number): readonly ReasoningStep[] {
  const tools = toolsIn(chain);
  const steps: ReasoningStep[] = [];
  const notices = told(chain).filter(({ step }) => step >= from);
  const numbered = new Map<number, number>();
  const takeNotices = (until: number) => {
    while (notices[0] !== undefined && notices[0].step <= until) {
      const next = notices.shift() as Told;
      const nth = (numbered.get(next.step) ?? 0) + 1;
      numbered.set(next.step, nth);
      const { step: number, at, kind: notice, text } = next;
      steps.push({ kind: 'notice', id: `${number}n${nth}`, number, at, notice, text });
    }
  };
  const first = Math.max(0, from - 1);
  let before = chain.steps[first - 1]?.modelCall ?? 0;
  for (const step of chain.steps.slice(first)) {
    takeNotices(step.number - 1);
    steps.push(...saidIn(step, chain, attemptsAt(step, before)));
    for (const call of step.calls) {
      const asked = callOf(call, step, tools, attempts.get(call.id) ?? null);
      steps.push(asked, ...approvalSteps(call, { ...asked, now: chain.state.now, ended }));
    }
    steps.push(...step.calls.flatMap((call) => resultOf(call, chain, tools)));
    before = step.modelCall;
  }
  takeNotices(Number.POSITIVE_INFINITY);
  return steps;
}

/** By a plan there are also those that tell of it. */
function toolsIn({ state }: Chain): readonly KnownTool[] {
  const known = knownTools(state) ?? [];
  return state.planning === null ? known : [...known, ...planTools];
}

const planTools: readonly KnownTool[] = controlTools.map((name) => ({ name, view: { kind: 'plan' } }));

/** What stands between steps: what became of the chain, and what people said to it. */
type Told = Omit<Notice, 'kind'> & { readonly kind: NoticeStep['notice'] };

function told({ notices, messages }: Chain): Told[] {
  const said = messages.map(({ by, text, afterStep: step, at }): Told => {
    return { kind: 'message', text: `${by ?? 'The user'}: ${text}`, step, at };
  });
  return said.length === 0 ? [...notices] : [...notices, ...said].sort((a, b) => a.step - b.step || a.at - b.at);
}

/** A thought, an answer, or both; a reply that only calls is a thought without words. */
function saidIn(step: Step, chain: Chain, attempts: number): readonly ReasoningStep[] {
  const { number, thought, problem, answer, model, usage, costUsd, startedAt, endedAt: at } = step;
  const charged = step.charged === undefined ? {} : { charged: step.charged };
  const spoken: Spoken = { model, usage, costUsd, ...charged, durationMs: at - startedAt, attempts };
  if (answer === null) return [{ kind: 'thinking', id: `${number}`, number, at, thought, problem, spoken }];
  const synthesis = (said: Spoken | null): SynthesisStep => ({
    kind: 'synthesis',
    id: `${number}a`,
    number,
    at,
    conclusion: answer,
    sources: sourcesOf(step, chain),
    confidence: confidenceIn(answer),
    spoken: said,
  });
  if (thought === null) return [synthesis(spoken)];
  return [{ kind: 'thinking', id: `${number}`, number, at, thought, problem, spoken }, synthesis(null)];
}

const good: ReadonlySet<Call['status']> = new Set(['ok', 'reused', 'answered']);

/** The results that were there when the step was said. */
function sourcesOf({ number }: Step, { steps }: Chain): readonly string[] {
  const calls = steps.slice(0, number - 1).flatMap((step) => step.calls);
  return calls.filter(({ status }) => good.has(status)).map(({ id }) => `${id}r`);
}

/** Calls of the model are counted over the chain: those since the step before were attempts at this one. */
function attemptsAt(step: Step, before: number): number {
  return Math.max(1, step.modelCall - before);
}

function callOf(call: Call, { number }: Step, tools: readonly KnownTool[], attempts: Attempts | null): ToolCallStep {
  const { id, tool, input, changedFrom, status, startedAt: at, task } = call;
  return {
    kind: 'tool_call',
    id,
    number,
    at,
    correlationId: id,
    tool,
    toolKind: kindOf(tools, tool),
    input,
    ...(changedFrom === undefined ? {} : { changedFrom }),
    status,
    attempts,
    ...(task === undefined ? {} : { task }),
  };
}

function resultOf(call: Call, chain: Chain, tools: readonly KnownTool[]): readonly ToolResultStep[] {
  const { id, tool, status, clippedFrom, reusedFrom, endedAt } = call;
  if (status === 'pending' || endedAt === null) return [];
  return [
    {
      kind: 'tool_result',
      id: `${id}r`,
      number: Number.parseInt(id, 10),
      at: endedAt,
      correlationId: id,
      tool,
      toolKind: kindOf(tools, tool),
      status,
      observation: reusedFrom === null ? call.observation : observationOf(chain, reusedFrom),
      clippedFrom,
      reusedFrom,
      ...keptOf(call),
      durationMs: reusedFrom === null ? ranMs(call, endedAt) : null,
    },
  ];
}

/** What people decided without running it took no time but theirs. */
function ranMs(call: Call, endedAt: number): number | null {
  const ms = endedAt - call.startedAt - waitedMs(call);
  return call.requests !== undefined && ms <= 0 ? null : ms;
}

function observationOf({ steps }: Chain, id: string): Json {
  const step = steps[Number.parseInt(id, 10) - 1];
  return step?.calls.find((call) => call.id === id)?.observation ?? null;
}

function kindOf(tools: readonly KnownTool[], tool: string): string {
  return tools.find(({ name }) => name === tool)?.view.kind ?? 'external';
}

function confidenceIn(answer: Json): number | null {
  const value = isObject(answer) ? answer.confidence : null;
  return typeof value === 'number' && value >= 0 && value <= 1 ? value : null;
}

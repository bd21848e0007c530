/** Makes a chain readable: each thought, call, result, answer and notice a step of its own, in the order they came. */

import type { AgentSnapshot } from './agent.js';
import type { Call, Chain, Notice, Step } from './chain.js';
import { isObject, type Json } from './json.js';
import type {
  Attempts,
  Reasoning,
  ReasoningState,
  ReasoningStep,
  Spoken,
  SynthesisStep,
  ToolCallStep,
  ToolResultStep,
} from './reasoning.js';
import type { ChainResult } from './result.js';
import type { State } from './state.js';

/** What a reader knows besides the chain's facts. */
export interface Beside {
  /** Attempts of activities, by their ids. */
  readonly attempts: ReadonlyMap<string, Attempts>;
  /** Null while the chain runs. */
  readonly result: ChainResult | null;
  readonly children: Reasoning['children'];
}

export const nothingBeside: Beside = { attempts: new Map(), result: null, children: {} };

export function reason(chain: Chain, { attempts, result, children }: Beside = nothingBeside): Reasoning {
  const { state } = chain;
  return {
    chainId: state.chainId,
    agent: state.input?.agent ?? '',
    model: state.agent?.model.name ?? state.input?.model ?? '',
    task: state.input?.task ?? '',
    tenant: state.input?.tenant ?? null,
    user: state.input?.user ?? null,
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
    steps: stepsOf(chain, attempts),
    children,
  };
}

function stateOf({ flight, agent }: State, result: ChainResult | null): ReasoningState {
  if (result !== null) return result.outcome === 'success' || result.outcome === 'custom' ? 'completed' : 'failed';
  if (flight.kind === 'calls') return 'tool_calling';
  return flight.kind === 'model' && agent !== null ? 'thinking' : 'waiting';
}

function stepsOf(chain: Chain, attempts: Beside['attempts']): readonly ReasoningStep[] {
  const agent = chain.state.agent;
  const steps: ReasoningStep[] = [];
  const sources: string[] = [];
  const notices = [...chain.notices];
  const numbered = new Map<number, number>();
  const takeNotices = (until: number) => {
    while (notices[0] !== undefined && notices[0].step <= until) {
      const next = notices.shift() as Notice;
      const nth = (numbered.get(next.step) ?? 0) + 1;
      numbered.set(next.step, nth);
      const { step: number, at, kind: notice, text } = next;
      steps.push({ kind: 'notice', id: `${number}n${nth}`, number, at, notice, text });
    }
  };
  let before = 0;
  for (const step of chain.steps) {
    takeNotices(step.number - 1);
    const results = step.calls.flatMap((call) => resultOf(call, chain, agent));
    steps.push(...saidIn(step, sources, attemptsAt(step, before)));
    steps.push(...step.calls.map((call) => callOf(call, step, agent, attempts.get(call.id) ?? null)), ...results);
    sources.push(...results.filter(({ status }) => status === 'ok' || status === 'reused').map(({ id }) => id));
    before = step.modelCall;
  }
  takeNotices(Number.POSITIVE_INFINITY);
  return steps;
}

/** A thought, an answer, or both; a reply that only calls is a thought without words. */
function saidIn(step: Step, sources: readonly string[], attempts: number): readonly ReasoningStep[] {
  const { number, thought, problem, answer, model, usage, costUsd, startedAt, endedAt: at } = step;
  const spoken: Spoken = { model, usage, costUsd, durationMs: at - startedAt, attempts };
  if (answer === null) return [{ kind: 'thinking', id: `${number}`, number, at, thought, problem, spoken }];
  const synthesis = (said: Spoken | null): SynthesisStep => ({
    kind: 'synthesis',
    id: `${number}a`,
    number,
    at,
    conclusion: answer,
    sources: [...sources],
    confidence: confidenceIn(answer),
    spoken: said,
  });
  if (thought === null) return [synthesis(spoken)];
  return [{ kind: 'thinking', id: `${number}`, number, at, thought, problem, spoken }, synthesis(null)];
}

/** Calls of the model are counted over the chain: those since the step before were attempts at this one. */
function attemptsAt(step: Step, before: number): number {
  return Math.max(1, step.modelCall - before);
}

function callOf(call: Call, { number }: Step, agent: AgentSnapshot | null, attempts: Attempts | null): ToolCallStep {
  const { id, tool, input, status, startedAt: at } = call;
  return {
    kind: 'tool_call',
    id,
    number,
    at,
    correlationId: id,
    tool,
    toolKind: kindOf(agent, tool),
    input,
    status,
    attempts,
  };
}

function resultOf(call: Call, chain: Chain, agent: AgentSnapshot | null): readonly ToolResultStep[] {
  const { id, tool, status, clippedFrom, reusedFrom, startedAt, endedAt } = call;
  if (status === 'pending' || endedAt === null) return [];
  return [
    {
      kind: 'tool_result',
      id: `${id}r`,
      number: Number.parseInt(id, 10),
      at: endedAt,
      correlationId: id,
      tool,
      toolKind: kindOf(agent, tool),
      status,
      observation: reusedFrom === null ? call.observation : observationOf(chain, reusedFrom),
      clippedFrom,
      reusedFrom,
      durationMs: reusedFrom === null ? endedAt - startedAt : null,
    },
  ];
}

function observationOf({ steps }: Chain, id: string): Json {
  const step = steps[Number.parseInt(id, 10) - 1];
  return step?.calls.find((call) => call.id === id)?.observation ?? null;
}

function kindOf(agent: AgentSnapshot | null, tool: string): string {
  return agent?.tools.find(({ name }) => name === tool)?.view?.kind ?? 'external';
}

function confidenceIn(answer: Json): number | null {
  const value = isObject(answer) ? answer.confidence : null;
  return typeof value === 'number' && value >= 0 && value <= 1 ? value : null;
}

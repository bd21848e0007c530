/** A chain as a ReAct trace: thought, action, observation, step by step. */

import { findCall } from '../engine/index.js';
import { type Json, toIsoTime } from '../lib/index.js';
import { type Call, type Chain, formatStop, hasAnswer, hasResult, type Step, type Usage } from '../model/index.js';

/** A call, or the answer that ends the chain. */
export type TraceAction = { readonly tool: string; readonly input: Json } | { readonly answer: Json };

export interface TraceObservation {
  /** Null for a call that has not ended. */
  readonly content: Json;
  /** Whether the call failed, was denied or did not run: `content` is the reason. */
  readonly isError: boolean;
}

export interface TraceStep {
  readonly iteration: number;
  readonly thought: string | null;
  /** The calls; in the last step of a chain with an answer, then the answer. */
  readonly actions: readonly TraceAction[];
  /** In the order of the calls. */
  readonly observations: readonly TraceObservation[];
  /** ISO 8601: start of the model call; end of the last call. */
  readonly startedAt: string;
  readonly endedAt: string;
  /** Milliseconds from start to end. */
  readonly durationMs: number;
  readonly usage: Usage;
}

export interface Trace {
  readonly steps: readonly TraceStep[];
  readonly totalIterations: number;
  readonly answer: Json;
  /** Null while the chain runs. */
  readonly outcome: string | null;
  /** Why the chain ended, in a sentence; null while it runs. */
  readonly terminationReason: string | null;
  /** Milliseconds from the chain's start to its last fact. */
  readonly durationMs: number;
  readonly usage: Usage;
}

/**
 * Returns the iterations of a chain: thought, action, observation, times and tokens. Complete: nothing in it is masked.
 * @example
 * const chain = await handle.read();
 * for (const step of buildTrace(chain).steps) console.log(step);
 */
export function buildTrace({ state, steps }: Chain): Trace {
  const { stop } = state;
  const answers = stop !== null && hasAnswer(stop.outcome) ? [{ answer: stop.answer }] : [];
  return {
    steps: steps.map((step, at) => toTraceStep(step, steps, at === steps.length - 1 ? answers : [])),
    totalIterations: state.steps,
    answer: stop?.answer ?? null,
    outcome: stop?.outcome ?? null,
    terminationReason: stop === null ? null : formatStop(stop),
    durationMs: Math.max(0, state.now - state.startedAt),
    usage: state.usage,
  };
}

function toTraceStep(step: Step, steps: Chain['steps'], answers: readonly TraceAction[]): TraceStep {
  const { number: iteration, thought, calls, startedAt, usage } = step;
  const endedAt = Math.max(step.endedAt, ...calls.map((call) => call.endedAt ?? 0));
  return {
    iteration,
    thought,
    actions: [...calls.map(({ tool, input }) => ({ tool, input })), ...answers],
    observations: calls.map((call) => toObservation(call, steps)),
    startedAt: toIsoTime(startedAt),
    endedAt: toIsoTime(endedAt),
    durationMs: Math.max(0, endedAt - startedAt),
    usage,
  };
}

function toObservation({ status, observation, reusedFrom }: Call, steps: Chain['steps']): TraceObservation {
  const content = reusedFrom === null ? observation : (findCall(steps, reusedFrom)?.observation ?? null);
  return { content, isError: status !== 'pending' && !hasResult(status) };
}

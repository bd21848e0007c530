/** A chain as a ReAct trace: thought, action, observation, step by step. */

import { findCall } from '../engine/index.js';
import { type Json, toIsoTime } from '../lib/index.js';
import type { Call, Chain, Step, Usage } from '../model/index.js';

export interface TraceStep {
  readonly iteration: number;
  readonly thought: string | null;
  readonly actions: readonly { readonly tool: string; readonly input: Json }[];
  /** In the order of the actions; null for an action without an observation yet. */
  readonly observations: readonly Json[];
  /** ISO 8601: start of the model call; end of the last call. */
  readonly startedAt: string;
  readonly endedAt: string;
  /** Milliseconds from start to end. */
  readonly durationMs: number;
  readonly usage: Usage;
}

export interface Trace {
  readonly steps: readonly TraceStep[];
  readonly answer: Json;
  readonly outcome: string | null;
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
  return {
    steps: steps.map((step) => toTraceStep(step, steps)),
    answer: state.stop?.answer ?? null,
    outcome: state.stop?.outcome ?? null,
    durationMs: Math.max(0, state.now - state.startedAt),
    usage: state.usage,
  };
}

function toTraceStep(step: Step, steps: Chain['steps']): TraceStep {
  const { number: iteration, thought, calls, startedAt, usage } = step;
  const endedAt = Math.max(step.endedAt, ...calls.map((call) => call.endedAt ?? 0));
  return {
    iteration,
    thought,
    actions: calls.map(({ tool, input }) => ({ tool, input })),
    observations: calls.map((call) => findObservation(call, steps)),
    startedAt: toIsoTime(startedAt),
    endedAt: toIsoTime(endedAt),
    durationMs: Math.max(0, endedAt - startedAt),
    usage,
  };
}

function findObservation(call: Call, steps: Chain['steps']): Json {
  if (call.reusedFrom === null) return call.observation;
  return findCall(steps, call.reusedFrom)?.observation ?? null;
}

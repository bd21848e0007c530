/** A chain as a ReAct trace: thought, action, observation, step by step. */

import type { Json } from '../lib/json.js';
import type { Call, Chain } from '../model/chain.js';
import type { Usage } from '../model/model.js';
import { findCall } from '../state/observation.js';

export interface TraceStep {
  readonly iteration: number;
  readonly thought: string | null;
  readonly actions: readonly { readonly tool: string; readonly input: Json }[];
  /** In the order of the actions; null for an action without an observation yet. */
  readonly observations: readonly Json[];
  /** ISO 8601: start of the model call; end of the last call. */
  readonly startedAt: string;
  readonly endedAt: string;
  readonly usage: Usage;
}

export interface Trace {
  readonly steps: readonly TraceStep[];
  readonly answer: Json;
  readonly outcome: string | null;
  readonly usage: Usage;
}

/**
 * Returns the iterations of a chain: thought, action, observation, times and tokens.
 * @example
 * const { chain } = await handle.describe();
 * for (const step of buildTrace(chain).steps) console.log(step);
 */
export function buildTrace({ state, steps }: Chain): Trace {
  return {
    steps: steps.map((step) => ({
      iteration: step.number,
      thought: step.thought,
      actions: step.calls.map(({ tool, input }) => ({ tool, input })),
      observations: step.calls.map((call) => findObservation(call, steps)),
      startedAt: toIsoTime(step.startedAt),
      endedAt: toIsoTime(Math.max(step.endedAt, ...step.calls.map((call) => call.endedAt ?? 0))),
      usage: step.usage,
    })),
    answer: state.stop?.answer ?? null,
    outcome: state.stop?.outcome ?? null,
    usage: state.usage,
  };
}

function findObservation(call: Call, steps: Chain['steps']): Json {
  if (call.reusedFrom === null) return call.observation;
  return findCall(steps, call.reusedFrom)?.observation ?? null;
}

function toIsoTime(at: number): string {
  return new Date(at).toISOString();
}

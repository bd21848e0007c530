/**
 * The sinks by which a workflow reports its steps and its end to its worker, for hooks. No content of the chain. Best effort:
 * a lost worker loses its reports, and a repeated workflow task reports again.
 */

import type { ChainResult } from '../core/engine/index.js';
import {
  type AnsweringModel,
  type ChainState,
  pickAnsweringModel,
  type Step,
  type Usage,
} from '../core/model/index.js';

/** The chain of an event. */
export interface EventPlace {
  readonly chainId: string;
  readonly agent: string;
  readonly tenant: string | null;
}

/** A reply of the model was read as a step. Its calls have not been executed yet. */
export interface StepEvent extends EventPlace, AnsweringModel {
  readonly step: number;
  /** `unreadable`: the reply broke the agent's format. */
  readonly reply: 'calls' | 'answer' | 'thought' | 'unreadable';
  /** Tools of its calls, in the order of the reply; `unknown` for a name that no tool of the agent has. */
  readonly tools: readonly string[];
  readonly usage: Usage;
  /** US dollars charged for the reply; null without a price. */
  readonly costUsd: number | null;
  /** Milliseconds from the decision to call the model to its reply. */
  readonly durationMs: number;
}

/** A chain ended by itself. */
export interface EndEvent
  extends EventPlace,
    Pick<ChainResult, 'outcome' | 'reasonCode' | 'steps' | 'usage' | 'costUsd' | 'durationMs'> {}

/** A type, since the SDK requires an index signature. */
export type EventSinks = {
  longhandEvents: { stepAdded: (event: StepEvent) => void; chainEnded: (event: EndEvent) => void };
};

export function toStepEvent(state: ChainState, step: Step): StepEvent {
  const { calls, answer, problem, usage, costUsd } = step;
  // A name that no tool has is text of the model.
  const known = new Set(state.agent?.tools.map(({ name }) => name));
  const reply = problem !== null ? 'unreadable' : calls.length > 0 ? 'calls' : answer === null ? 'thought' : 'answer';
  return {
    ...toPlace(state),
    ...{ step: step.number, reply, tools: calls.map(({ tool }) => (known.has(tool) ? tool : 'unknown')) },
    ...{ ...pickAnsweringModel(step), usage, costUsd },
    durationMs: Math.max(0, step.endedAt - step.startedAt),
  };
}

export function toEndEvent(state: ChainState, result: ChainResult): EndEvent {
  const { outcome, reasonCode, steps, usage, costUsd, durationMs } = result;
  return { ...toPlace(state), outcome, reasonCode, steps, usage, costUsd, durationMs };
}

function toPlace({ chainId, agent, input }: ChainState): EventPlace {
  return { chainId, agent: agent?.name ?? input?.agent ?? '', tenant: input?.tenant ?? null };
}

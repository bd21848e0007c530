/**
 * A chain as people read it: what was thought, asked for, observed and concluded, one after the other.
 * `reason.ts` makes it from a chain, `view.ts` shows as much of it as a viewer may see (L8).
 */

import type { ToolView } from './agent.js';
import type { CallStatus, Notice } from './chain.js';
import type { Json } from './json.js';
import type { Usage } from './model.js';
import type { Outcome } from './state.js';

/** What an activity went through, as its history tells. Lies beside the facts: no digest knows of it. */
export interface Attempts {
  /** How often it was begun; 0 while it waits for a worker. */
  readonly made: number;
  /** Milliseconds since 1970 at which the last attempt began; null before. */
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  /** The identity of the worker that made the last attempt. */
  readonly worker: string | null;
  /** Of the last attempt that failed, or null. */
  readonly lastFailure: string | null;
  readonly scheduledEventId: number;
  readonly endedEventId: number | null;
}

/** What has become of a tool call; a call that waits or runs is `pending`. */
export type ReasoningStatus = CallStatus;

interface Common {
  /** `3` for a thought, `3.1` for a call, `3.1r` for its result, `3a` for an answer, `3n1` for a notice. */
  readonly id: string;
  /** The chain's step, from 1; parallel calls and their results share it. 0 before the first. */
  readonly number: number;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/** What a call of the model took. On the thought, or, where nothing was thought, on the answer. */
export interface Spoken {
  readonly model: string;
  readonly usage: Usage;
  readonly costUsd: number | null;
  /** Milliseconds from the request to the reply, retries and their waits included. */
  readonly durationMs: number;
  /** Attempts at the model call; the failed ones have a notice each. */
  readonly attempts: number;
}

export interface ThinkingStep extends Common {
  readonly kind: 'thinking';
  readonly thought: string | null;
  /** What could not be read in the reply, or null. */
  readonly problem: string | null;
  readonly spoken: Spoken;
}

export interface ToolCallStep extends Common {
  readonly kind: 'tool_call';
  /** Links the call and its result; also the id of its activity. */
  readonly correlationId: string;
  readonly tool: string;
  /** As the tool says: `external` where it says nothing. */
  readonly toolKind: string;
  readonly input: Json;
  readonly status: ReasoningStatus;
  /** Null where no activity was made for it: refused, reused, not run, or not known to this reader. */
  readonly attempts: Attempts | null;
}

export interface ToolResultStep extends Common {
  readonly kind: 'tool_result';
  readonly correlationId: string;
  readonly tool: string;
  readonly toolKind: string;
  readonly status: ReasoningStatus;
  /** What the model was shown. Of a reused call, the earlier observation. */
  readonly observation: Json;
  /** Bytes of the whole, where this is a part. */
  readonly clippedFrom: number | null;
  /** Id of the call that answered this one, or null. */
  readonly reusedFrom: string | null;
  readonly durationMs: number | null;
}

export interface SynthesisStep extends Common {
  readonly kind: 'synthesis';
  readonly conclusion: Json;
  /** Ids of the results that were there to draw on. */
  readonly sources: readonly string[];
  /** From 0 to 1, where the answer carries a `confidence` of its own; else null. */
  readonly confidence: number | null;
  /** Null where a thought stands before it and carries what the call took. */
  readonly spoken: Spoken | null;
}

export interface NoticeStep extends Common {
  readonly kind: 'notice';
  /** `message` is what a person said; the others, what became of the chain. */
  readonly notice: Notice['kind'] | 'message';
  readonly text: string;
}

export type ReasoningStep = ThinkingStep | ToolCallStep | ToolResultStep | SynthesisStep | NoticeStep;

export type StepKind = ReasoningStep['kind'];

export type ReasoningState = 'thinking' | 'tool_calling' | 'waiting' | 'completed' | 'failed';

export interface Reasoning {
  readonly chainId: string;
  readonly agent: string;
  readonly model: string;
  readonly task: string;
  readonly tenant: string | null;
  readonly user: string | null;
  /** Where it was forked: its first steps are those of another chain, and cost nothing here. */
  readonly origin: { readonly chainId: string; readonly steps: number } | null;
  readonly state: ReasoningState;
  readonly outcome: Outcome | 'terminated' | null;
  readonly reason: string | null;
  readonly answer: Json;
  readonly partial: string | null;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly usage: Usage;
  readonly tokens: number;
  readonly costUsd: number | null;
  /** What the agent's tools say of how they are shown, by their names; null where the agent is not known. */
  readonly tools: { readonly [tool: string]: ToolView } | null;
  readonly steps: readonly ReasoningStep[];
  /** Sub-chains by the correlation id of the call that began each. */
  readonly children: { readonly [correlationId: string]: Reasoning };
}

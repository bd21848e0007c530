/**
 * What a chat shows of a chain, in the order of its stream. Both protocols encode these parts, so they show the same. The
 * parts come from a view: they contain only what the viewer may see (L8).
 */

import type { Json, JsonObject } from '../../core/lib/index.js';
import type { CallStatus, RequestKind, Risk } from '../../core/model/index.js';
import type { ChildStatus, PlanView, ReasoningView } from '../../core/view/index.js';

/** Charges of the chain so far. */
export interface ChatCost {
  readonly tokens: number;
  /** US dollars; null without a price. */
  readonly costUsd: number | null;
}

/** A request that the caller may decide. */
export interface ChatRequest {
  readonly call: string;
  readonly kind: Exclude<RequestKind, 'outcome'>;
  readonly tool: string;
  /** As visible: the arguments of the call, or the question. */
  readonly input: Json;
  readonly digest: string;
  readonly reason: string | null;
  readonly risk: Risk;
  /** The question's own; null for an approval. */
  readonly question: ChatQuestion | null;
  /** Milliseconds since 1970; null for never. */
  readonly expiresAt: number | null;
}

export interface ChatQuestion {
  readonly text: string;
  /** Answers to choose from; empty for any. */
  readonly options: readonly string[];
  /** JSON Schema of the answer; null for any text. */
  readonly schema: JsonObject | null;
}

export type ChatPart =
  | { readonly type: 'step-started'; readonly step: number }
  | { readonly type: 'step-finished'; readonly step: number }
  /** Tokens of a reply under way: of an answer, as far as known. `raw`: of a text protocol, in which thoughts and calls are text too. */
  | { readonly type: 'draft-started'; readonly id: string; readonly raw: boolean }
  | { readonly type: 'draft-added'; readonly id: string; readonly text: string }
  /** The recorded step confirms the draft. `rest` is what its tokens lack. */
  | {
      readonly type: 'draft-confirmed';
      readonly id: string;
      readonly as: 'answer' | 'thought';
      readonly text: string;
      readonly rest: string;
    }
  /** The model call failed, or the recorded step is another one than its tokens: the draft is to be removed. */
  | { readonly type: 'draft-discarded'; readonly id: string }
  | { readonly type: 'thought'; readonly id: string; readonly text: string }
  | { readonly type: 'answer'; readonly id: string; readonly text: string }
  /** Again when a person changed its arguments. */
  | {
      readonly type: 'call';
      readonly call: string;
      readonly tool: string;
      readonly input: Json;
      readonly line: string | null;
    }
  | { readonly type: 'requested'; readonly request: ChatRequest }
  /** An approval was decided, by a person or by time. */
  | {
      readonly type: 'decided';
      readonly call: string;
      /** Null if the viewer sees a line only. */
      readonly digest: string | null;
      readonly approved: boolean;
      readonly reason: string | null;
    }
  | { readonly type: 'interim'; readonly call: string; readonly value: Json }
  /** `denied`: a person denied the call after a request for approval. */
  | {
      readonly type: 'result';
      readonly call: string;
      readonly status: CallStatus;
      readonly denied: boolean;
      readonly observation: Json;
    }
  | { readonly type: 'notice'; readonly id: string; readonly code: string; readonly text: string }
  | { readonly type: 'plan'; readonly plan: PlanView }
  | { readonly type: 'cost'; readonly cost: ChatCost }
  | { readonly type: 'sub-chain'; readonly child: ChildStatus }
  /** The chain waits for the caller: the stream ends here, and continues with the answer. */
  | { readonly type: 'suspended'; readonly cost: ChatCost; readonly requests: readonly ChatRequest[] }
  | { readonly type: 'ended'; readonly view: ReasoningView };

/** The prompt of a model call, as it was sent: rebuilt from the chain, and compared with the digest in the reply's fact. */

import type { ModelFailureKind } from './failure-kind.js';
import type { ModelRequest } from './model.js';
import type { ModelCallPurpose } from './state.js';

/** A model call: the number of the step that its reply became, or its id, `model-4`. */
export type ModelCallRef = number | string;

/** Digests of a request: SHA-256 over its canonical JSON. */
export interface RequestDigests {
  /** Of the request that was sent; null if no reply has one. */
  readonly sent: string | null;
  readonly rebuilt: string;
}

export interface SentPrompt {
  readonly kind: 'sent';
  /** The chain that made the call: for the first steps of a fork, its origin. */
  readonly chainId: string;
  /** `model-4` */
  readonly call: string;
  /** `closing`: the call to sum up. It and an aside, such as `observer`, are not steps. */
  readonly purpose: ModelCallPurpose;
  /** The step that the call was made for; for a closing call, the last one. */
  readonly step: number;
  /** Null if no reply names it. */
  readonly provider: string | null;
  /** The model that was requested. */
  readonly model: string;
  readonly maxTokens: number;
  readonly request: ModelRequest;
  /**
   * `proven`: the rebuilt request is the one that was sent. `differs`: it is not; another version of Longhand rendered
   * it. `unproven`: the call has no reply.
   */
  readonly proof: 'proven' | 'differs' | 'unproven';
  /** Null for a viewer for whom a part is masked: a digest would confirm guesses of it. */
  readonly digests: RequestDigests | null;
  /** Why the call has no reply; null with a reply, and while it runs. */
  readonly failure: ModelFailureKind | null;
}

/** No request was sent, or none can be rebuilt. */
export interface MissingPrompt {
  readonly kind: 'missing';
  readonly chainId: string;
  readonly call: string;
  readonly step: number;
  /**
   * `plan_reused`: the plan of an earlier chain replaced the call. `check_ended`: the agent's check ended the chain before.
   */
  readonly reason: 'plan_reused' | 'check_ended';
}

export type Prompt = SentPrompt | MissingPrompt;

/** The seam between a chain and whoever answers for a model. The Messages wire is behind it, and nothing else. */

import type { ModelSnapshot } from '../core/model/agent.js';
import type { ModelFailure } from '../core/model/fact.js';
import type { ModelRequest, Reply } from '../core/model/model.js';

export interface ModelCall {
  readonly request: ModelRequest;
  readonly model: ModelSnapshot;
  /** Output tokens that this call may use; what the budget pays for, at most the model's own. */
  readonly maxTokens: number;
}

export interface ModelCallOptions {
  /** Aborts the request; the result is then a failure of kind `cancelled`. */
  readonly signal: AbortSignal;
  /** Called with each piece of text as it is spoken. Must not throw. */
  readonly onText?: (delta: string) => void;
}

export type ModelCallResult =
  | { readonly ok: true; readonly reply: Reply }
  | { readonly ok: false; readonly failure: ModelFailure };

export interface ModelProvider {
  /** Whose models these are, for people: `anthropic`, or a server's host. */
  readonly name: string;
  /**
   * One attempt: it never retries by itself.
   * Contract: never throws or rejects, and settles soon after `signal` aborts; whatever goes wrong is a failure.
   */
  readonly call: (call: ModelCall, options: ModelCallOptions) => Promise<ModelCallResult>;
}

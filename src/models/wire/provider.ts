/** Interface between chains and model providers. */

import type {
  FileRule,
  ModelFailure,
  ModelRequest,
  ModelSnapshot,
  Reply,
  Reservation,
  StructuredOutput,
} from '../../core/model/index.js';

export interface ModelCall {
  readonly request: ModelRequest;
  /** The bytes of the request's files, by their digests. Absent if it has none. */
  readonly files?: ReadonlyMap<string, Uint8Array>;
  readonly model: ModelSnapshot;
  /** Most output tokens of this call, as reserved; at most the model's own limit. */
  readonly maxTokens: number;
}

/** For whom a call is made. */
export interface ModelCaller {
  readonly agent: string;
  readonly chainId: string;
  readonly tenant: string | null;
}

/** A call of a chain, as budgets and rates see it. */
export interface SpentCall {
  /** Unique for each attempt. */
  readonly id: string;
  /** The same in all attempts of a chain at one call. */
  readonly ticket: string;
  /** The most that it may use. */
  readonly reserved: Reservation;
  /**
   * At a rate. `queue`: it is made again after a rejection, and keeps its place by its ticket. `wait`: it waits a while. `none`: another
   * endpoint may take it at once.
   */
  readonly patience: 'queue' | 'wait' | 'none';
  /** Called with each alert of a budget. Must not throw. */
  readonly onBudgetAlert?: (text: string) => void;
}

export interface ModelCallOptions {
  /** Aborts the request; the result is then a failure of kind `cancelled`. */
  readonly signal: AbortSignal;
  /** The same for all calls of a chain, so that a provider can keep them where its prompt cache is. Absent for a single call. */
  readonly conversation?: string;
  /** Absent for a call that no chain makes. */
  readonly caller?: ModelCaller;
  /** What the call may use, for budgets and rates. Absent for a call that no chain makes. */
  readonly spent?: SpentCall;
  /** Called with each piece of text as it streams. Must not throw. */
  readonly onText?: (delta: string) => void;
}

export type ModelCallResult =
  | { readonly ok: true; readonly reply: Reply }
  | { readonly ok: false; readonly failure: ModelFailure };

export interface ModelProvider {
  /**
   * Unique among the providers of a worker, and stored with each chain: a worker without a provider of this name leaves the
   * chain to others. So it stays the same when the address of the server changes.
   */
  readonly name: string;
  /** The ids of its models, for a provider that has only these. */
  readonly models?: readonly string[];
  /** The files that its requests can carry. Absent: none; models then read descriptions. */
  readonly files?: readonly FileRule[];
  /**
   * The requests that may carry an output schema and strict tools, for models whose entry in the price map has
   * `supports_response_schema`. Absent: none.
   */
  readonly structuredOutput?: StructuredOutput;
  /**
   * Counts the input tokens of a call without making it, free of charge. Null, or an error, where it cannot: its bytes are
   * the bound then. Absent for a provider that never can.
   */
  readonly countTokens?: (call: ModelCall, options: Pick<ModelCallOptions, 'signal'>) => Promise<number | null>;
  /** Replaces its endpoints, for a provider that balances over several. Absent for one that is an endpoint itself. */
  readonly mapEndpoints?: (replace: (endpoint: ModelProvider) => ModelProvider) => ModelProvider;
  /**
   * Makes one attempt, without retries. Contract: never throws or rejects, and settles soon after `signal` aborts;
   * every problem is returned as a failure. It does not change the call: the chain's next request has the same messages.
   */
  readonly call: (call: ModelCall, options: ModelCallOptions) => Promise<ModelCallResult>;
}

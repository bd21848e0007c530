/** What measures the calls of a chain. Activities know this seam and nothing of who is behind it. */

import type { ModelSnapshot } from '../core/model/agent.js';
import type { Chain } from '../core/model/chain.js';
import type { ModelFailure, Observation } from '../core/model/fact.js';
import type { ModelRequest, Reply } from '../core/model/model.js';

export interface ChatCall {
  /** As it stood when the call was decided on. */
  readonly chain: Chain;
  readonly agent: string;
  /** Whose model it is: `anthropic`, or a server's host. */
  readonly provider: string;
  readonly asked: {
    readonly request: ModelRequest;
    readonly model: Pick<ModelSnapshot, 'name' | 'temperature'>;
    readonly maxTokens: number;
  };
}

export type ChatResult =
  | { readonly ok: true; readonly reply: Reply }
  | { readonly ok: false; readonly failure: ModelFailure };

export interface ToolCall {
  readonly chainId: string;
  readonly agent: string;
  readonly tool: string;
  /** The call's id in the chain: `3.1`. */
  readonly call: string;
  /** The chain as it stands, with this call in it; asked for where content is recorded, and nowhere else. */
  readonly chain: () => Promise<Chain>;
}

/** What became of runs that are to be archived. */
export type ArchiveNews =
  | { readonly type: 'archived' | 'failed' }
  /** So many wait for it. */
  | { readonly type: 'backlog'; readonly runs: number };

/** Contract: gives back, or throws, just what it was given to do, and fails nothing by failing itself. */
export interface Instruments {
  /** Around one attempt at a call of the model. */
  readonly chat: <R extends ChatResult>(call: ChatCall, send: () => Promise<R>) => Promise<R>;
  /** Around one attempt at a tool's call. */
  readonly tool: (call: ToolCall, run: () => Promise<Observation>) => Promise<Observation>;
  readonly archive: (news: ArchiveNews) => void;
}

export const noInstruments: Instruments = {
  chat: (_call, send) => send(),
  tool: (_call, run) => run(),
  archive: () => {},
};

/**
 * Telemetry for the rest of Longhand, on or off. Activities know `Instruments` alone, and nothing of OpenTelemetry.
 */

import type { WorkflowClientInterceptor } from '@temporalio/client';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { ChainEnd } from '../contract/tracing.js';
import type { ModelSnapshot } from '../core/model/agent.js';
import type { Chain } from '../core/model/chain.js';
import type { ModelFailure, Observation } from '../core/model/fact.js';
import type { ModelRequest, Reply } from '../core/model/model.js';
import type { VisibilityConfig } from '../core/view/visibility.js';

export interface MeasuredModelCall {
  /** As it stood when the call was decided on. */
  readonly chain: Chain;
  readonly agent: string;
  /** Whose model it is: `anthropic`, or a server's host. */
  readonly provider: string;
  readonly modelCall: {
    readonly request: ModelRequest;
    readonly model: Pick<ModelSnapshot, 'name' | 'temperature'>;
    readonly maxTokens: number;
  };
}

export type MeasuredResult =
  | { readonly ok: true; readonly reply: Reply }
  | { readonly ok: false; readonly failure: ModelFailure };

export interface MeasuredToolCall {
  readonly chainId: string;
  readonly agent: string;
  readonly tool: string;
  /** The call's id in the chain: `3.1`. */
  readonly call: string;
  /** The chain as it stands, with this call in it; asked for where content is recorded, and nowhere else. */
  readonly chain: () => Promise<Chain>;
}

/** What became of runs that are to be archived. */
export type ArchiveEvent =
  | { readonly type: 'archived' | 'failed' }
  /** So many wait for it. */
  | { readonly type: 'backlog'; readonly runs: number };

/** Contract: gives back, or throws, just what it was given to do, and fails nothing by failing itself. */
export interface Instruments {
  /** Around one attempt at a call of the model. */
  readonly measureModelCall: <R extends MeasuredResult>(call: MeasuredModelCall, send: () => Promise<R>) => Promise<R>;
  /** Around one attempt at a tool's call. */
  readonly measureToolCall: (call: MeasuredToolCall, run: () => Promise<Observation>) => Promise<Observation>;
  readonly recordArchiving: (news: ArchiveEvent) => void;
}

export const noInstruments: Instruments = {
  measureModelCall: (_call, send) => send(),
  measureToolCall: (_call, run) => run(),
  recordArchiving: () => {},
};

export interface TelemetryOptions {
  /** By which rules content is shown, where it is sent: as a developer sees it. */
  readonly visibility: VisibilityConfig;
  /** Told of what cannot be sent. Default: a line on standard error. */
  readonly warn: WarnFunction;
}

export interface Telemetry {
  readonly instruments: Instruments;
  /** For Temporal's client: a chain starts under the span that starts it. */
  readonly client: readonly WorkflowClientInterceptor[];
  /** For Temporal's worker: what an activity does is below its chain. */
  readonly activity: readonly ActivityInterceptorsFactory[];
  readonly chainEnded: (chainId: string, end: ChainEnd) => void;
  /** Sends what has not been sent yet, for a few seconds at most. Never rejects. */
  readonly flush: () => Promise<void>;
}

export const noTelemetry: Telemetry = {
  instruments: noInstruments,
  client: [],
  activity: [],
  chainEnded: () => {},
  flush: async () => {},
};

export type WarnFunction = (text: string) => void;

/** Told apart by how they begin: the rest is often a stack, or a time. */
const comparedChars = 80;
const reportedWarnings = new Set<string>();

/** Reports each complaint once in a process: the ones about a dead collector would never end. */
export function warnOnce(warn: WarnFunction, text: string): void {
  const line = text.replace(/\s+/g, ' ').slice(0, 400);
  if (reportedWarnings.has(line.slice(0, comparedChars))) return;
  reportedWarnings.add(line.slice(0, comparedChars));
  warn(`OpenTelemetry: ${line}`);
}

/** Telemetry for the rest of Longhand, on or off. Activities use only `Instruments`, nothing of OpenTelemetry. */

import type { WorkflowClientInterceptor } from '@temporalio/client';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { ChainEnd, FoldRead } from '../contract/index.js';
import type { Chain, ModelFailure, ModelRequest, ModelSnapshot, Observation, Reply } from '../core/model/index.js';
import type { VisibilityConfig } from '../core/view/index.js';
import type { LoopBlock } from '../timing/index.js';

export interface MeasuredModelCall {
  /** The chain when the call was decided; null for a model that a tool asks: the tool's span has the content. */
  readonly chain: Chain | null;
  readonly chainId: string;
  readonly agent: string;
  /** The reply is from the cache: no model is asked. Absent otherwise. */
  readonly cached?: true;
  /** Name of the provider that is called. */
  readonly provider: string;
  readonly modelCall: {
    readonly request: ModelRequest;
    readonly model: Pick<ModelSnapshot, 'id' | 'temperature'>;
    readonly maxTokens: number;
  };
}

export type MeasuredResult =
  | { readonly ok: true; readonly reply: Reply }
  | { readonly ok: false; readonly failure: ModelFailure };

export interface MeasuredToolCall {
  readonly chainId: string;
  readonly agent: string;
  readonly tenant: string | null;
  readonly step: number;
  readonly tool: string;
  /** The call's id in the chain: `3.1`. */
  readonly call: string;
  /** From 1. */
  readonly attempt: number;
  /** Reads the chain with this call; used only if content is recorded. */
  readonly chain: () => Promise<Chain>;
}

/** Events of archiving. */
export type ArchiveEvent =
  | { readonly type: 'archived' | 'failed' }
  /** Number of queued runs. */
  | { readonly type: 'backlog'; readonly runs: number };

/** Measures calls. Contract: returns or throws exactly the result of the given work, even if measuring fails. */
export interface Instruments {
  /** Measures one attempt at a model call. */
  readonly measureModelCall: <R extends MeasuredResult>(call: MeasuredModelCall, send: () => Promise<R>) => Promise<R>;
  /** Measures one attempt at a tool call. */
  readonly measureToolCall: (call: MeasuredToolCall, run: () => Promise<Observation>) => Promise<Observation>;
  readonly recordArchiving: (event: ArchiveEvent) => void;
  readonly recordLoopBlock: (block: LoopBlock) => void;
  readonly recordFold: (read: FoldRead) => void;
  /** Counts an alert of a budget, by the window. */
  readonly recordBudgetAlert: (budget: { readonly per: string }) => void;
}

export const noInstruments: Instruments = {
  measureModelCall: (_call, send) => send(),
  measureToolCall: (_call, run) => run(),
  recordArchiving: () => {},
  recordLoopBlock: () => {},
  recordFold: () => {},
  recordBudgetAlert: () => {},
};

export interface TelemetryOptions {
  /** Visibility rules for content, as a developer sees it. */
  readonly visibility: VisibilityConfig;
  /** Receives problems with sending. Default: prints a line to standard error. */
  readonly warn: WarnFunction;
}

/** An ended chain, with what its worker knows in addition to the workflow. */
export interface EndedChain extends ChainEnd {
  readonly chainId: string;
  /** Name of the worker's provider; null with several, of which a chain may call any. */
  readonly provider: string | null;
}

export interface Telemetry {
  readonly instruments: Instruments;
  /** For Temporal's client: a chain's span is below the span that starts it. */
  readonly client: readonly WorkflowClientInterceptor[];
  /** For Temporal's worker: an activity's spans are below its chain's span. */
  readonly activity: readonly ActivityInterceptorsFactory[];
  readonly chainEnded: (ended: EndedChain) => void;
  /** Reports the number of held chains with the metrics of this process. Returns a function that ends it. */
  readonly observeHeldChains: (count: () => Promise<number>) => () => void;
  /** Sends pending data, for a few seconds at most. Never rejects. */
  readonly flush: () => Promise<void>;
}

export const noTelemetry: Telemetry = {
  instruments: noInstruments,
  client: [],
  activity: [],
  chainEnded: () => {},
  observeHeldChains: () => () => {},
  flush: async () => {},
};

export type WarnFunction = (text: string) => void;

/** Compared characters of a warning: the rest is often a stack or a time. */
const comparedChars = 80;
const reportedWarnings = new Set<string>();

/** Reports each warning once per process: those about an unreachable collector would never end. */
export function warnOnce(warn: WarnFunction, text: string): void {
  const line = text.replace(/\s+/g, ' ').slice(0, 400);
  if (reportedWarnings.has(line.slice(0, comparedChars))) return;
  reportedWarnings.add(line.slice(0, comparedChars));
  warn(`OpenTelemetry: ${line}`);
}

/** What the rest of Longhand sees of telemetry, on or off. */

import type { WorkflowClientInterceptor } from '@temporalio/client';
import type { ActivityInterceptorsFactory } from '@temporalio/worker';
import type { ChainEnd } from '../contract/tracing.js';
import type { VisibilityConfig } from '../core/view/visibility.js';
import { type Instruments, noInstruments } from './instruments.js';
import type { Warn } from './say-once.js';

export interface TelemetryOptions {
  /** By which rules content is shown, where it is sent: as a developer sees it. */
  readonly visibility: VisibilityConfig;
  /** Told of what cannot be sent. Default: a line on standard error. */
  readonly warn: Warn;
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

/** Ids that are random, but for the span of a chain: its id is known before it is written. */

import { type IdGenerator, RandomIdGenerator } from '@opentelemetry/sdk-trace-base';
import type { ChainIds } from '../contract/tracing.js';

export class PlannedIds implements IdGenerator {
  private readonly random = new RandomIdGenerator();
  private planned: ChainIds | null = null;

  generateTraceId = (): string => this.planned?.traceId ?? this.random.generateTraceId();
  generateSpanId = (): string => this.planned?.spanId ?? this.random.generateSpanId();

  /** What `make` starts gets these ids; it must start one span, and not wait. */
  use<T>(ids: ChainIds, make: () => T): T {
    this.planned = ids;
    try {
      return make();
    } finally {
      this.planned = null;
    }
  }
}

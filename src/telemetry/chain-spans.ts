/**
 * The span of a chain, `invoke_agent`. No process holds it open while the chain lives, which may be for weeks on many
 * machines: its id follows from the run's, so that spans can lie below it before it is written. The process that sees the
 * chain's end writes it.
 */

import { type Context, propagation, ROOT_CONTEXT, type Span, type SpanContext, type Tracer } from '@opentelemetry/api';
import { type IdGenerator, RandomIdGenerator } from '@opentelemetry/sdk-trace-base';
import type { ChainEnd, ChainTraceIds, TraceContext } from '../contract/tracing.js';
import { markFailed, attributes as names, operations, ownAttributes, toUsageAttributes } from './conventions.js';

export class ChainSpans {
  constructor(
    private readonly tracer: Tracer,
    private readonly ids: PlannedIdGenerator,
  ) {}

  /** What the span of a chain that was not started under another will be; the sampler says whether it will be kept. */
  getContext(ids: ChainTraceIds): SpanContext {
    // Never ended, and so never sent.
    return this.start('', null, ids).spanContext();
  }

  recordEnd(chainId: string, end: ChainEnd): void {
    const span = this.start(end.agent, end.parent, end.ids, end.startedAt);
    span.setAttributes({
      [names.operation]: operations.agent,
      [names.agent]: end.agent,
      [names.conversation]: chainId,
      [ownAttributes.outcome]: end.outcome,
      ...(end.usage === null ? {} : toUsageAttributes(end.usage)),
    });
    if (end.outcome === 'failure' || end.outcome === 'refused') markFailed(span, end.outcome);
    span.end();
  }

  private start(agent: string, parent: TraceContext | null, ids: ChainTraceIds, startTime?: number): Span {
    const above: Context = parent === null ? ROOT_CONTEXT : propagation.extract(ROOT_CONTEXT, parent);
    const options = startTime === undefined ? {} : { startTime };
    return this.ids.use(ids, () => this.tracer.startSpan(`${operations.agent} ${agent}`, options, above));
  }
}

/** Random ids, except for the span of a chain: its id is known before it is written. */
export class PlannedIdGenerator implements IdGenerator {
  private readonly random = new RandomIdGenerator();
  private planned: ChainTraceIds | null = null;

  generateTraceId = (): string => this.planned?.traceId ?? this.random.generateTraceId();
  generateSpanId = (): string => this.planned?.spanId ?? this.random.generateSpanId();

  /** What `make` starts gets these ids; it must start one span, and not wait. */
  use<T>(ids: ChainTraceIds, make: () => T): T {
    this.planned = ids;
    try {
      return make();
    } finally {
      this.planned = null;
    }
  }
}

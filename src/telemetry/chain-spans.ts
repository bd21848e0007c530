/**
 * The span of a chain, `invoke_agent`. A chain may live for weeks on many machines, so no process keeps the span open:
 * its id follows from the run's id, and other spans refer to it before it is written. The process that sees the chain's
 * end writes it.
 */

import { type Context, propagation, ROOT_CONTEXT, type Span, type SpanContext, type Tracer } from '@opentelemetry/api';
import { type IdGenerator, RandomIdGenerator } from '@opentelemetry/sdk-trace-base';
import type { ChainTraceIds, TraceContext } from '../contract/index.js';
import {
  markFailed,
  attributes as names,
  operations,
  ownAttributes,
  toUsageAttributes,
  toVersionAttributes,
} from './conventions.js';
import type { EndedChain } from './telemetry.js';

export class ChainSpans {
  constructor(
    private readonly tracer: Tracer,
    private readonly ids: PlannedIdGenerator,
  ) {}

  /** Returns the context of a root chain's future span, with the sampler's decision. */
  getContext(ids: ChainTraceIds): SpanContext {
    // Never ended, so never sent.
    return this.start('', null, ids).spanContext();
  }

  recordEnd(end: EndedChain): void {
    const span = this.start(end.agent, end.parent, end.ids, end.startedAt);
    span.setAttributes({
      [names.operation]: operations.agent,
      ...(end.provider === null ? {} : { [names.provider]: end.provider }),
      [names.agent]: end.agent,
      ...toVersionAttributes(end.agentVersion),
      [names.conversation]: end.chainId,
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

/** Generates random ids, except for a chain's span, whose id is known in advance. */
export class PlannedIdGenerator implements IdGenerator {
  private readonly random = new RandomIdGenerator();
  private planned: ChainTraceIds | null = null;

  generateTraceId = (): string => this.planned?.traceId ?? this.random.generateTraceId();
  generateSpanId = (): string => this.planned?.spanId ?? this.random.generateSpanId();

  /** Gives these ids to the span that `make` starts; it must start one span, synchronously. */
  use<T>(ids: ChainTraceIds, make: () => T): T {
    this.planned = ids;
    try {
      return make();
    } finally {
      this.planned = null;
    }
  }
}

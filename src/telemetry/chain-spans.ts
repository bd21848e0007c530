/**
 * The span of a chain, `invoke_agent`. Nobody holds it open while the chain lives, which may be for weeks on many
 * machines: its id follows from the run's, so that spans can lie below it before it is written, and whoever has the
 * chain's end writes it.
 */

import { type Context, propagation, ROOT_CONTEXT, type Span, type SpanContext, type Tracer } from '@opentelemetry/api';
import type { ChainEnd, ChainIds, TraceContext } from '../contract/tracing.js';
import { attributes as names, operations, ownAttributes } from './conventions.js';
import type { PlannedIds } from './ids.js';
import { failed, usageAttributes } from './span-attributes.js';

export class ChainSpans {
  constructor(
    private readonly tracer: Tracer,
    private readonly ids: PlannedIds,
  ) {}

  /** What the span of a chain that was not started under another will be; the sampler says whether it will be kept. */
  contextOf(ids: ChainIds): SpanContext {
    // Never ended, and so never sent.
    return this.start('', null, ids).spanContext();
  }

  ended(chainId: string, end: ChainEnd): void {
    const span = this.start(end.agent, end.parent, end.ids, end.startedAt);
    span.setAttributes({
      [names.operation]: operations.agent,
      [names.agent]: end.agent,
      [names.conversation]: chainId,
      [ownAttributes.outcome]: end.outcome,
      ...(end.usage === null ? {} : usageAttributes(end.usage)),
    });
    if (end.outcome === 'failure' || end.outcome === 'refused') failed(span, end.outcome);
    span.end();
  }

  private start(agent: string, parent: TraceContext | null, ids: ChainIds, startTime?: number): Span {
    const above: Context = parent === null ? ROOT_CONTEXT : propagation.extract(ROOT_CONTEXT, parent);
    const options = startTime === undefined ? {} : { startTime };
    return this.ids.use(ids, () => this.tracer.startSpan(`${operations.agent} ${agent}`, options, above));
  }
}

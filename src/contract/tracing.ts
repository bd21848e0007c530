/**
 * What ties the spans of a chain into one trace. It travels in headers, which no command depends on: a history
 * written with it is replayed without it, and the other way.
 */

import { defaultPayloadConverter, type Headers } from '@temporalio/common';
import { isObject } from '../core/lib/json.js';
import type { Usage } from '../core/model/model.js';

/** Where Temporal's own interceptors for OpenTelemetry put the context, and look for it. */
const traceHeader = '_tracer-data';

/** W3C's trace context. */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** What the workflow tells its worker when its chain has ended. Nothing of what the chain was about. */
export interface ChainEnd {
  readonly agent: string;
  readonly outcome: string;
  /** Null where the workflow's end carries none: it was cancelled, or failed without a result. */
  readonly usage: Usage | null;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** What the chain was started under; null when whoever started it did not trace. */
  readonly parent: TraceContext | null;
  readonly ids: ChainTraceIds;
}

/** A type and no interface: the SDK asks for one with an index. */
export type TracingSinks = {
  longhandTracing: { ended: (end: ChainEnd) => void };
};

/** The context that a chain or an activity was started under. Anyone can write headers: never throws. */
export function findTraceContext(headers: Headers): TraceContext | null {
  const payload = headers[traceHeader];
  if (payload === undefined) return null;
  try {
    const said: unknown = defaultPayloadConverter.fromPayload(payload);
    if (!isObject(said)) return null;
    const { traceparent, tracestate } = said;
    if (typeof traceparent !== 'string' || !traceparentPattern.test(traceparent)) return null;
    return typeof tracestate === 'string' ? { traceparent, tracestate } : { traceparent };
  } catch {
    return null;
  }
}

export function toTraceHeaders(context: TraceContext): Headers {
  return { [traceHeader]: defaultPayloadConverter.toPayload({ ...context }) };
}

/** The same trace, with the span of the chain in place of the one it was started under. */
export function toChainContext(context: TraceContext, { spanId }: ChainTraceIds): TraceContext {
  return { ...context, traceparent: context.traceparent.replace(traceparentPattern, `$1-$2-${spanId}-$4`) };
}

export interface ChainTraceIds {
  /** The trace of a chain that was not started under another: the run's id. */
  readonly traceId: string;
  readonly spanId: string;
}

/** Made from a run's id, so that whoever knows the run knows its span before that is written, with nothing stored. */
export function toChainTraceIds(runId: string): ChainTraceIds {
  const digits = runId.replaceAll('-', '').toLowerCase();
  const traceId = /^[0-9a-f]{32}$/.test(digits) ? digits : ''.padStart(32, '1');
  return { traceId, spanId: traceId.slice(16) };
}

const traceparentPattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

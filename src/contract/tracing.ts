/**
 * Connects the spans of a chain into one trace, through headers. No command depends on them: a history with headers
 * replays without them, and the reverse.
 */

import { defaultPayloadConverter, type Headers } from '@temporalio/common';
import { isObject } from '../core/lib/index.js';
import type { Usage } from '../core/model/index.js';

/** The header of Temporal's own OpenTelemetry interceptors. */
const traceHeader = '_tracer-data';

/** W3C trace context. */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** What the workflow reports to its worker when its chain has ended. No content of the chain. */
export interface ChainEnd {
  readonly agent: string;
  /** Null for an agent without a version, and without a result. */
  readonly agentVersion: string | null;
  readonly outcome: string;
  /** Null without a result: the workflow was cancelled, or failed without one. */
  readonly usage: Usage | null;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  /** Context of the chain's start; null without a trace. */
  readonly parent: TraceContext | null;
  readonly ids: ChainTraceIds;
}

/** A type, since the SDK requires an index signature. */
export type TracingSinks = {
  longhandTracing: { ended: (end: ChainEnd) => void };
};

/** Returns the context that a chain or an activity was started under. Headers are untrusted: never throws. */
export function findTraceContext(headers: Headers): TraceContext | null {
  const payload = headers[traceHeader];
  if (payload === undefined) return null;
  try {
    const value: unknown = defaultPayloadConverter.fromPayload(payload);
    if (!isObject(value)) return null;
    const { traceparent, tracestate } = value;
    if (typeof traceparent !== 'string' || !traceparentPattern.test(traceparent)) return null;
    return typeof tracestate === 'string' ? { traceparent, tracestate } : { traceparent };
  } catch {
    return null;
  }
}

export function toTraceHeaders(context: TraceContext): Headers {
  return { [traceHeader]: defaultPayloadConverter.toPayload({ ...context }) };
}

/** Returns the context with the chain's span as parent. */
export function toChainContext(context: TraceContext, { spanId }: ChainTraceIds): TraceContext {
  return { ...context, traceparent: context.traceparent.replace(traceparentPattern, `$1-$2-${spanId}-$4`) };
}

export interface ChainTraceIds {
  /** Trace id of a chain without a parent: the run's id. */
  readonly traceId: string;
  readonly spanId: string;
}

/** Derives the ids from a run's id, so that every reader knows the span before it is written. */
export function toChainTraceIds(runId: string): ChainTraceIds {
  const digits = runId.replaceAll('-', '').toLowerCase();
  const traceId = /^[0-9a-f]{32}$/.test(digits) ? digits : ''.padStart(32, '1');
  return { traceId, spanId: traceId.slice(16) };
}

const traceparentPattern = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

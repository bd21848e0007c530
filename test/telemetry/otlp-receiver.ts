/** A collector: receives OTLP over HTTP as JSON, on loopback, and stores what it received. */

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readText } from '../../src/models/wire/wire-events.js';

type Values = Readonly<Record<string, unknown>>;

export interface ReceivedSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  readonly kind: number;
  readonly startMs: number;
  readonly endMs: number;
  /** 2 is an error. */
  readonly status: { readonly code?: number; readonly message?: string };
  readonly attributes: Values;
  readonly events: readonly unknown[];
  readonly resource: Values;
}

export interface ReceivedPoint {
  readonly metric: string;
  readonly unit: string;
  readonly sum: number;
  readonly count: number;
  readonly bounds: readonly number[];
  readonly attributes: Values;
}

export interface OtlpReceiver {
  readonly url: string;
  readonly spans: () => readonly ReceivedSpan[];
  /** The latest point of each series: sums count from the start of the process. */
  readonly points: () => readonly ReceivedPoint[];
  /** The raw bodies, to search for content that must not be sent. */
  readonly raw: () => string;
  readonly headers: () => readonly Values[];
  readonly close: () => Promise<void>;
}

export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const bodies: string[] = [];
  const headers: Values[] = [];
  const spans: ReceivedSpan[] = [];
  const points = new Map<string, ReceivedPoint>();
  const server = createServer(async (request, response) => {
    const text = await readText(request);
    bodies.push(text);
    headers.push(request.headers);
    const body = JSON.parse(text) as Batch;
    spans.push(...(body.resourceSpans ?? []).flatMap(spansOf));
    for (const point of (body.resourceMetrics ?? []).flatMap(pointsOf)) points.set(seriesOf(point), point);
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans: () => spans,
    points: () => [...points.values()],
    raw: () => bodies.join('\n'),
    headers: () => headers,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** OTLP's JSON, limited to the members read here. */
interface Pair {
  readonly key: string;
  readonly value: {
    readonly stringValue?: string;
    readonly intValue?: number | string;
    readonly doubleValue?: number;
    readonly boolValue?: boolean;
    readonly arrayValue?: { readonly values: readonly Pair['value'][] };
  };
}

interface Batch {
  readonly resourceSpans?: readonly ResourceSpans[];
  readonly resourceMetrics?: readonly ResourceMetrics[];
}

interface ResourceSpans {
  readonly resource: { readonly attributes: readonly Pair[] };
  readonly scopeSpans: readonly {
    readonly spans: readonly {
      readonly name: string;
      readonly traceId: string;
      readonly spanId: string;
      readonly parentSpanId?: string;
      readonly kind: number;
      readonly startTimeUnixNano: string;
      readonly endTimeUnixNano: string;
      readonly status: ReceivedSpan['status'];
      readonly attributes: readonly Pair[];
      readonly events: readonly unknown[];
    }[];
  }[];
}

interface ResourceMetrics {
  readonly scopeMetrics: readonly {
    readonly metrics: readonly {
      readonly name: string;
      readonly unit: string;
      readonly histogram?: {
        readonly dataPoints: readonly {
          readonly sum: number;
          readonly count: number | string;
          readonly explicitBounds: readonly number[];
          readonly attributes: readonly Pair[];
        }[];
      };
    }[];
  }[];
}

function spansOf({ resource, scopeSpans }: ResourceSpans): readonly ReceivedSpan[] {
  return scopeSpans.flatMap(({ spans }) =>
    spans.map((span) => ({
      name: span.name,
      traceId: span.traceId,
      spanId: span.spanId,
      parentSpanId: span.parentSpanId || undefined,
      kind: span.kind,
      startMs: Number(span.startTimeUnixNano) / 1e6,
      endMs: Number(span.endTimeUnixNano) / 1e6,
      status: span.status,
      attributes: valuesOf(span.attributes),
      events: span.events,
      resource: valuesOf(resource.attributes),
    })),
  );
}

function pointsOf({ scopeMetrics }: ResourceMetrics): readonly ReceivedPoint[] {
  return scopeMetrics.flatMap(({ metrics }) =>
    metrics.flatMap(({ name, unit, histogram }) =>
      (histogram?.dataPoints ?? []).map((point) => ({
        metric: name,
        unit,
        sum: point.sum,
        count: Number(point.count),
        bounds: point.explicitBounds,
        attributes: valuesOf(point.attributes),
      })),
    ),
  );
}

function seriesOf({ metric, attributes }: ReceivedPoint): string {
  return JSON.stringify([metric, Object.entries(attributes).sort()]);
}

function valuesOf(pairs: readonly Pair[]): Values {
  return Object.fromEntries(pairs.map(({ key, value }) => [key, plainValue(value)]));
}

function plainValue(value: Pair['value']): unknown {
  if (value.arrayValue !== undefined) return value.arrayValue.values.map(plainValue);
  if (value.intValue !== undefined) return Number(value.intValue);
  return value.stringValue ?? value.doubleValue ?? value.boolValue;
}

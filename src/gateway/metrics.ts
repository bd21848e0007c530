/** Metrics of a gateway, in the format of Prometheus. Labels are names of operations and codes: none is chosen by a client. */

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { GatewayCode } from '../http/index.js';
import type { LoopBlock } from '../timing/index.js';

export interface GatewayMetrics {
  /** @param operation null for a request that no operation took */
  readonly countRequest: (operation: string | null, status: number, seconds: number) => void;
  readonly countRejection: (code: GatewayCode) => void;
  readonly countDroppedStream: (reason: string) => void;
  readonly recordLoopBlock: (block: LoopBlock) => void;
  readonly print: () => Promise<string>;
  readonly close: () => Promise<void>;
}

/** Seconds, up to the longest wait for a result. */
const buckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** @param countStreams returns the number of open streams */
export function createGatewayMetrics(countStreams: () => number): GatewayMetrics {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  const requests = new Histogram({
    name: 'longhand_gateway_request_seconds',
    help: 'Time until the head of the answer, by operation and status.',
    labelNames: ['operation', 'status'],
    buckets,
    registers,
  });
  const rejections = new Counter({
    name: 'longhand_gateway_rejections_total',
    help: 'Requests that the gateway rejected itself, by code.',
    labelNames: ['code'],
    registers,
  });
  const dropped = new Counter({
    name: 'longhand_gateway_streams_dropped_total',
    help: 'Streams that ended before their chain, by reason.',
    labelNames: ['reason'],
    registers,
  });
  const blocked = new Histogram({
    name: 'longhand_gateway_loop_blocked_seconds',
    help: 'Time in which the event loop was blocked, where it was over 0.2 s, by operation.',
    labelNames: ['operation'],
    buckets: [0.25, 0.5, 1, 2, 4, 8, 16, 32],
    registers,
  });
  new Gauge({
    name: 'longhand_gateway_streams',
    help: 'Open streams.',
    registers,
    collect() {
      this.set(countStreams());
    },
  });
  return {
    countRequest: (operation, status, seconds) =>
      requests.observe({ operation: operation ?? 'none', status: String(status) }, seconds),
    countRejection: (code) => rejections.inc({ code }),
    countDroppedStream: (reason) => dropped.inc({ reason }),
    recordLoopBlock: ({ ms, operation }) => blocked.observe({ operation: operation ?? 'none' }, ms / 1_000),
    print: () => registry.metrics(),
    close: async () => registry.clear(),
  };
}

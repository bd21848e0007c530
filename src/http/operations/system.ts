/** Operations about the gateway itself. */

import { z } from 'zod';
import type { Operations } from '../operation.js';
import { locate } from '../routes.js';

export const systemOperations = {
  getGateway: {
    ...locate('getGateway'),
    tag: 'Gateway',
    summary: 'What the gateway is, and the paths to start from.',
    scope: null,
    result: {
      kind: 'json',
      status: 200,
      schema: z.object({
        name: z.literal('Longhand gateway'),
        description: z.string(),
        paths: z.object({ openapi: z.string(), chains: z.string(), inbox: z.string(), health: z.string() }),
      }),
    },
  },
  getHealth: {
    ...locate('getHealth'),
    tag: 'Gateway',
    summary: 'Whether the gateway runs.',
    scope: null,
    result: { kind: 'json', status: 200, schema: z.object({ status: z.literal('ok') }) },
  },
  getReadiness: {
    ...locate('getReadiness'),
    tag: 'Gateway',
    summary: 'Whether Temporal and the store answer. 503 while they do not, and while the gateway stops.',
    scope: null,
    result: {
      kind: 'json',
      status: 200,
      schema: z.object({ status: z.literal('ready'), temporal: z.literal('ok'), store: z.enum(['ok', 'none']) }),
    },
  },
  getMetrics: {
    ...locate('getMetrics'),
    tag: 'Gateway',
    summary: 'Counters of the gateway, in the format of Prometheus.',
    scope: 'admin',
    result: { kind: 'text', mediaType: 'text/plain; version=0.0.4; charset=utf-8' },
  },
  getOpenApi: {
    ...locate('getOpenApi'),
    tag: 'Gateway',
    summary: 'This document.',
    scope: null,
    result: { kind: 'json', status: 200, schema: z.object({ openapi: z.string() }).loose() },
  },
} as const satisfies Operations;

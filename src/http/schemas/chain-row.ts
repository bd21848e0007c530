/** One chain of a list. */

import { z } from 'zod';
import { costSchema } from './shape.js';
import { outcomeSchema } from './view.js';

export const chainRowSchema = z
  .object({
    chainId: z.string(),
    path: z.array(z.string()).readonly().optional().meta({ description: 'Of a sub-chain: agents from the root down.' }),
    thread: z.string().nullable(),
    agent: z.string(),
    agentVersion: z.string().nullable(),
    task: z.string().meta({ description: 'Empty where the viewer may not see it.' }),
    tenant: z.string().nullable(),
    user: z.string().nullable(),
    status: z.enum(['running', 'ended']),
    waits: z.enum(['waiting', 'sleeping', 'paused']).nullable(),
    outcome: outcomeSchema,
    doing: z.string().nullable(),
    steps: z.number(),
    tokens: z.number(),
    costUsd: costSchema,
    startedAt: z.string().nullable().meta({ description: 'ISO 8601.' }),
    endedAt: z.string().nullable(),
  })
  .meta({ id: 'ChainRow' });

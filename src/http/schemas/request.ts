/** Requests to people, and commands from them. */

import { z } from 'zod';
import { jsonSchema, timeSchema } from './shape.js';

export const requestSchema = z
  .object({
    call: z.string().meta({ description: 'Id of the waiting call, such as `3.1`.' }),
    kind: z
      .enum(['approval', 'outcome', 'question'])
      .meta({ description: '`approval`: may the call run? `outcome`: did it happen? `question`: what is the answer?' }),
    level: z.enum(['full', 'summary', 'hidden']),
    tool: z.string().nullable(),
    input: jsonSchema.meta({ description: 'The arguments, masked; null where the viewer may not see them.' }),
    reason: z.string().nullable(),
    digest: z.string().nullable().meta({
      description:
        'Send it with a decision, which then applies to this version of the call. Null where the viewer does not see the arguments.',
    }),
    risk: z.string(),
    roles: z.array(z.string()).readonly().meta({ description: 'Any of these may decide; empty: any person.' }),
    approvers: z.number(),
    approved: z.number().meta({ description: 'Different people who have approved.' }),
    excludedUser: z.string().nullable(),
    askedAt: timeSchema,
    expiresAt: timeSchema.nullable(),
    onExpiry: z.enum(['deny', 'approve']),
  })
  .meta({ id: 'Request' });

export type RequestItem = z.output<typeof requestSchema>;

export const receiptSchema = z
  .object({
    id: z.string().nullable(),
    status: z.enum(['accepted', 'sent', 'ended']).meta({
      description:
        '`accepted`: a fact of the chain. `sent`: stored for the next worker. `ended`: the chain had ended before a cancel.',
    }),
  })
  .meta({ id: 'CommandReceipt' });

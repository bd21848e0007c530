/** Operations on webhooks: where events of a tenant's chains are sent. */

import { z } from 'zod';
import { webhookEventTypes } from '../../core/model/index.js';
import type { Operations } from '../operation.js';
import { locate } from '../routes.js';
import { nameSchema } from '../schemas/input.js';
import { timeSchema } from '../schemas/shape.js';

const eventsSchema = z.array(z.enum(webhookEventTypes)).min(1).max(webhookEventTypes.length).meta({
  description:
    '`chain-waiting`: a request was opened, or the chain was paused. `chain-held`: it cannot continue before a repair. `budget-alert`: a part of a budget is used.',
});

const webhookShape = {
  id: z.string(),
  tenant: z.string().nullable().meta({ description: 'Null: chains without a tenant.' }),
  url: z.string(),
  events: z.array(z.enum(webhookEventTypes)).readonly(),
  agents: z.array(z.string()).readonly().meta({ description: 'Empty: all agents.' }),
  subChains: z.boolean().meta({ description: 'Whether the ends of sub-chains are sent, too.' }),
  active: z.boolean().meta({ description: 'False once the receiver has answered 410.' }),
  createdAt: timeSchema,
  lastAttempt: z
    .object({ at: timeSchema, result: z.string().meta({ description: 'The status of the answer, or a code.' }) })
    .nullable(),
};

const webhookSchema = z.object(webhookShape).meta({ id: 'Webhook' });

const newWebhookSchema = z
  .strictObject({
    url: z.string().max(2_000).meta({ description: 'With https; http only for this machine.' }),
    events: eventsSchema,
    agents: z.array(nameSchema).max(100).optional().meta({ description: 'Only chains of these. Default: of all.' }),
    subChains: z.boolean().optional().meta({ description: 'Also the ends of sub-chains. Default false.' }),
    tenant: nameSchema
      .nullable()
      .optional()
      .meta({ description: 'Only for a credential of all tenants, which must state it. Null: chains without one.' }),
  })
  .meta({ id: 'NewWebhook' });

export const webhookOperations = {
  createWebhook: {
    ...locate('createWebhook'),
    tag: 'Webhooks',
    summary: 'Creates a webhook: it gets the events of chains of its tenant from now on.',
    scope: 'admin',
    body: newWebhookSchema,
    result: {
      kind: 'json',
      status: 201,
      schema: z
        .object({
          ...webhookShape,
          secret: z.string().meta({ description: '`whsec_…`: verifies signatures. It is returned this once.' }),
        })
        .meta({ id: 'CreatedWebhook' }),
    },
  },
  listWebhooks: {
    ...locate('listWebhooks'),
    tag: 'Webhooks',
    summary: 'Lists webhooks, the oldest first, with the result of their last attempt.',
    scope: 'admin',
    query: z.object({
      tenant: nameSchema.optional().meta({ description: 'Only for a credential of all tenants.' }),
    }),
    result: { kind: 'json', status: 200, schema: z.object({ items: z.array(webhookSchema).readonly() }) },
  },
  deleteWebhook: {
    ...locate('deleteWebhook'),
    tag: 'Webhooks',
    summary: 'Deletes a webhook. It gets nothing more, also not what is being retried.',
    scope: 'admin',
    params: z.object({ webhookId: z.string().min(1).max(100) }),
    result: { kind: 'empty' },
  },
} as const satisfies Operations;

/** Operations on API keys. A caller manages the keys of its tenant, and creates none that gives more than it has itself. */

import { z } from 'zod';
import { type Operations, scopes } from '../operation.js';
import { locate } from '../routes.js';
import { cursorSchema, flagSchema, limitSchema, nameSchema, pageOf, rolesSchema } from '../schemas/input.js';
import { timeSchema } from '../schemas/shape.js';

const keyShape = {
  id: z.string().meta({ description: 'The readable part of the key, between `lh_` and the secret.' }),
  name: z.string(),
  tenant: z.string().nullable().meta({ description: 'Null for all tenants.' }),
  user: z.string().nullable().meta({ description: 'Null for a service, which states the user of a chain.' }),
  scopes: z.array(z.string()).readonly(),
  roles: z.array(z.string()).readonly().nullable().meta({ description: 'Null where the caller states them.' }),
  views: z.array(z.string()).readonly().meta({ description: 'Roles to read as; the first is the default.' }),
  reach: z.enum(['own', 'all']).meta({ description: '`own`: only chains of the user.' }),
  requestsPerMinute: z.number().nullable().meta({ description: "Null for the gateway's default." }),
  createdBy: z.string(),
  createdAt: timeSchema,
  expiresAt: timeSchema.nullable(),
  revokedAt: timeSchema.nullable(),
  revokedBy: z.string().nullable(),
  lastUsedAt: timeSchema.nullable().meta({ description: 'To the minute; null before the first use.' }),
};

const keySchema = z.object(keyShape).meta({ id: 'ApiKey' });

const createdKeySchema = z
  .object({ ...keyShape, key: z.string().meta({ description: 'The key. It is returned this once and not stored.' }) })
  .meta({ id: 'CreatedApiKey' });

const newKeySchema = z
  .strictObject({
    name: nameSchema.meta({ description: 'For people: what uses the key.' }),
    tenant: nameSchema
      .nullable()
      .optional()
      .meta({ description: 'Default: that of the credential. Null for all tenants.' }),
    user: nameSchema
      .nullable()
      .optional()
      .meta({ description: 'Default: that of the credential. Null for a service.' }),
    scopes: z.array(z.enum(scopes)).min(1).max(scopes.length),
    roles: rolesSchema.optional().meta({ description: 'Default: none for a user; a service states them.' }),
    views: z.array(z.string().min(1).max(100)).min(1).max(32).optional().meta({
      description:
        'Roles to read as; the first is the default. Default: `end_user`, or the first view of the credential.',
    }),
    reach: z.enum(['own', 'all']).optional().meta({ description: 'Default: `own` for a user, `all` for a service.' }),
    requestsPerMinute: z.number().int().min(1).max(1_000_000).optional(),
    expiresAfter: z
      .union([z.number().positive(), z.string().max(50)])
      .optional()
      .meta({
        description:
          'Milliseconds, or a text such as `90d`. Default: never, or with the credential. Required for a credential that is renewed, such as a token: at most `90d`.',
      }),
  })
  .meta({ id: 'NewApiKey' });

export const keyOperations = {
  createKey: {
    ...locate('createKey'),
    tag: 'Keys',
    summary: 'Creates an API key. It gives at most what the credential of this request has.',
    scope: 'admin',
    body: newKeySchema,
    result: { kind: 'json', status: 201, schema: createdKeySchema },
  },
  listKeys: {
    ...locate('listKeys'),
    tag: 'Keys',
    summary: 'Lists API keys, the newest first, without their secrets.',
    scope: 'admin',
    query: z.object({
      tenant: nameSchema.optional().meta({ description: 'Only for a credential of all tenants.' }),
      inactive: flagSchema.meta({ description: 'Also revoked and expired keys.' }),
      limit: limitSchema,
      cursor: cursorSchema,
    }),
    result: { kind: 'json', status: 200, schema: pageOf(keySchema) },
  },
  revokeKey: {
    ...locate('revokeKey'),
    tag: 'Keys',
    summary: 'Revokes an API key permanently. Gateways reject it within seconds.',
    scope: 'admin',
    params: z.object({ keyId: z.string().regex(/^[0-9a-z]{1,40}$/) }),
    result: { kind: 'json', status: 200, schema: keySchema },
  },
} as const satisfies Operations;

export type KeyItem = z.output<typeof keySchema>;

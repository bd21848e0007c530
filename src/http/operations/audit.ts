/** Operations on the audit log, and on the preferences of users. */

import { z } from 'zod';
import type { AuditEntry } from '../../core/audit/index.js';
import type { Preferences } from '../../core/view/index.js';
import type { Operations } from '../operation.js';
import { locate } from '../routes.js';
import {
  chainIdSchema,
  cursorSchema,
  flagSchema,
  limitSchema,
  nameSchema,
  pageOf,
  timeQuerySchema,
} from '../schemas/input.js';
import { documentType, timeSchema } from '../schemas/shape.js';

const entrySchema = documentType<AuditEntry>()(
  z
    .object({
      seq: z.number(),
      at: timeSchema,
      type: z.string(),
      tenant: z.string().nullable(),
      chainId: z.string().nullable(),
      agent: z.string().nullable(),
      hash: z.string().meta({ description: 'Hash of this entry, which contains that of the entry before.' }),
    })
    .meta({ id: 'AuditEntry' }),
);

const auditedEntrySchema = z.object({
  entry: entrySchema,
  contents: z
    .record(z.string(), z.unknown())
    .optional()
    .meta({ description: 'The texts of the entry, by part. Only with `contents`; the read is recorded.' }),
});

const preferencesSchema = documentType<Preferences>()(
  z
    .strictObject({
      progressSummary: z.boolean(),
      thinking: z.boolean(),
      externalCalls: z.boolean(),
      internalCalls: z.boolean(),
      finalReasoning: z.boolean(),
    })
    .meta({ id: 'Preferences' }),
);

const preferencesQuery = z.object({
  user: nameSchema.optional().meta({ description: 'Only for a credential without a user.' }),
  tenant: nameSchema.optional().meta({ description: 'Only for a credential of all tenants.' }),
});

export const auditOperations = {
  queryAudit: {
    ...locate('queryAudit'),
    tag: 'Audit',
    summary: 'Lists entries of the audit log, the newest first.',
    scope: 'audit',
    query: z.object({
      tenant: nameSchema.optional().meta({ description: 'Only for a credential of all tenants.' }),
      agent: nameSchema.optional(),
      tool: nameSchema.optional(),
      person: nameSchema.optional(),
      outcome: nameSchema.optional(),
      type: nameSchema.optional(),
      chainId: chainIdSchema.optional(),
      root: chainIdSchema.optional(),
      since: timeQuerySchema.optional(),
      until: timeQuerySchema.optional(),
      text: z.string().max(1_000).optional(),
      contents: flagSchema,
      limit: limitSchema,
      cursor: cursorSchema,
    }),
    result: { kind: 'json', status: 200, schema: pageOf(auditedEntrySchema) },
  },
  getPreferences: {
    ...locate('getPreferences'),
    tag: 'Preferences',
    summary: 'Returns the preferences of a user.',
    scope: 'read',
    query: preferencesQuery,
    result: { kind: 'json', status: 200, schema: preferencesSchema },
  },
  putPreferences: {
    ...locate('putPreferences'),
    tag: 'Preferences',
    summary:
      'Stores the preferences of a user, which limit what the user sees in views and streams. A credential without a user also needs the scope `admin`.',
    scope: 'read',
    query: preferencesQuery,
    body: preferencesSchema,
    result: { kind: 'json', status: 200, schema: preferencesSchema },
  },
} as const satisfies Operations;

/** Operations by which people decide and direct. */

import { z } from 'zod';
import type { Operations } from '../operation.js';
import { locate } from '../routes.js';
import {
  asSchema,
  callIdSchema,
  chainIdSchema,
  chainParams,
  limitSchema,
  nameSchema,
  senderShape,
  textSchema,
} from '../schemas/input.js';
import { receiptSchema, requestSchema } from '../schemas/request.js';
import { costSchema, jsonSchema, timeSchema } from '../schemas/shape.js';
import { limitsSchema } from '../schemas/start.js';

const receipt = { kind: 'json', status: 200, schema: receiptSchema } as const;

const digestSchema = z
  .string()
  .max(200)
  .nullish()
  .meta({ description: 'Of the request that was read. A decision about a changed request is rejected.' });

const limitQuestionSchema = z
  .object({
    ...{ code: z.string(), text: z.string(), expiresAt: timeSchema.nullable() },
    raise: z.record(z.string(), z.number()).nullable().meta({ description: 'For `raiseLimits`; null: `resumeChain`.' }),
  })
  .meta({ id: 'LimitQuestion' });

const decisionSchema = z
  .discriminatedUnion('decision', [
    z.strictObject({
      decision: z.literal('approve'),
      input: jsonSchema.optional().meta({ description: 'Other arguments for the call.' }),
      always: z.boolean().optional().meta({ description: 'Also all later calls of this tool in this chain.' }),
      digest: digestSchema,
      ...senderShape,
    }),
    z.strictObject({ decision: z.literal('deny'), digest: digestSchema, ...senderShape }),
    z.strictObject({ decision: z.literal('answer'), answer: jsonSchema, digest: digestSchema, ...senderShape }),
    z.strictObject({
      decision: z.literal('resolve'),
      outcome: z.enum(['happened', 'not_happened', 'give_up']),
      observation: jsonSchema.optional().meta({ description: 'With `happened`: what the model sees.' }),
      digest: digestSchema,
      ...senderShape,
    }),
  ])
  .meta({ id: 'Decision' });

export const commandOperations = {
  listRequests: {
    ...locate('listRequests'),
    tag: 'People',
    summary: 'Lists the open requests of a chain.',
    scope: 'read',
    params: chainParams,
    query: z.object({ as: asSchema }),
    result: { kind: 'json', status: 200, schema: z.object({ items: z.array(requestSchema).readonly() }) },
  },
  decideRequest: {
    ...locate('decideRequest'),
    tag: 'People',
    summary: 'Decides a request: approves or denies a call, answers a question, resolves an unknown outcome.',
    scope: 'decide',
    params: chainParams.extend({ call: callIdSchema }),
    query: z.object({
      as: asSchema.meta({ description: 'Role whose view of the arguments was changed: its masks are replaced.' }),
    }),
    body: decisionSchema,
    // Changed arguments may be those of a tool that writes a file.
    files: true,
    result: receipt,
  },
  listInbox: {
    ...locate('listInbox'),
    tag: 'People',
    summary: 'Lists the chains that wait for a person, the longest waiting first.',
    scope: 'read',
    query: z.object({
      as: asSchema,
      agent: nameSchema.optional(),
      tenant: nameSchema.optional().meta({ description: 'Only for a credential of all tenants.' }),
      root: chainIdSchema.optional(),
      role: z
        .string()
        .max(1_000)
        .optional()
        .meta({ description: 'Only requests that one of these may decide; commas.' }),
      limit: limitSchema,
    }),
    result: {
      kind: 'json',
      status: 200,
      schema: z.object({
        items: z
          .array(
            z
              .object({
                chainId: z.string(),
                path: z.array(z.string()).readonly(),
                agent: z.string(),
                task: z.string(),
                tenant: z.string().nullable(),
                user: z.string().nullable(),
                requests: z.array(requestSchema).readonly(),
                paused: z
                  .object({
                    by: z.string().nullable(),
                    at: timeSchema,
                    text: z.string(),
                    question: limitQuestionSchema.nullable(),
                  })
                  .nullable(),
                held: z.object({ by: z.string(), at: timeSchema, text: z.string() }).nullable(),
                startedAt: timeSchema,
                steps: z.number(),
                tokens: z.number(),
                costUsd: costSchema,
              })
              .meta({ id: 'WaitingChain' }),
          )
          .readonly(),
        others: z.number().meta({ description: 'Further waiting chains, beyond the limit.' }),
      }),
    },
  },
  steerChain: {
    ...locate('steerChain'),
    tag: 'People',
    summary: 'Sends the model a message, at its next step.',
    scope: 'direct',
    params: chainParams,
    body: z.strictObject({ text: textSchema, ...senderShape }),
    result: receipt,
  },
  pauseChain: {
    ...locate('pauseChain'),
    tag: 'People',
    summary: 'Pauses a chain, now or at a breakpoint.',
    scope: 'direct',
    params: chainParams,
    body: z.strictObject({
      at: z
        .union([
          z.strictObject({ step: z.number().int().positive() }),
          z.strictObject({ costUsd: z.number().positive() }),
          z.strictObject({ tool: nameSchema }),
        ])
        .optional()
        .meta({ description: 'Before a step, at a cost, or before calls of a tool. Default: now.' }),
      ...senderShape,
    }),
    result: receipt,
  },
  resumeChain: {
    ...locate('resumeChain'),
    tag: 'People',
    summary: 'Resumes a paused chain, lets a held one try again, or ends the wait of a call.',
    scope: 'direct',
    params: chainParams,
    body: z.strictObject({ call: callIdSchema.optional(), ...senderShape }),
    result: receipt,
  },
  raiseLimits: {
    ...locate('raiseLimits'),
    tag: 'People',
    summary: 'Raises the named limits.',
    scope: 'direct',
    params: chainParams,
    body: z.strictObject({ limits: limitsSchema, ...senderShape }),
    result: receipt,
  },
  signalChain: {
    ...locate('signalChain'),
    tag: 'People',
    summary: 'Sends a signal to a chain that waits for it, or keeps it until a call waits.',
    scope: 'direct',
    params: chainParams.extend({ name: nameSchema }),
    body: z.strictObject({
      data: jsonSchema.optional(),
      id: z.string().max(200).optional().meta({ description: 'The chain takes a signal with this id once.' }),
      ...senderShape,
    }),
    result: receipt,
  },
  cancelChain: {
    ...locate('cancelChain'),
    tag: 'People',
    summary: 'Cancels a chain and all below it.',
    scope: 'direct',
    params: chainParams,
    body: z.strictObject({
      summarize: z.boolean().optional().meta({ description: 'Whether one more model call sums up the findings.' }),
      ...senderShape,
    }),
    result: receipt,
  },
} as const satisfies Operations;

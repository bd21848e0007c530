/** Operations that start chains and read them. */

import { z } from 'zod';
import type { ChainResult } from '../../core/engine/index.js';
import type { Operations } from '../operation.js';
import { locate } from '../routes.js';
import { chainRowSchema } from '../schemas/chain-row.js';
import { chainEventSchema, reasoningEventSchema } from '../schemas/event.js';
import {
  asSchema,
  callIdSchema,
  chainIdSchema,
  chainParams,
  cursorSchema,
  expandSchema,
  flagSchema,
  limitSchema,
  nameSchema,
  pageOf,
  textSchema,
  timeQuerySchema,
} from '../schemas/input.js';
import { costSchema, documentType } from '../schemas/shape.js';
import { limitsSchema, startOptionsSchema, taskSchema } from '../schemas/start.js';
import { outcomeSchema, viewSchema } from '../schemas/view.js';

const startedSchema = z
  .object({
    chainId: z.string(),
    existed: z.boolean().meta({ description: 'Whether an earlier request with this idempotency key started it.' }),
  })
  .meta({ id: 'StartedChain' });

const resultSchema = z
  .union([
    z.object({ chainId: z.string(), status: z.literal('running') }),
    z.object({
      chainId: z.string(),
      status: z.literal('ended'),
      outcome: outcomeSchema.unwrap(),
      answer: documentType<ChainResult['answer']>()(z.unknown()),
      partial: z
        .string()
        .nullable()
        .meta({ description: 'Findings, where a limit or a cancel came before an answer.' }),
      reason: z.string().nullable(),
      steps: z.number(),
      tokens: z.number(),
      costUsd: costSchema,
    }),
  ])
  .meta({ id: 'ChainResult' });

const idempotencyHeaders = z.object({
  'idempotency-key': z
    .string()
    .regex(/^[\x21-\x7e]{1,200}$/)
    .optional()
    .meta({
      description:
        'A request that is sent again with its key returns the chain that the first one started, as long as Temporal or the archive has that chain. A later one starts, and pays, again.',
    }),
});

const followQuery = z.object({
  as: asSchema,
  tokens: flagSchema.meta({ description: 'Whether to emit tokens while the model replies.' }),
  interim: flagSchema.meta({ description: 'Whether to emit interim results of running calls.' }),
  children: flagSchema.meta({ description: 'Whether to emit each change of sub-chains.' }),
  lastEventId: z
    .string()
    .max(300)
    .optional()
    .meta({ description: 'Like the header `Last-Event-ID`, which has priority.' }),
});

const followHeaders = z.object({
  'last-event-id': z.string().max(300).optional().meta({ description: 'Continues after this event.' }),
});

const listQuery = z.object({
  status: z.enum(['running', 'waiting', 'sleeping', 'paused', 'ended']).optional(),
  agent: nameSchema.optional(),
  tenant: nameSchema.optional().meta({ description: 'Only for a credential of all tenants.' }),
  outcome: outcomeSchema.unwrap().optional(),
  since: timeQuerySchema.optional().meta({ description: 'Started then or later: milliseconds since 1970.' }),
  costOver: z.coerce.number().optional().meta({ description: 'US dollars.' }),
  thread: chainIdSchema.optional(),
  root: chainIdSchema.optional().meta({ description: 'Only this chain and its sub-chains.' }),
  as: asSchema,
  limit: limitSchema,
  cursor: cursorSchema,
});

export const chainOperations = {
  startChain: {
    ...locate('startChain'),
    tag: 'Chains',
    summary: 'Starts a chain.',
    scope: 'start',
    headers: idempotencyHeaders,
    body: startOptionsSchema.extend({
      agent: nameSchema,
      task: taskSchema,
      chainId: chainIdSchema
        .max(200)
        .optional()
        .meta({ description: 'Only for a credential of all tenants. Others use an idempotency key.' }),
    }),
    files: true,
    result: { kind: 'json', status: 201, existing: 200, schema: startedSchema },
  },
  listChains: {
    ...locate('listChains'),
    tag: 'Chains',
    summary:
      'Lists the chains that Temporal has, running chains first. A page may have fewer items than the limit: only the cursor names the end.',
    scope: 'read',
    query: listQuery,
    result: { kind: 'json', status: 200, schema: pageOf(chainRowSchema) },
  },
  searchChains: {
    ...locate('searchChains'),
    tag: 'Chains',
    summary:
      'Searches the archive, which has all ended chains, the newest first. A page may have fewer items than the limit: only the cursor names the end.',
    scope: 'read',
    query: listQuery.omit({ status: true }).extend({
      text: z
        .string()
        .min(1)
        .max(1_000)
        .optional()
        .meta({ description: 'Words, or beginnings of words, that all occur.' }),
      user: nameSchema.optional().meta({ description: 'Only for a credential that reaches chains of all users.' }),
      until: timeQuerySchema.optional().meta({ description: 'Started before: milliseconds since 1970.' }),
    }),
    result: { kind: 'json', status: 200, schema: pageOf(chainRowSchema) },
  },
  getChain: {
    ...locate('getChain'),
    tag: 'Chains',
    summary: 'Returns the chain so far, as its viewer may see it.',
    scope: 'read',
    params: chainParams,
    query: z.object({
      as: asSchema,
      expand: expandSchema,
      from: z.coerce.number().int().min(1).optional().meta({ description: 'First step.' }),
      to: z.coerce.number().int().min(1).optional().meta({ description: 'Last step: the chain is read up to it.' }),
      depth: z.coerce.number().int().min(0).max(10).default(0).meta({ description: 'Levels of sub-chains to open.' }),
    }),
    result: { kind: 'json', status: 200, schema: viewSchema },
  },
  getResult: {
    ...locate('getResult'),
    tag: 'Chains',
    summary: 'Returns the result of a chain, or that it still runs.',
    scope: 'read',
    params: chainParams,
    query: z.object({
      as: asSchema,
      wait: z.coerce.number().min(0).max(60).default(0).meta({ description: 'Seconds to wait for the end.' }),
    }),
    result: { kind: 'json', status: 200, schema: resultSchema },
  },
  followChain: {
    ...locate('followChain'),
    tag: 'Streams',
    summary: "Follows a chain: events of `watch`. The `id` of an event is its place in the chain's history.",
    scope: 'read',
    params: chainParams,
    query: followQuery,
    headers: followHeaders,
    result: { kind: 'stream', data: chainEventSchema },
  },
  followReasoning: {
    ...locate('followReasoning'),
    tag: 'Streams',
    summary: 'Follows a chain: one `reasoning` event for each change of a step.',
    scope: 'read',
    params: chainParams,
    query: followQuery.pick({ as: true, lastEventId: true }),
    headers: followHeaders,
    result: { kind: 'stream', data: reasoningEventSchema },
  },
  followUp: {
    ...locate('followUp'),
    tag: 'Chains',
    summary: 'Continues the conversation of a chain that has ended with a new chain.',
    scope: 'start',
    params: chainParams,
    headers: idempotencyHeaders,
    body: startOptionsSchema
      .omit({ messages: true, plan: true })
      .extend({ text: textSchema, limits: limitsSchema.optional() }),
    files: true,
    result: { kind: 'json', status: 201, existing: 200, schema: startedSchema },
  },
  getThread: {
    ...locate('getThread'),
    tag: 'Chains',
    summary: "Lists the chains of a chain's thread, the oldest first.",
    scope: 'read',
    params: chainParams,
    result: {
      kind: 'json',
      status: 200,
      schema: z.object({
        items: z.array(z.object({ chainId: z.string(), number: z.number() })).readonly(),
      }),
    },
  },
  forkChain: {
    ...locate('forkChain'),
    tag: 'Chains',
    summary: 'Starts a chain with the first steps of this one, at no cost for them.',
    scope: 'start',
    params: chainParams,
    headers: idempotencyHeaders,
    body: startOptionsSchema
      .omit({ context: true, messages: true, plan: true })
      .extend({ atStep: z.number().int().min(1).optional(), message: textSchema.optional() }),
    result: { kind: 'json', status: 201, existing: 200, schema: startedSchema },
  },
  listForks: {
    ...locate('listForks'),
    tag: 'Chains',
    summary: 'Lists the forks of a chain that Temporal has.',
    scope: 'read',
    params: chainParams,
    result: { kind: 'json', status: 200, schema: z.object({ items: z.array(z.string()).readonly() }) },
  },
  exportChain: {
    ...locate('exportChain'),
    tag: 'Chains',
    summary:
      'Returns the chain as a file that can be verified (`json`, complete and unmasked), or as a report to read.',
    scope: 'read',
    params: chainParams,
    query: z.object({
      format: z
        .enum(['json', 'markdown'])
        .default('markdown')
        .meta({ description: '`json` needs the scope `audit` as well; the read is recorded in the audit log.' }),
      as: asSchema,
    }),
    result: { kind: 'bytes' },
  },
  getObservation: {
    ...locate('getObservation'),
    tag: 'Chains',
    summary: 'Returns the result of a call in full, where the chain has only a part of it. Answers ranges.',
    scope: 'read',
    params: chainParams.extend({ call: callIdSchema }),
    query: z.object({ as: asSchema }),
    result: { kind: 'bytes', ranges: true },
  },
  getFile: {
    ...locate('getFile'),
    tag: 'Chains',
    summary: "Returns a file of the task or of a call's result, as its viewer may see it. Answers ranges.",
    scope: 'read',
    params: chainParams.extend({ name: z.string().min(1).max(500) }),
    query: z.object({
      as: asSchema,
      call: callIdSchema.optional().meta({ description: 'The call whose result has the file. Default: the task.' }),
    }),
    result: { kind: 'bytes', ranges: true },
  },
} as const satisfies Operations;

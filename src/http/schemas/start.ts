/** Options of a start. */

import { z } from 'zod';
import type { Json, JsonObject } from '../../core/lib/index.js';
import {
  getLimitOption,
  type LimitDefinition,
  type LimitName,
  type LimitOptionName,
  limitEntries,
  type PlanTemplate,
} from '../../core/model/index.js';
import { nameSchema, rolesSchema, textSchema } from './input.js';

const durationSchema = z
  .union([z.number().positive(), z.string().max(50)])
  .meta({ description: 'Milliseconds, or a text such as `30m`.' });

type LimitsShape = {
  readonly [Name in LimitName as LimitOptionName<Name>]: z.ZodOptional<
    Name extends `${string}Ms` ? typeof durationSchema : z.ZodNumber
  >;
};

function createLimitSchema({ unit, min = 0 }: LimitDefinition) {
  switch (unit) {
    case 'count':
      return z.number().int().min(min);
    case 'usd':
      return z.number().positive();
    case 'ratio':
      return z.number().min(0).max(1);
    case 'ms':
      return durationSchema;
  }
}

export const limitsSchema = z
  .strictObject(
    Object.fromEntries(
      limitEntries.map(([name, row]) => [getLimitOption(name), createLimitSchema(row).optional()]),
    ) as LimitsShape,
  )
  .meta({ description: 'Those of the agent, where they are not stated.' });

/** Decoded as it is checked: to do both takes twice as long. */
const bytesSchema = z
  .string()
  .meta({ format: 'base64', contentEncoding: 'base64' })
  .transform((base64, context) => {
    const bytes = decodeBase64(base64);
    if (bytes !== null) return bytes;
    context.addIssue('Invalid base64-encoded string');
    return z.NEVER;
  });

const fileSchema = z.strictObject({ base64: bytesSchema }).transform(({ base64 }) => base64);

/** Returns null for invalid base64. White space and missing padding, which `atob` accepts, are invalid. */
function decodeBase64(base64: string): Uint8Array | null {
  if (base64.length % 4 !== 0 || /\s/.test(base64)) return null;
  try {
    return toBytes(atob(base64));
  } catch {
    return null;
  }
}

/** An index: to iterate over the text is 15 times as slow, and blocks the gateway for long with a file of some megabytes. */
function toBytes(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

const partSchema = z.union([
  z.strictObject({ text: z.string().max(100_000) }),
  z.strictObject({ data: z.unknown() as unknown as z.ZodType<Json, Json>, filename: nameSchema.optional() }),
  z.strictObject({ raw: bytesSchema, filename: nameSchema.optional(), mediaType: nameSchema.optional() }),
  z.strictObject({ url: z.string().max(2_000), filename: nameSchema.optional(), mediaType: nameSchema.optional() }),
]);

const messageSchema = z.strictObject({
  role: z.enum(['user', 'agent']),
  parts: z.array(partSchema).min(1).max(100),
});

export const taskSchema = z
  .union([textSchema, z.strictObject({ messages: z.array(messageSchema).min(1).max(1_000) })])
  .meta({
    description:
      'A text, or messages whose parts have a text, a value (`data`), a file (`raw`, base64) or its address (`url`). The last message is the task.',
  });

/** A name is shown in one line, which takes longer than its text in a frame. */
const partNameSchema = z.string().max(500);

/** Most members of an object whose names the caller chooses. */
const maxNames = 1_000;

/** Counts the members of an object before the schema checks each of them, for a wrong one against all alternatives. */
function limitNames<S extends z.ZodType>(schema: S): z.ZodType<z.output<S>, z.input<S>> {
  const limited = z.preprocess((value, context) => {
    const names = typeof value === 'object' && value !== null ? Object.keys(value).length : 0;
    if (names <= maxNames) return value;
    context.addIssue(`Too big: expected object to have <=${maxNames} members, and it has ${names}`);
    return z.NEVER;
  }, schema);
  return limited as unknown as z.ZodType<z.output<S>, z.input<S>>;
}

export const startOptionsSchema = z.strictObject({
  context: limitNames(z.union([z.string(), z.record(partNameSchema, z.union([z.string(), fileSchema]))]))
    .optional()
    .meta({ description: 'What the agent knows beside the task: a text, or at most 1,000 texts and files by name.' }),
  messages: z
    .array(z.strictObject({ role: z.enum(['user', 'assistant']), text: z.string() }))
    .max(1_000)
    .optional()
    .meta({ description: 'Messages of a conversation before the task, oldest first.' }),
  metadata: limitNames(z.record(z.string(), z.unknown()) as unknown as z.ZodType<JsonObject, JsonObject>)
    .optional()
    .meta({ description: 'Free data for readers, at most 16 KB. The model does not see it.' }),
  dataClass: z.union([nameSchema, z.array(nameSchema).max(20)]).optional(),
  model: nameSchema
    .optional()
    .meta({ description: "Replaces the agent's model. Needs the scope `direct`, like `limits`." }),
  limits: limitsSchema.optional(),
  tenant: nameSchema
    .optional()
    .meta({ description: 'Only for a credential of all tenants; else that of the credential.' }),
  user: nameSchema.optional().meta({ description: 'Only for a credential without a user.' }),
  roles: rolesSchema.optional().meta({ description: 'Only for a credential without roles.' }),
  plan: limitNames(z.record(z.string(), z.unknown()) as unknown as z.ZodType<PlanTemplate, PlanTemplate>).optional(),
  awaitAgent: z
    .boolean()
    .optional()
    .meta({ description: 'Starts the chain although no worker has the agent: it is about to be deployed.' }),
  priority: z
    .int()
    .min(1)
    .max(5)
    .optional()
    .meta({ description: 'Order of its tasks in a backlog: 1 is first. Needs the scope `direct`.' }),
  endAfter: durationSchema.optional().meta({ description: 'Time after which Temporal ends the chain.' }),
});

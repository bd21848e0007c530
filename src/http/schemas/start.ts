/** Options of a start. */

import { z } from 'zod';
import type { PlanTemplate } from '../../core/model/plan.js';
import { nameSchema, rolesSchema } from './input.js';

const durationSchema = z
  .union([z.number().positive(), z.string().max(50)])
  .meta({ description: 'Milliseconds, or a text such as `30m`.' });

export const limitsSchema = z
  .strictObject({
    steps: z.number().int().positive().optional(),
    tokens: z.number().positive().optional(),
    costUsd: z.number().positive().optional(),
    time: durationSchema.optional(),
    wait: durationSchema.optional(),
    depth: z.number().int().nonnegative().optional(),
    chains: z.number().int().nonnegative().optional(),
  })
  .meta({ description: 'Those of the agent, where they are not stated.' });

const fileSchema = z.strictObject({ base64: z.base64() }).transform(({ base64 }) => decodeBase64(base64));

/** An index: to iterate over the text is 15 times as slow, and blocks the gateway for long with a file of some megabytes. */
function decodeBase64(base64: string): Uint8Array {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = text.charCodeAt(at);
  return bytes;
}

export const startOptionsSchema = z.strictObject({
  context: z
    .union([z.string(), z.record(z.string(), z.union([z.string(), fileSchema]))])
    .optional()
    .meta({ description: 'What the agent knows beside the task: a text, or texts and files by name.' }),
  messages: z
    .array(z.strictObject({ role: z.enum(['user', 'assistant']), text: z.string() }))
    .max(1_000)
    .optional()
    .meta({ description: 'Messages of a conversation before the task, oldest first.' }),
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
  plan: (z.record(z.string(), z.unknown()) as unknown as z.ZodType<PlanTemplate, PlanTemplate>).optional(),
  endAfter: durationSchema.optional().meta({ description: 'Time after which Temporal ends the chain.' }),
});

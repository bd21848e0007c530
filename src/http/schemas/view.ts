/** A chain as its viewer sees it, and the events of its stream. */

import { z } from 'zod';
import type { JsonObject } from '../../core/lib/index.js';
import { outcomes } from '../../core/model/index.js';
import type { ReasoningView, StepView } from '../../core/view/index.js';
import { costSchema, documentType, timeSchema } from './shape.js';

const stepPlace = {
  id: z.string().meta({
    description: '`3` a thought, `3.1` a call, `3.1p1` a request, `3.1r` a result, `3a` an answer, `3n1` a notice.',
  }),
  number: z.number().meta({ description: "The chain's step, from 1; parallel calls share it." }),
  kind: z.enum(['thinking', 'tool_call', 'approval', 'tool_result', 'synthesis', 'notice']),
};

export const stepSchema = documentType<StepView>()(
  z
    .union([
      z.object({ level: z.literal('full'), ...stepPlace, at: timeSchema }),
      z.object({
        level: z.literal('summary'),
        ...stepPlace,
        at: timeSchema,
        summary: z.string(),
        tool: z.string().nullable(),
      }),
      z.object({ level: z.literal('hidden'), ...stepPlace }),
    ])
    .meta({ id: 'Step', description: 'A step as the viewer sees it: in full, as a line, or only its place.' }),
);

export const outcomeSchema = z.enum(outcomes).nullable().meta({ description: 'Null while the chain runs.' });

export const stateSchema = z.enum(['thinking', 'tool_calling', 'waiting', 'completed', 'failed']);

export const viewSchema = documentType<ReasoningView>()(
  z
    .object({
      chainId: z.string(),
      agent: z.string(),
      agentVersion: z.string().nullable(),
      agentTitle: z.string().optional().meta({ description: 'Its name for people. Absent for none.' }),
      agentPrompt: z.object({ name: z.string(), version: z.string() }).optional(),
      model: z.string(),
      task: z.string(),
      metadata: (z.record(z.string(), z.unknown()) as unknown as z.ZodType<JsonObject, JsonObject>)
        .optional()
        .meta({ description: 'Free data that the start stated. Absent where the viewer may not see the task.' }),
      tenant: z.string().nullable(),
      user: z.string().nullable(),
      state: stateSchema,
      outcome: outcomeSchema,
      reason: z.string().nullable(),
      answer: z.unknown().meta({ description: 'Null without an answer, and where the viewer may not see it.' }),
      answerLevel: z.enum(['full', 'hidden']),
      summary: z.string(),
      progress: z.array(z.string()).readonly(),
      warning: z.string().optional().meta({ description: 'That the chain is unusually long.' }),
      outline: z
        .array(z.string())
        .readonly()
        .optional()
        .meta({ description: 'Of a long chain: a line for each part. Absent where only a part was requested.' }),
      steps: z.array(stepSchema).readonly(),
      tokens: z.number(),
      costUsd: costSchema,
      startedAt: timeSchema,
      endedAt: timeSchema.nullable(),
    })
    .meta({ id: 'ChainView' }),
);

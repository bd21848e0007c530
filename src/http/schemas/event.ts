/** Events of streams: the `data` of server-sent events, whose name is the `type`. */

import { z } from 'zod';
import { type InterimResult, streamedTypes } from '../../core/model/index.js';
import type { ChildStatus, ReasoningState, ReasoningView, StepView } from '../../core/view/index.js';
import { documentType, jsonSchema } from './shape.js';
import { stateSchema, stepSchema, viewSchema } from './view.js';

/** Events of `followChain`, as `watch` emits them. The first members are the position in the history of the chain. */
export type StreamedChainEvent = {
  readonly chainId: string;
  readonly runId: string;
  readonly eventId: number;
  readonly item: number;
} & (
  | { readonly type: 'view-opened'; readonly view: ReasoningView }
  | {
      readonly type: 'step-changed';
      readonly step: StepView;
      readonly state: ReasoningState;
      readonly progress: readonly string[];
      readonly warning?: string;
    }
  | {
      readonly type: 'token';
      readonly step: number;
      readonly call: string;
      readonly text: string;
      readonly missing: number;
      readonly offset: number;
    }
  | {
      readonly type: 'interim-result';
      readonly step: number;
      readonly call: string;
      readonly tool: string;
      readonly attempt: number;
      readonly interim: InterimResult | null;
    }
  | { readonly type: 'sub-chain-changed'; readonly child: ChildStatus; readonly provisional?: true }
  | { readonly type: 'view-completed'; readonly view: ReasoningView }
);

const position = { chainId: z.string(), runId: z.string(), eventId: z.number(), item: z.number() };

export const chainEventSchema = documentType<StreamedChainEvent>()(
  z
    .union([
      z
        .object({ type: z.literal('view-opened'), ...position, view: viewSchema })
        .meta({ description: 'The first event: the view without steps.' }),
      z
        .object({
          type: z.literal('step-changed'),
          ...position,
          step: stepSchema,
          state: stateSchema,
          progress: z.array(z.string()).readonly(),
          warning: z.string().optional().meta({ description: 'That the chain is unusually long.' }),
        })
        .meta({ description: 'A step was added or changed. It replaces the earlier one with its id.' }),
      z
        .object({
          type: z.literal('token'),
          ...position,
          step: z.number(),
          call: z.string(),
          text: z.string(),
          missing: z.number().meta({ description: 'Characters before `text` that were lost.' }),
          offset: z.number().meta({ description: 'Characters of the reply before `text`.' }),
        })
        .meta({ description: 'A piece of a reply, until its step comes. Only with `tokens`; without an `id`.' }),
      z
        .object({
          type: z.literal('interim-result'),
          ...position,
          step: z.number(),
          call: z.string(),
          tool: z.string(),
          attempt: z.number(),
          interim: z.object({}).nullable(),
        })
        .meta({
          description: 'The newest of a running call; null when it is over. Only with `interim`; without an `id`.',
        }),
      z
        .object({
          type: z.literal('sub-chain-changed'),
          ...position,
          child: z.object({}),
          provisional: z.literal(true).optional().meta({ description: 'Not recorded: the event has no `id`.' }),
        })
        .meta({ description: 'A sub-chain started or ended; with `children` each change of it.' }),
      z
        .object({ type: z.literal('view-completed'), ...position, view: viewSchema })
        .meta({ description: 'The last event: the complete view.' }),
    ])
    .meta({ id: 'ChainEvent' }),
);

const stepTypes = ['thinking', 'tool_call', 'tool_result', 'synthesis'] as const;

const reasoningStepSchema = z.object({
  step_id: z.string(),
  step_number: z.number(),
  type: z.enum(stepTypes),
  timestamp: z.string().optional().meta({ description: 'ISO 8601. Absent in a hidden step.' }),
  thought: z.string().optional(),
  confidence: z.number().optional().meta({ description: 'From 0 to 1.' }),
  combines: z
    .array(z.string())
    .readonly()
    .optional()
    .meta({ description: 'Ids of the results of sub-agents that a reply combines.' }),
  tool_call: z
    .object({
      tool_type: z.enum(streamedTypes),
      tool_name: z.string(),
      arguments: jsonSchema.meta({ description: 'An object; empty in a step at `summary`.' }),
      correlation_id: z.string().meta({ description: 'Links the call and its result.' }),
    })
    .optional(),
  tool_result: z
    .object({
      correlation_id: z.string(),
      success: z.boolean(),
      result: jsonSchema.meta({ description: 'Any JSON value; null for a failed call, and in a step at `summary`.' }),
      error: z.string().optional().meta({ description: 'Of a failed call, in a step at `full`.' }),
      duration_ms: z.number(),
    })
    .optional(),
  synthesis: z.object({ sources: z.array(z.string()).readonly(), conclusion: z.string() }).optional(),
  visibility: z.object({ level: z.enum(['full', 'summary', 'hidden']), summary: z.string().optional() }),
});

/** Events of `followReasoning`. */
export const reasoningEventSchema = z
  .union([
    z
      .object({
        type: z.literal('reasoning'),
        task_id: z.string().meta({ description: 'Id of the chain.' }),
        step: reasoningStepSchema,
        chain_status: stateSchema,
      })
      .meta({ description: 'A step was added or changed.' }),
    z
      .object({ type: z.literal('view-completed'), task_id: z.string(), chain_status: stateSchema })
      .meta({ description: 'The last event.' }),
  ])
  .meta({ id: 'ReasoningEvent' });

export type StreamedReasoningEvent = z.output<typeof reasoningEventSchema>;

/** What the clients of chat protocols send. Members that the gateway does not read are accepted and ignored. */

import { z } from 'zod';
import { nameSchema } from './input.js';

/** A chat or thread id, as the client chose it. */
export const chatIdSchema = z.string().min(1).max(500).meta({
  description: 'Id of the chat, as the client chose it. Another tenant or user has other chats with this id.',
});

const requesterShape = {
  tenant: nameSchema.optional().meta({ description: 'Only for a credential of all tenants.' }),
  user: nameSchema.optional().meta({ description: 'Only for a credential without a user.' }),
  roles: z
    .array(z.string().min(1).max(100))
    .max(32)
    .optional()
    .meta({ description: 'Only for a credential without roles.' }),
};

const messageIdSchema = z.string().min(1).max(1_000);

const partSchema = z.looseObject({ type: z.string().max(200) });

export const uiMessageSchema = z
  .looseObject({
    id: messageIdSchema,
    role: z.enum(['system', 'user', 'assistant']),
    parts: z.array(partSchema).max(10_000),
  })
  .meta({ id: 'UIMessage', description: 'A message of the AI SDK, version 7.' });

/** As `DefaultChatTransport` sends it. */
export const uiChatSchema = z.looseObject({
  ...requesterShape,
  id: chatIdSchema,
  messages: z.array(uiMessageSchema).min(1).max(10_000),
  trigger: z.enum(['submit-message', 'regenerate-message']).default('submit-message'),
  messageId: messageIdSchema
    .nullish()
    .meta({ description: 'Of the message that is edited, continued or answered again.' }),
});

const agUiMessageSchema = z
  .looseObject({
    id: messageIdSchema,
    role: z.enum(['developer', 'system', 'assistant', 'user', 'tool', 'activity', 'reasoning']),
    content: z.unknown().optional(),
  })
  .meta({ id: 'AgUiMessage', description: 'A message of AG-UI 1.0.' });

/** `RunAgentInput` of AG-UI 1.0. */
export const runAgentSchema = z.looseObject({
  threadId: chatIdSchema,
  runId: z.string().min(1).max(500),
  parentRunId: z.string().max(500).nullish(),
  messages: z.array(agUiMessageSchema).max(10_000),
  state: z.unknown().optional(),
  resume: z
    .array(
      z.looseObject({
        interruptId: z.string().min(1).max(1_000),
        status: z.enum(['resolved', 'cancelled']),
        payload: z.unknown().optional(),
      }),
    )
    .max(1_000)
    .nullish()
    .meta({ description: 'Answers to the interrupts of the run before.' }),
  forwardedProps: z.unknown().optional().meta({
    description: '`tenant`, `user` and `roles`, only for a credential without them. Others are ignored.',
  }),
});

export const forwardedRequesterSchema = z.object(requesterShape);

export type UiMessage = z.output<typeof uiMessageSchema>;
export type UiChat = z.output<typeof uiChatSchema>;
export type AgUiMessage = z.output<typeof agUiMessageSchema>;
export type RunAgent = z.output<typeof runAgentSchema>;

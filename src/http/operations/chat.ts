/** Operations for chat frontends, in their own protocols. */

import { z } from 'zod';
import type { Operations } from '../operation.js';
import { locate } from '../routes.js';
import { chatIdSchema, runAgentSchema, uiChatSchema, uiMessageSchema } from '../schemas/chat.js';
import { asSchema, nameSchema } from '../schemas/input.js';

const agentParams = z.object({ agent: nameSchema.meta({ description: 'Name of the agent.' }) });

const chatParams = agentParams.extend({ id: chatIdSchema });

const asQuery = z.object({ as: asSchema });

const chatQuery = asQuery.extend({
  tenant: nameSchema.optional().meta({ description: 'Only for a credential of all tenants.' }),
  user: nameSchema.optional().meta({ description: 'Only for a credential without a user.' }),
});

/** The transport of the AI SDK does not send its version. */
const sdkHeaders = z.object({
  'ai-sdk-version': z
    .enum(['6', '7'])
    .optional()
    .meta({ description: 'Major version of the AI SDK in the page (default: 6, which version 7 reads as well).' }),
});

export type SdkHeaders = z.output<typeof sdkHeaders>;

export const chatOperations = {
  sendChatMessage: {
    ...locate('sendChatMessage'),
    tag: 'Chat',
    summary:
      "Sends a message of the AI SDK's `useChat`, or its answers to requests, and streams the chain that answers. Also needs the scope read.",
    scope: 'start',
    params: agentParams,
    query: asQuery,
    headers: sdkHeaders,
    body: uiChatSchema,
    files: true,
    result: { kind: 'stream', data: null },
  },
  resumeChat: {
    ...locate('resumeChat'),
    tag: 'Chat',
    summary: 'Streams the running chain of a chat from its start; 204 when none runs.',
    scope: 'read',
    params: chatParams,
    query: chatQuery,
    headers: sdkHeaders,
    result: { kind: 'stream', data: null },
  },
  getChatMessages: {
    ...locate('getChatMessages'),
    tag: 'Chat',
    summary: 'Returns the messages of a chat, as `useChat` takes them: from the histories of its chains.',
    scope: 'read',
    params: chatParams,
    query: chatQuery,
    result: { kind: 'json', status: 200, schema: z.object({ messages: z.array(uiMessageSchema).readonly() }) },
  },
  runAgUi: {
    ...locate('runAgUi'),
    tag: 'Chat',
    summary: 'Runs an agent for a client of AG-UI 1.0, and streams its events. Also needs the scope read.',
    scope: 'start',
    params: agentParams,
    query: asQuery,
    body: runAgentSchema,
    files: true,
    result: { kind: 'stream', data: null },
  },
} as const satisfies Operations;

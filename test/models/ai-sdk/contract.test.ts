/** The contract of providers, with real packages of the AI SDK: of both versions, over both wires. */

import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { createAnthropic as createAnthropic7 } from 'ai-sdk-anthropic-4';
import { type AiSdkModel, aiSdkProvider } from '../../../src/entries/models.js';
import { budget } from '../../support/budget.js';
import { chatAnswers, startChatServer } from '../../support/chat-server.js';
import { type Script as MessagesScript, messagesAnswers, startMessagesServer } from '../../support/messages-server.js';
import type { ModelServer } from '../../support/model-server.js';
import { snapshot } from '../call.js';
import {
  type ContractWire,
  getChatSchema,
  getMessagesSchema,
  type ProviderOptions,
  proveProvider,
} from '../contract/contract.js';

const createProvider =
  (createModel: (options: ProviderOptions) => AiSdkModel): ContractWire['createProvider'] =>
  (options) =>
    aiSdkProvider(
      { [snapshot.name]: createModel({ ...options, baseURL: `${options.baseURL}/v1` }) },
      { apiKeys: [options.apiKey], stallTimeout: options.stallTimeout, onWarning: () => {} },
    );

const messages = {
  startServer: async (script, options) => {
    // The rules of the server have checked the members that its type names.
    const server = await startMessagesServer(script as MessagesScript, options);
    return server as unknown as ModelServer;
  },
  answers: messagesAnswers,
  stopReasons: ['max_tokens', 'pause_turn', 'refusal', 'model_context_window_exceeded'],
  reportsStopSequence: true,
  getOutputSchema: getMessagesSchema,
  // The AI SDK reports usage at the end of a stream.
  reportsInputFirst: false,
  isReadByPackage: true,
  gaps: ['whole replies', 'invalid usage', 'last event', 'temperature'],
} satisfies Partial<ContractWire>;

/** In the short form, Messages of one version and Chat Completions of the other. */
const versions = [
  ['7', createAnthropic7],
  ['6', createAnthropic],
] as const;

for (const [version, create] of versions.slice(0, budget(1, 2))) {
  proveProvider({
    ...messages,
    name: `the Messages API of AI SDK ${version}`,
    createProvider: createProvider(({ baseURL, apiKey, fetch }) =>
      create({ baseURL, apiKey, ...(fetch && { fetch }) })(snapshot.name),
    ),
  });
}

proveProvider({
  name: 'Chat Completions of AI SDK 6',
  startServer: startChatServer,
  createProvider: createProvider(({ baseURL, apiKey, fetch }) =>
    createOpenAICompatible({
      name: 'local',
      baseURL,
      apiKey,
      includeUsage: true,
      supportsStructuredOutputs: true,
      ...(fetch && { fetch }),
    })(snapshot.name),
  ),
  answers: chatAnswers,
  stopReasons: ['max_tokens', 'refusal'],
  reportsStopSequence: false,
  getOutputSchema: getChatSchema,
  reportsInputFirst: false,
  isReadByPackage: true,
  gaps: ['whole replies', 'invalid usage', 'cache writes'],
});

/** The contract of providers, over the Messages API. */

import { anthropicProvider } from '../../../src/models/anthropic/provider.js';
import { type Script as MessagesScript, messagesAnswers, startMessagesServer } from '../../support/messages-server.js';
import type { ModelServer } from '../../support/model-server.js';
import { getMessagesSchema, proveProvider } from '../contract/contract.js';

proveProvider({
  name: 'the Messages API',
  startServer: async (script, options) => {
    // The rules of the server have checked the members that its type names.
    const server = await startMessagesServer(script as MessagesScript, options);
    return server as unknown as ModelServer;
  },
  createProvider: anthropicProvider,
  answers: messagesAnswers,
  stopReasons: ['max_tokens', 'pause_turn', 'refusal', 'model_context_window_exceeded'],
  reportsStopSequence: true,
  getOutputSchema: getMessagesSchema,
  reportsInputFirst: true,
});

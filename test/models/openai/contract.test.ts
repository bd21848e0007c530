/** The contract of providers, over the Chat Completions API. */

import { openaiProvider } from '../../../src/models/openai/provider.js';
import { chatAnswers, startChatServer } from '../../support/chat-server.js';
import { getChatSchema, proveProvider } from '../contract/contract.js';

proveProvider({
  name: 'Chat Completions',
  startServer: startChatServer,
  createProvider: openaiProvider,
  answers: chatAnswers,
  stopReasons: ['max_tokens', 'refusal', 'model_context_window_exceeded'],
  reportsStopSequence: false,
  getOutputSchema: getChatSchema,
  reportsInputFirst: false,
});

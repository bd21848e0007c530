/** A model that asks for one given call and then ends, so that a tool runs alone in a chain like any other. */

import type { Json } from '../../core/lib/index.js';
import type { ReplyBlock } from '../../core/model/index.js';
import type { ModelDefinition, ModelProvider } from '../../models/index.js';

const provider = 'script';
export const scriptedModel = 'tool-call';

/** Its calls are free, so a cost limit counts what the tool spends. */
export const scriptedDefinition: ModelDefinition = {
  provider,
  id: scriptedModel,
  price: { input: 0, output: 0 },
  contextTokens: 1_000_000_000,
};

export function createScriptedModel(tool: string, input: Json): ModelProvider {
  return {
    name: provider,
    models: [scriptedModel],
    call: async ({ request }) => {
      const { messages } = request;
      const isFirst = !messages.some(({ role }) => role === 'assistant');
      const content: readonly ReplyBlock[] = isFirst
        ? [{ type: 'tool_use', id: 'call_1', name: tool, input }]
        : [{ type: 'text', text: 'The call has ended.' }];
      // Plausible, as of a real model: the chain counts the tokens.
      const usage = { input: JSON.stringify(request).length, output: 40, cacheRead: 0, cacheWrite: 0, thinking: 0 };
      const stopReason = isFirst ? 'tool_use' : 'end_turn';
      return { ok: true, reply: { model: scriptedModel, stopReason, content, usage } };
    },
  };
}

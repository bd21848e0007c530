/**
 * A provider whose key is in nothing that it says: what a server or a proxy answers with may repeat the request that it
 * refuses, headers and all, and what a model says goes into the history.
 */

import type { Json } from '../core/lib/json.js';
import type { Reply, ReplyBlock } from '../core/model/model.js';
import type { Hider } from '../core/redact/known-secrets.js';
import { handOut } from '../secrets/handed-out.js';
import type { CallOptions, CallResult, ModelProvider } from './provider.js';

/**
 * Characters of the shortest key that any provider gives out, by far. What is shorter is a word such as `ollama`, which a local
 * server is told because it wants to be told one: it opens nothing, and to hide it would change what the model says.
 */
const shortestKey = 16;

export function withoutItsKey(keys: readonly string[], provider: ModelProvider): ModelProvider {
  const hider = handOut(keys.filter(({ length }) => length >= shortestKey));
  return {
    name: provider.name,
    call: async (call, options) => hidden(await provider.call(call, speaking(options, hider)), hider),
  };
}

/** A key that is spoken in two pieces is not seen here; the step's fact, which takes their place, has none. */
function speaking(options: CallOptions, { text }: Hider): CallOptions {
  const { onText } = options;
  return onText === undefined ? options : { ...options, onText: (delta) => onText(text(delta)) };
}

function hidden(result: CallResult, { text, value }: Hider): CallResult {
  if (!result.ok) return { ok: false, failure: { ...result.failure, message: text(result.failure.message) } };
  const { reply } = result;
  // Blocks are JSON, and keep their shape: what is hidden stands in texts.
  const content = value(reply.content as readonly ReplyBlock[] & Json) as unknown as Reply['content'];
  return { ok: true, reply: { ...reply, model: text(reply.model), content } };
}

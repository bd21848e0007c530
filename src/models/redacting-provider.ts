/**
 * Keeps secrets out of what a provider returns and what its SDK logs. A server or a proxy may repeat the request that it
 * rejects, headers and all, and the text of a model goes into the history.
 */

import type { Json } from '../core/lib/json.js';
import { plain } from '../core/lib/plain.js';
import type { Reply, ReplyBlock } from '../core/model/model.js';
import { hideIn } from '../core/redact/hide-in.js';
import type { Hider } from '../core/redact/known-secrets.js';
import { handedOut, handOut } from '../secrets/handed-out.js';
import type { CallOptions, CallResult, ModelProvider } from './provider.js';

/**
 * Characters of the shortest key that any provider gives out, by far. What is shorter is a word such as `ollama`, which a local
 * server is told because it wants to be told one: it opens nothing, and to hide it would change what the model says.
 */
const shortestKey = 16;

/** The same provider, with its keys hidden in all that it returns. */
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

type Level = 'error' | 'warn' | 'info' | 'debug';
type Say = (message: string, ...more: readonly unknown[]) => void;

const shown = { text: (text: string) => plain(handedOut.text(text)) };

function at(level: Level): Say {
  return (message, ...more) => console[level](shown.text(message), ...more.map((each) => hideIn(each, shown)));
}

/** The log of the SDK where `ANTHROPIC_LOG` asks for it, without secrets that were handed out and without terminal controls. */
export const carefulConsole: Readonly<Record<Level, Say>> = {
  error: at('error'),
  warn: at('warn'),
  info: at('info'),
  debug: at('debug'),
};

/**
 * Keeps secrets out of what a provider returns and what its SDK logs. A server or a proxy may repeat the request that it
 * rejects, headers and all, and the text of a model goes into the history.
 */

import type { Json } from '../core/lib/json.js';
import { toPlainText } from '../core/lib/plain-text.js';
import type { Reply, ReplyBlock } from '../core/model/model.js';
import type { SecretMasker } from '../core/redact/known-secrets.js';
import { maskUnknown } from '../core/redact/mask-unknown.js';
import { registeredSecretsMasker, registerSecrets } from '../secrets/secret-registry.js';
import type { ModelCallOptions, ModelCallResult, ModelProvider } from './provider.js';

/**
 * Characters of the shortest key that any provider gives out, by far. What is shorter is a word such as `ollama`, which a local
 * server is told because it wants to be told one: it opens nothing, and to hide it would change what the model says.
 */
const minKeyLength = 16;

/** The same provider, with its keys hidden in all that it returns. */
export function maskProviderKeys(keys: readonly string[], provider: ModelProvider): ModelProvider {
  const hider = registerSecrets(keys.filter(({ length }) => length >= minKeyLength));
  return {
    name: provider.name,
    call: async (call, options) => maskResult(await provider.call(call, maskStreamedText(options, hider)), hider),
  };
}

/** A key that is spoken in two pieces is not seen here; the step's fact, which takes their place, has none. */
function maskStreamedText(options: ModelCallOptions, { text }: SecretMasker): ModelCallOptions {
  const { onText } = options;
  return onText === undefined ? options : { ...options, onText: (delta) => onText(text(delta)) };
}

function maskResult(result: ModelCallResult, { text, value }: SecretMasker): ModelCallResult {
  if (!result.ok) return { ok: false, failure: { ...result.failure, message: text(result.failure.message) } };
  const { reply } = result;
  // Blocks are JSON, and keep their shape: what is hidden stands in texts.
  const content = value(reply.content as readonly ReplyBlock[] & Json) as unknown as Reply['content'];
  return { ok: true, reply: { ...reply, model: text(reply.model), content } };
}

type ConsoleLevel = 'error' | 'warn' | 'info' | 'debug';
type ConsoleMethod = (message: string, ...more: readonly unknown[]) => void;

const terminalMasker = { text: (text: string) => toPlainText(registeredSecretsMasker.text(text)) };

function createConsoleMethod(level: ConsoleLevel): ConsoleMethod {
  return (message, ...more) =>
    console[level](terminalMasker.text(message), ...more.map((each) => maskUnknown(each, terminalMasker)));
}

/** The log of the SDK where `ANTHROPIC_LOG` asks for it, without secrets that were handed out and without terminal controls. */
export const redactingConsole: Readonly<Record<ConsoleLevel, ConsoleMethod>> = {
  error: createConsoleMethod('error'),
  warn: createConsoleMethod('warn'),
  info: createConsoleMethod('info'),
  debug: createConsoleMethod('debug'),
};

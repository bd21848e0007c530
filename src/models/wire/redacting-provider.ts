/**
 * Masks secrets in a provider's results and its SDK's logs. A server or proxy may repeat a rejected request with its
 * headers, and the model's text goes into the history.
 */

import { type Json, toPlainText } from '../../core/lib/index.js';
import type { Reply, ReplyBlock } from '../../core/model/index.js';
import { maskUnknown, type SecretMasker } from '../../core/redact/index.js';
import { registeredSecretsMasker, registerSecrets } from '../../secrets/index.js';
import type { ModelCallOptions, ModelCallResult, ModelProvider } from './provider.js';

/**
 * Characters of the shortest masked key; real keys are longer. A shorter one is a placeholder such as `ollama` for a
 * local server: it grants no access, and masking it would change the model's text.
 */
const minKeyLength = 16;

/** Wraps a provider to mask its keys in all results. */
export function maskProviderKeys(keys: readonly string[], provider: ModelProvider): ModelProvider {
  const masker = registerSecrets(keys.filter(({ length }) => length >= minKeyLength));
  return {
    ...provider,
    call: async (call, options) => maskResult(await provider.call(call, maskStreamedText(options, masker)), masker),
  };
}

/**
 * Masks streamed text. A key split over two pieces is missed here; the step's fact, which replaces the pieces, has it
 * masked.
 */
function maskStreamedText(options: ModelCallOptions, { text }: SecretMasker): ModelCallOptions {
  const { onText } = options;
  return onText === undefined ? options : { ...options, onText: (delta) => onText(text(delta)) };
}

function maskResult(result: ModelCallResult, { text, value }: SecretMasker): ModelCallResult {
  if (!result.ok) return { ok: false, failure: { ...result.failure, message: text(result.failure.message) } };
  const { reply } = result;
  // Blocks are JSON and keep their shape: only texts are masked.
  const content = value(reply.content as readonly ReplyBlock[] & Json) as unknown as Reply['content'];
  return { ok: true, reply: { ...reply, model: text(reply.model), content } };
}

type ConsoleLevel = 'error' | 'warn' | 'info' | 'debug';
type ConsoleMethod = (message: string, ...more: readonly unknown[]) => void;

const terminalMasker = { text: (text: string) => toPlainText(registeredSecretsMasker.text(text)) };

function createConsoleMethod(level: ConsoleLevel): ConsoleMethod {
  return (message, ...more) =>
    console[level](terminalMasker.text(message), ...more.map((value) => maskUnknown(value, terminalMasker)));
}

/** Console for the log of an SDK (`ANTHROPIC_LOG`, `OPENAI_LOG`), without known secrets and terminal controls. */
export const redactingConsole: Readonly<Record<ConsoleLevel, ConsoleMethod>> = {
  error: createConsoleMethod('error'),
  warn: createConsoleMethod('warn'),
  info: createConsoleMethod('info'),
  debug: createConsoleMethod('debug'),
};

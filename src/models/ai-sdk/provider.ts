/**
 * Model provider for language models of the Vercel AI SDK: any of its packages, as the user set them up. One call is one
 * request: retries are in the functions of `ai`, which are not used.
 */

import { findOwn, type JsonObject } from '../../core/lib/index.js';
import { defaults, type ModelFailure } from '../../core/model/index.js';
import { type Duration, parseDuration } from '../../options/index.js';
import { markOperation } from '../../timing/index.js';
import { messagesFiles } from '../wire/call-content.js';
import { createFailure, toFailedResult, toIncompleteStreamFailure } from '../wire/call-failure.js';
import { createPacer } from '../wire/pacer.js';
import type { ModelCall, ModelCallOptions, ModelCallResult, ModelProvider } from '../wire/provider.js';
import { maskProviderKeys } from '../wire/redacting-provider.js';
import { defaultStallMs } from '../wire/send-call.js';
import { createWatchdog, type Watchdog } from '../wire/watchdog.js';
import { toEndFailure, toOtherServerFailure, toStartFailure, toStreamFailure } from './failure.js';
import { type AiSdkModel, type AiSdkModels, validateAiSdkModels } from './model.js';
import { toCallOptions } from './prompt.js';
import { AiSdkReply } from './reply.js';
import { type StartedStream, startStream } from './stream.js';
import { createWarner } from './warnings.js';

export interface AiSdkOptions {
  /** Its name among the providers of a worker, in facts and telemetry. Default `ai-sdk`. */
  readonly name?: string | undefined;
  /** Provider options of all calls, as in the AI SDK: `{ anthropic: { cacheControl: { type: 'ephemeral' } } }`. */
  readonly providerOptions?: Readonly<Record<string, JsonObject>> | undefined;
  /** Keys of the models, to be masked in replies and errors: model objects do not show them. */
  readonly apiKeys?: readonly string[] | undefined;
  /** Time without a part before a call fails as stalled: milliseconds or `'90s'`. Default two minutes. */
  readonly stallTimeout?: Duration | undefined;
  /** Called once for each warning of a model, such as an unsupported setting. Default: the console. */
  readonly onWarning?: ((warning: string) => void) | undefined;
}

/** APIs that combine an output schema with tools, by the names of their packages: `openai.chat`, `anthropic.messages`. */
const toolProviders = /^(openai|azure|anthropic)\b/;

/** Milliseconds for the connection of a complete reply to close by itself, for reuse. */
const closeGraceMs = 1_000;

/**
 * Creates a provider for language models of the Vercel AI SDK (6 and 7), by the names that agents use.
 *
 * @throws {LonghandError} `invalid_options` when a value is not a language model of a supported version
 * @example
 * await runWorker({ agents: [meteorologist], providers: [aiSdkProvider({ 'gpt-5': openai('gpt-5') })] });
 */
export function aiSdkProvider(models: AiSdkModels, options: AiSdkOptions = {}): ModelProvider {
  validateAiSdkModels(models);
  const stallMs = parseDuration(options.stallTimeout ?? defaultStallMs, 'stallTimeout');
  const warn = createWarner(options.onWarning);
  return maskProviderKeys(options.apiKeys ?? [], {
    name: options.name ?? 'ai-sdk',
    models: Object.keys(models),
    files: messagesFiles,
    structuredOutput: Object.values(models).every(({ provider }) => toolProviders.test(provider))
      ? 'with_tools'
      : 'without_tools',
    call: async (call, callOptions) => {
      const model = findOwn(models, call.model.id);
      if (model === undefined) return toFailedResult(createUnknownModelFailure(call.model.id, models));
      const watch = createWatchdog(callOptions.signal, stallMs, call.model.timeoutMs);
      try {
        return await sendCall({ model, call, watch, warn, options: options.providerOptions ?? {} }, callOptions);
      } finally {
        watch.stop();
      }
    },
  });
}

interface Sending {
  readonly model: AiSdkModel;
  readonly call: ModelCall;
  readonly watch: Watchdog;
  readonly warn: (warnings: unknown) => void;
  readonly options: Readonly<Record<string, JsonObject>>;
}

async function sendCall(sending: Sending, { onText }: ModelCallOptions): Promise<ModelCallResult> {
  const { model, call, watch, warn, options } = sending;
  if (watch.getEnd() !== null) return toFailedResult(notSentFailure);
  let stream: StartedStream;
  try {
    stream = await startStream(model, toCallOptions(model, call, options), watch.signal);
  } catch (error) {
    return toFailedResult(toStartFailure(error, watch.getEnd()));
  }
  const reply = new AiSdkReply(model);
  const pacer = createPacer();
  const toResult = (failure: ModelFailure): ModelCallResult => {
    // A complete reply stays valid however its connection ended.
    if (reply.finish?.kind === 'complete') return { ok: true, reply: reply.toReply() };
    const isEmpty = failure.kind === 'cut' && !reply.hasContent;
    return toFailedResult((isEmpty ? toOtherServerFailure(stream.contentType) : null) ?? failure);
  };
  try {
    for await (const part of stream.parts) {
      markOperation('model reply');
      if (reply.finish === null) watch.recordActivity();
      if (part.type === 'stream-start') warn(part.warnings);
      if (part.type === 'error' && reply.finish === null) {
        return toResult(toStreamFailure(part.error, watch.getEnd()));
      }
      const text = reply.consume(part);
      if (reply.fault !== null) return toFailedResult(createFailure('invalid_reply', reply.fault));
      const pause = pacer.pause();
      if (pause !== undefined) await pause;
      if (reply.receivedBytes > defaults.streamBytes) return toResult(tooLongFailure);
      if (text !== '') onText?.(text);
      if (part.type === 'finish') watch.finish(closeGraceMs);
    }
  } catch (error) {
    return toResult(toStreamFailure(error, watch.getEnd()));
  }
  return toResult(toUnfinishedFailure(reply, watch));
}

function toUnfinishedFailure(reply: AiSdkReply, watch: Watchdog): ModelFailure {
  const endedBy = watch.getEnd();
  if (endedBy !== null) return toEndFailure(endedBy);
  if (reply.finish?.kind === 'failed')
    return createFailure('server_error', 'the provider ended the reply with an error');
  return toIncompleteStreamFailure();
}

function createUnknownModelFailure(name: string, models: AiSdkModels): ModelFailure {
  const known = Object.keys(models).join(', ');
  const message = `aiSdkProvider has no model "${name}". It has: ${known}. Add the model to it, or change the agent's model`;
  return { ...createFailure('not_found', message), settle: 'nothing' };
}

const tooLongFailure = createFailure('too_large', `the reply has more than ${defaults.streamBytes} bytes`);

const notSentFailure: ModelFailure = {
  ...createFailure('cancelled', 'the call was cancelled before it was sent'),
  settle: 'nothing',
};

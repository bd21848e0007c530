/** Calls to models of the AI SDK as a chain makes them: real packages on a scripted server, and models made of parts. */

import { createAnthropic } from '@ai-sdk/anthropic';
import { createAnthropic as createAnthropic7 } from 'ai-sdk-anthropic-4';
import type { ModelFailure } from '../../../src/core/model/fact.js';
import type { Reply } from '../../../src/core/model/model.js';
import type { AiSdkModel, AiSdkOptions } from '../../../src/entries/models.js';
import { aiSdkProvider } from '../../../src/models/ai-sdk/provider.js';
import type { ModelCallResult } from '../../../src/models/wire/provider.js';
import { type Changes, request, snapshot } from '../call.js';

/** The package of each supported major version of the AI SDK. */
export const versions: readonly (readonly [version: string, createModel: (url: string) => AiSdkModel])[] = [
  ['6', (url: string) => createAnthropic({ baseURL: `${url}/v1`, apiKey: 'test' })(snapshot.name)],
  ['7', (url: string) => createAnthropic7({ baseURL: `${url}/v1`, apiKey: 'test' })(snapshot.name)],
];

export type AiSdkChanges = Omit<Changes, 'provider'> & {
  readonly provider?: AiSdkOptions;
  readonly files?: ReadonlyMap<string, Uint8Array>;
};

export function callModel(model: AiSdkModel, changes: AiSdkChanges = {}): Promise<ModelCallResult> {
  const call = {
    request: { ...request, ...changes.request },
    model: { ...snapshot, ...changes.model },
    maxTokens: changes.maxTokens ?? 2_000,
    ...(changes.files !== undefined && { files: changes.files }),
  };
  const provider = aiSdkProvider({ [snapshot.name]: model }, { onWarning: () => {}, ...changes.provider });
  return provider.call(call, { signal: new AbortController().signal, ...changes.options });
}

export async function replyOf(model: AiSdkModel, changes?: AiSdkChanges): Promise<Reply> {
  const result = await callModel(model, changes);
  if (!result.ok) throw new Error(`no reply: ${JSON.stringify(result.failure)}`);
  return result.reply;
}

export async function failureOf(model: AiSdkModel, changes?: AiSdkChanges): Promise<ModelFailure> {
  const result = await callModel(model, changes);
  if (result.ok) throw new Error(`no failure: ${JSON.stringify(result.reply)}`);
  return result.failure;
}

export const usage = {
  inputTokens: { total: 30, noCache: 30, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 7, text: 7, reasoning: 0 },
};

export const finish = { type: 'finish', usage, finishReason: { unified: 'stop', raw: 'stop' } };

/** The parts of a text. */
export function textParts(text: string, providerMetadata?: object): readonly object[] {
  return [
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', delta: text },
    { type: 'text-end', id: 't', ...(providerMetadata && { providerMetadata }) },
  ];
}

export interface PartsModel extends AiSdkModel {
  /** The options of its calls. */
  readonly calls: { readonly prompt: readonly { readonly role: string; readonly content: unknown }[] }[];
}

/** Creates a model that streams these parts, even when its signal aborts. */
export function createPartsModel(
  parts: Iterable<object>,
  {
    provider = 'some.chat',
    end = true,
    headers = {},
  }: { provider?: string; end?: boolean; headers?: Record<string, string> } = {},
): PartsModel {
  const calls: PartsModel['calls'] = [];
  return {
    specificationVersion: 'v3',
    provider,
    modelId: 'some-model',
    calls,
    doStream: async (options: PartsModel['calls'][number]) => {
      calls.push(options);
      const iterator = parts[Symbol.iterator]();
      const stream = new ReadableStream<object>({
        pull: (controller) => {
          const { done, value } = iterator.next();
          if (done !== true) return controller.enqueue(value);
          if (end) return controller.close();
          return new Promise(() => {});
        },
      });
      return { stream, response: { headers } };
    },
  };
}

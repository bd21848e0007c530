/**
 * Language models of the Vercel AI SDK, as far as Longhand uses them. The types are structural: neither `ai` nor its
 * packages are imported, so that any version of them fits.
 */

import { LonghandError } from '../../core/lib/index.js';

/** A language model object: `anthropic('claude-sonnet-5-5')`, `openai('gpt-5')`. */
export interface AiSdkModel {
  /** v3: AI SDK 6. v4: AI SDK 7. */
  readonly specificationVersion: 'v3' | 'v4';
  /** `anthropic.messages`, `openai.responses` */
  readonly provider: string;
  readonly modelId: string;
  /** Makes one request; the retries of the AI SDK are not in the model. `never`, because versions have different options. */
  doStream(options: never): PromiseLike<AiSdkStreamResult>;
}

export interface AiSdkStreamResult {
  readonly stream: AiSdkStream;
  readonly response?: { readonly headers?: Readonly<Record<string, string>> | undefined } | undefined;
}

/** The used part of a `ReadableStream`. */
export interface AiSdkStream {
  getReader(): AiSdkStreamReader;
}

export interface AiSdkStreamReader {
  read(): Promise<{ readonly done: boolean; readonly value?: unknown }>;
  cancel(reason?: unknown): Promise<void>;
}

/** Models by the names that agents use. */
export type AiSdkModels = Readonly<Record<string, AiSdkModel>>;

/** The version of the AI SDK for each version of the specification. */
const sdkVersions: ReadonlyMap<unknown, number> = new Map([
  ['v1', 4],
  ['v2', 5],
  ['v3', 6],
  ['v4', 7],
]);

const supportedVersions: readonly unknown[] = ['v3', 'v4'] satisfies AiSdkModel['specificationVersion'][];

/** @throws {LonghandError} `invalid_options` when a value is not a language model of a supported version */
export function validateAiSdkModels(models: unknown): void {
  if (typeof models !== 'object' || models === null || Array.isArray(models) || Object.keys(models).length === 0) {
    throwInvalid("Invalid models: expected an object with at least one model, such as { fast: openai('gpt-5') }.");
  }
  for (const [name, model] of Object.entries(models)) validateModel(name, model);
}

function validateModel(name: string, model: unknown): void {
  if (typeof model === 'string') {
    throwInvalid(
      `Invalid model "${name}": it is the text "${model}". Pass a model object, such as openai('${model}').`,
    );
  }
  const { specificationVersion: version, doStream } = Object(model) as Partial<Record<keyof AiSdkModel, unknown>>;
  if (version === undefined || typeof doStream !== 'function') {
    throwInvalid(
      `Invalid model "${name}": expected a language model object of the AI SDK, such as openai('gpt-5') of @ai-sdk/openai.`,
    );
  }
  if (supportedVersions.includes(version)) return;
  const sdk = sdkVersions.get(version);
  const origin = sdk === undefined ? '' : ` (AI SDK ${sdk})`;
  const fix =
    sdk === undefined
      ? 'Update longhand, or install a version of its provider package for AI SDK 7.'
      : 'Update its provider package, such as `npm install @ai-sdk/openai@latest`.';
  throwInvalid(
    `Unsupported model "${name}": its specification version is ${String(version)}${origin}. Supported are v3 (AI SDK 6) and v4 (AI SDK 7). ${fix}`,
  );
}

function throwInvalid(message: string): never {
  throw new LonghandError('invalid_options', message);
}

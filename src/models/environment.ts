/** Creates the model providers of the environment, for the worker, the command line and the demo. */

import { LonghandError } from '../core/lib/index.js';
import { createDefaultSecrets, readSecret, type SecretProvider } from '../secrets/index.js';
import { anthropicProvider } from './anthropic/provider.js';
import { openaiProvider } from './openai/provider.js';
import { parseBaseUrl, parseChatUrl } from './wire/connection.js';
import type { ModelProvider } from './wire/provider.js';

export interface EnvironmentProvider {
  readonly provider: ModelProvider;
  /** Target of the calls, for display; never contains a key. */
  readonly description: string;
  /** Address that its calls go to. */
  readonly address: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Creates the providers that the environment configures, all of them at once; none with neither a server nor a key.
 *
 * 1. The Messages API, at `LONGHAND_MODEL_URL`; or with `ANTHROPIC_API_KEY` or `ANTHROPIC_AUTH_TOKEN`, at `ANTHROPIC_BASE_URL`
 *    where it is set. A key is optional for `LONGHAND_MODEL_URL`.
 * 2. Chat Completions, with `OPENAI_API_KEY`, or with `OPENAI_BASE_URL` alone, for a local server.
 * 3. Gemini's endpoint for Chat Completions, with `GEMINI_API_KEY`.
 *
 * Each has the name of the service at its address, so that rules, circuits and prices of a service are not those of another
 * host. Servers of your own are `model-server` and `chat-server` at any address: running chains find them after they moved.
 *
 * @param secrets where the keys are read
 * @throws {LonghandError} `model_not_configured` for an invalid address, `secret_unreadable` when a key cannot be read
 */
export async function createProvidersFromEnvironment(
  env: Environment,
  secrets: SecretProvider = createDefaultSecrets(env),
): Promise<readonly EnvironmentProvider[]> {
  const made = [
    await createMessagesProvider(env, secrets),
    await createOpenaiProvider(env, secrets),
    await createGeminiProvider(secrets),
  ].filter((provider) => provider !== null);
  return made.filter((candidate, at) => {
    const same = made.slice(0, at).find(({ provider }) => provider.name === candidate.provider.name);
    if (same !== undefined && same.address !== candidate.address) throw createAmbiguityError(same, candidate);
    return same === undefined;
  });
}

/** One of them would be omitted: its key and its API would not be used, without a word. */
function createAmbiguityError(one: EnvironmentProvider, other: EnvironmentProvider): LonghandError {
  const { name } = one.provider;
  return new LonghandError(
    'model_not_configured',
    `The environment configures ${name} twice: ${one.description}, and ${other.description}. Unset one of the variables, or pass providers with names of their own to createWorker.`,
  );
}

async function createMessagesProvider(env: Environment, secrets: SecretProvider): Promise<EnvironmentProvider | null> {
  const own = findVariable(env.LONGHAND_MODEL_URL);
  const apiKey = (await readKey('ANTHROPIC_API_KEY', secrets)) ?? (await readKey('ANTHROPIC_AUTH_TOKEN', secrets));
  if (own === undefined && apiKey === undefined) return null;
  const baseURL = own ?? findVariable(env.ANTHROPIC_BASE_URL);
  const address = parseBaseUrl(baseURL ?? 'https://api.anthropic.com').address;
  return {
    provider: anthropicProvider({ baseURL, apiKey }),
    description: baseURL === undefined ? 'Claude at api.anthropic.com' : `Messages API at ${address}`,
    address,
  };
}

async function createOpenaiProvider(env: Environment, secrets: SecretProvider): Promise<EnvironmentProvider | null> {
  const baseURL = findVariable(env.OPENAI_BASE_URL);
  const apiKey = await readKey('OPENAI_API_KEY', secrets);
  if (baseURL === undefined && apiKey === undefined) return null;
  const address = parseChatUrl(baseURL ?? 'https://api.openai.com/v1').address;
  return {
    provider: openaiProvider({ baseURL, apiKey }),
    description: baseURL === undefined ? 'OpenAI at api.openai.com' : `Chat Completions API at ${address}`,
    address,
  };
}

/** Gemini's endpoint for Chat Completions. */
const geminiUrl = 'https://generativelanguage.googleapis.com/v1beta/openai';

async function createGeminiProvider(secrets: SecretProvider): Promise<EnvironmentProvider | null> {
  const apiKey = await readKey('GEMINI_API_KEY', secrets);
  if (apiKey === undefined) return null;
  const provider = openaiProvider({ baseURL: geminiUrl, apiKey });
  return { provider, description: 'Gemini at generativelanguage.googleapis.com', address: geminiUrl };
}

/** `Claude at api.anthropic.com, OpenAI at api.openai.com` */
export function describeProviders(providers: readonly EnvironmentProvider[]): string {
  return providers.map(({ description }) => description).join(', ');
}

/** Returns the model of agents whose definition names none: `LONGHAND_MODEL`; null when unset. */
export function readDefaultModel(env: Environment): string | null {
  return findVariable(env.LONGHAND_MODEL) ?? null;
}

/** Returns the path of the catalogue of models: `LONGHAND_MODELS`; null when unset. */
export function readModelsFile(env: Environment): string | null {
  return findVariable(env.LONGHAND_MODELS) ?? null;
}

/** Returns the path of the price map: `LONGHAND_PRICES`; undefined when unset. */
export function readPricesFile(env: Environment): string | undefined {
  return findVariable(env.LONGHAND_PRICES);
}

async function readKey(name: string, secrets: SecretProvider): Promise<string | undefined> {
  const key = await readSecret(secrets, name, { tenant: null });
  if (key.kind === 'unreadable')
    throw new LonghandError('secret_unreadable', `Cannot read the secret ${name} (${key.errorKind}).`);
  return key.kind === 'found' ? key.value.trim() : undefined;
}

/** Treats an empty variable as unset, as in a shell's `NAME= command`. */
function findVariable(text: string | undefined): string | undefined {
  const trimmed = text?.trim();
  return trimmed === '' ? undefined : trimmed;
}

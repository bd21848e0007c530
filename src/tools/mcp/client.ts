/** An open client of an MCP server, over either transport. */

import { shorten } from '../../core/lib/display.js';
import { LonghandError, toErrorMessage } from '../../core/lib/errors.js';
import type { Json, JsonObject } from '../../core/lib/json.js';
import { showInvisible, toOneLine } from '../../core/lib/plain-text.js';
import { noSecretMasker, type SecretMasker } from '../../core/redact/known-secrets.js';
import { readSecret } from '../../secrets/secret-provider.js';
import { registerSecrets } from '../../secrets/secret-registry.js';
import { withTimeout } from '../../timing/with-timeout.js';
import type { SourceContext } from '../define/tool-source.js';
import { createBoundedFetch } from './bounded-fetch.js';
import { createCancellingFetch } from './end-cancelled.js';
import { toMcpFailure } from './failure.js';
import { type McpSettings, type McpUrlOptions, type McpValue, mcpDefaults } from './options.js';
import { loadMcpSdk, type McpSdk } from './sdk.js';
import { noServerRequests, type ServerRequests } from './server-requests.js';
import { createTurns } from './turns.js';

export interface McpProgress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

export interface McpRequestOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: McpProgress) => void;
  /** Only of a call: answers what the server requests meanwhile. */
  readonly requests?: ServerRequests;
}

export interface McpClient {
  /** Higher after each change of the tools that the server reports. */
  readonly getRevision: () => number;
  /** Whether the server offers this. */
  readonly has: (what: 'resources' | 'prompts') => boolean;
  /** Returns the result as the server sent it, with the secrets of the connection masked. @throws {McpFailure} */
  readonly request: (method: string, params: JsonObject, options: McpRequestOptions) => Promise<JsonObject>;
  /** Resolves when it has ended, with the reason. */
  readonly ended: Promise<string>;
  /** Resolves when no request waits for its answer. */
  readonly settled: () => Promise<void>;
  /** Resolves when its process has ended, too. */
  readonly close: () => Promise<void>;
}

/** For a process to end after its input, and for a signal and another one after that. */
const endMs = 5_000;
/** Characters of a line in the log. */
const maxLogLength = 1_000;

/**
 * Connects to a server.
 *
 * @param track receives what still has to end after a failed attempt
 * @throws {Error} where the server cannot be reached, or a secret is missing
 */
export async function openMcpClient(
  settings: McpSettings,
  { secrets, log }: SourceContext,
  track: (ending: Promise<void>) => void,
): Promise<McpClient> {
  const { options, connectMs } = settings;
  const sdk = await loadMcpSdk();
  const values = await readValues(options, secrets);
  let revision = 0;
  let hasEnded = false;
  const pending = new Set<Promise<JsonObject>>();
  let lastProblem = '';
  const note = (message: string) => {
    const problem = `${shorten(values.mask.text(toOneLine(message)), 300).replace(/\.$/, '')}.`;
    log.debug(`MCP server ${options.name}: ${problem}`);
    // The rest of a message that is too large follows as noise, and must not hide the reason.
    if (!/maximum size/.test(lastProblem)) lastProblem = problem;
  };
  const client = new sdk.Client(
    { name: 'longhand', version: '1' },
    // The official validator compiles schemas of the server to code. Results are validated as those of other tools.
    {
      capabilities: {
        ...(options.elicitation === undefined ? {} : { elicitation: { form: {} } }),
        ...(options.sampling === undefined ? {} : { sampling: {} }),
      },
      jsonSchemaValidator: {
        getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
      },
    },
  );
  const { transport, terminate } = createTransport(sdk, settings, values, {
    onBroken: (why) => end(why),
    onMissed: () => {
      revision += 1;
    },
    logLine: (text) =>
      log.debug(`MCP server ${options.name}: ${shorten(showInvisible(toOneLine(text)), maxLogLength)}`),
  });
  const ended = new Promise<string>((resolve) => {
    client.onclose = () => {
      hasEnded = true;
      resolve(lastProblem);
    };
  });
  client.onerror = (error) => note(toErrorMessage(error));
  client.setNotificationHandler(sdk.ToolListChangedNotificationSchema, () => {
    revision += 1;
  });
  /** Calls share the connection freely where the server may request nothing. */
  const isShared = options.elicitation === undefined && options.sampling === undefined;
  const turns = createTurns<ServerRequests>();
  let isEnding = false;
  const end = (why: string) => {
    isEnding = true;
    note(why);
    void client.close();
  };
  const answer = async (method: 'elicit' | 'sample', params: object): Promise<never> => {
    const owner = turns.getOwner();
    if (owner === null || isEnding) throw new Error('No call is active for this request.');
    return (await owner[method](values.mask.value(params as Json) as JsonObject)) as never;
  };
  if (options.elicitation !== undefined)
    client.setRequestHandler(sdk.ElicitRequestSchema, ({ params }) => answer('elicit', params));
  if (options.sampling !== undefined)
    client.setRequestHandler(sdk.CreateMessageRequestSchema, ({ params }) => answer('sample', params));
  const close = async () => {
    await withTimeout(
      terminate().catch(() => {}),
      endMs / 2,
    );
    await withTimeout(
      client.close().catch(() => {}),
      endMs,
    );
    await withTimeout(ended, endMs);
  };
  try {
    const connected = await withTimeout(
      client.connect(transport as never, { timeout: connectMs }).then(() => true),
      connectMs + 500,
    );
    if (connected === null) throw new Error(`It did not answer within ${connectMs} ms.`);
  } catch (error) {
    track(close());
    throw new Error(describeFailedConnect(error, lastProblem, { ...settings, mask: values.mask }));
  }
  const send = async (
    method: string,
    params: JsonObject,
    { timeoutMs, signal, onProgress, requests = noServerRequests }: McpRequestOptions,
  ): Promise<JsonObject> => {
    const { mask } = values;
    const endsAt = Date.now() + timeoutMs;
    const endTurn = isShared || !mayRequest.has(method) ? null : await turns.take(requests, { timeoutMs, signal });
    try {
      const result = await client.request({ method, params } as never, sdk.ResultSchema, {
        timeout: Math.max(1, endsAt - Date.now()),
        ...(signal === undefined ? {} : { signal }),
        ...(onProgress === undefined
          ? {}
          : { onprogress: (progress) => onProgress(mask.value(progress as Json) as never) }),
      });
      // A server may repeat the secret that it got.
      return mask.value(result as Json) as JsonObject;
    } catch (error) {
      const isLocal = hasEnded || signal?.aborted === true || Date.now() >= endsAt;
      if (isLocal && endTurn !== null) end('A call ended before the server answered.');
      throw toMcpFailure(error, sdk, { lastProblem, isLocal, mask: mask.text });
    } finally {
      endTurn?.();
    }
  };
  return {
    getRevision: () => revision,
    has: (what) => client.getServerCapabilities()?.[what] !== undefined,
    request: (method, params, requestOptions) => {
      const sent = send(method, params, requestOptions).finally(() => pending.delete(sent));
      pending.add(sent);
      return sent;
    },
    settled: async () => {
      await Promise.allSettled(pending);
    },
    ended,
    close,
  };
}

/** Requests during which a server may send its own. */
const mayRequest: ReadonlySet<string> = new Set(['tools/call', 'resources/read', 'prompts/get']);

function describeFailedConnect(
  error: unknown,
  lastProblem: string,
  { connectMs, mask }: Pick<McpSettings, 'connectMs'> & Pick<ConnectionValues, 'mask'>,
): string {
  const message = mask.text(toErrorMessage(error));
  if (/-32001/.test(message)) return `It did not answer within ${connectMs} ms.`;
  const { cause } = Object(error) as { readonly cause?: unknown };
  const why = cause instanceof Error ? ` (${mask.text(toErrorMessage(cause))})` : '';
  if (/-32000/.test(message)) return `It ended, or wrote no valid message. ${lastProblem}`.trim();
  return shorten(toOneLine(`${message}${why}`), 500);
}

interface ConnectionValues {
  readonly get: (value: McpValue) => string;
  /** Masks the secrets so far. */
  readonly mask: Pick<SecretMasker, 'text' | 'value'>;
  /** Adds a secret that the server or its authorization server issued. */
  readonly addSecret: (value: string) => void;
}

/** Reads the secrets of a connection. They are read again for each one. */
async function readValues(
  options: McpSettings['options'],
  secrets: SourceContext['secrets'],
): Promise<ConnectionValues> {
  const written = [
    ...Object.values('command' in options ? (options.env ?? {}) : (options.headers ?? {})),
    ...('url' in options && options.auth !== undefined ? [options.auth.clientSecret] : []),
  ];
  const names = new Set(written.flatMap((value) => (typeof value === 'string' ? [] : [value.secret])));
  const read = async (name: string): Promise<readonly [string, string]> => {
    const found = (await withTimeout(readSecret(secrets, name, { tenant: null }), 5_000))?.value;
    if (found?.kind === 'found') return [name, found.value];
    const why = found?.kind === 'missing' ? 'is not set' : 'cannot be read';
    throw new LonghandError(
      'source_unreachable',
      `The secret ${name} ${why}. Set it where this worker reads its secrets.`,
    );
  };
  const values = new Map(await Promise.all([...names].map(read)));
  const get = (value: McpValue) =>
    typeof value === 'string' ? value : `${value.prefix ?? ''}${values.get(value.secret) ?? ''}`;
  const known = new Set(values.values());
  let masker = registerSecrets([...known]);
  return {
    get,
    mask: {
      text: (text) => masker.text(text),
      value: (value) => (masker === noSecretMasker ? value : masker.value(value)),
    },
    addSecret: (value) => {
      known.add(value);
      masker = registerSecrets([...known]);
    },
  };
}

interface TransportEvents {
  readonly onBroken: (why: string) => void;
  readonly onMissed: () => void;
  readonly logLine: (text: string) => void;
}

function createTransport(
  sdk: McpSdk,
  { options }: McpSettings,
  { get, addSecret }: ConnectionValues,
  { onBroken, onMissed, logLine }: TransportEvents,
): { readonly transport: object; readonly terminate: () => Promise<void> } {
  const { maxBytes = mcpDefaults.maxBytes } = options;
  const resolve = (given: { readonly [name: string]: McpValue } = {}) =>
    Object.fromEntries(Object.entries(given).map(([name, value]) => [name, get(value)]));
  if ('command' in options) {
    const { command, args = [], cwd } = options;
    const transport = new sdk.StdioClientTransport({
      ...{ command, args: [...args], env: resolve(options.env), stderr: 'pipe', maxBufferSize: maxBytes },
      ...(cwd === undefined ? {} : { cwd }),
    });
    transport.stderr?.on('data', (chunk: Buffer) => logLine(chunk.subarray(0, 4 * maxLogLength).toString()));
    return { transport, terminate: async () => {} };
  }
  const transport = new sdk.StreamableHTTPClientTransport(new URL(options.url), {
    requestInit: { headers: resolve(options.headers) },
    fetch: createCancellingFetch(
      createBoundedFetch({
        ...{ maxBytes, onBroken, onMissed },
        origin: new URL(options.url).origin,
        otherOrigins: options.auth?.issuer === undefined ? [] : [new URL(options.auth.issuer).origin],
        ownHeaders: Object.keys(options.headers ?? {}),
      }),
    ),
    ...toAuthPart(sdk, options, { get, addSecret }),
  });
  return { transport, terminate: () => transport.terminateSession() };
}

function toAuthPart(
  sdk: McpSdk,
  { auth }: McpUrlOptions,
  { get, addSecret }: Pick<ConnectionValues, 'get' | 'addSecret'>,
) {
  if (auth === undefined) return {};
  const { clientId, clientSecret, issuer, scope } = auth;
  const authProvider = new sdk.ClientCredentialsProvider({
    ...{ clientId, clientSecret: get(clientSecret), expectedIssuer: issuer },
    ...(scope === undefined ? {} : { scope }),
  });
  const save = authProvider.saveTokens.bind(authProvider);
  authProvider.saveTokens = (tokens) => {
    addSecret(tokens.access_token);
    return save(tokens);
  };
  return { authProvider };
}

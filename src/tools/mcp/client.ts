/** An open client of an MCP server, over either transport. */

import {
  type Json,
  type JsonObject,
  LonghandError,
  omitUndefined,
  shorten,
  showInvisible,
  toErrorMessage,
  toOneLine,
} from '../../core/lib/index.js';
import { noSecretMasker, type SecretMasker } from '../../core/redact/index.js';
import { readSecret, registerSecrets } from '../../secrets/index.js';
import { withTimeout } from '../../timing/index.js';
import type { SourceContext } from '../define/index.js';
import { createBoundedFetch } from './bounded-fetch.js';
import { createCancellingFetch } from './end-cancelled.js';
import { toMcpFailure } from './failure.js';
import { type McpSettings, type McpUrlOptions, type McpValue, mcpDefaults } from './options.js';
import { loadMcpSdk, type McpSdk } from './sdk.js';
import { noServerRequests, type ServerRequests } from './server-requests.js';
import { createTurns } from './turns.js';

interface McpProgress {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

export interface McpRequestOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: McpProgress) => void;
  /** Only of a call: answers what the server requests in the meantime. */
  readonly requests?: ServerRequests;
}

/** For a process to end after its input, and for a signal and another one after that. */
const endMs = 5_000;
/** Characters of a line in the log. */
const maxLogLength = 1_000;

export class McpClient {
  /** Resolves when it has ended, with the reason. */
  readonly ended: Promise<string>;
  private readonly client: InstanceType<McpSdk['Client']>;
  private readonly transport: ReturnType<typeof createTransport>;
  private readonly turns = createTurns<ServerRequests>();
  private readonly pending = new Set<Promise<JsonObject>>();
  private revision = 0;
  private hasEnded = false;
  private isEnding = false;
  private lastProblem = '';

  constructor(
    private readonly sdk: McpSdk,
    private readonly settings: McpSettings,
    private readonly values: ConnectionValues,
    private readonly log: SourceContext['log'],
  ) {
    const { name, elicitation, sampling } = settings.options;
    this.client = new sdk.Client(
      { name: 'longhand', version: '1' },
      // The official validator compiles schemas of the server to code. Results are validated as those of other tools.
      {
        capabilities: {
          ...(elicitation === undefined ? {} : { elicitation: { form: {} } }),
          ...(sampling === undefined ? {} : { sampling: {} }),
        },
        jsonSchemaValidator: {
          getValidator: () => (data) => ({ valid: true, data: data as never, errorMessage: undefined }),
        },
      },
    );
    this.transport = createTransport(sdk, settings, values, {
      onBroken: (why) => this.end(why),
      onMissed: () => {
        this.revision += 1;
      },
      logLine: (text) => log.debug(`MCP server ${name}: ${shorten(showInvisible(toOneLine(text)), maxLogLength)}`),
    });
    this.ended = new Promise<string>((resolve) => {
      this.client.onclose = () => {
        this.hasEnded = true;
        resolve(this.lastProblem);
      };
    });
    this.client.onerror = (error) => this.note(toErrorMessage(error));
    this.client.setNotificationHandler(sdk.ToolListChangedNotificationSchema, () => {
      this.revision += 1;
    });
    if (elicitation !== undefined)
      this.client.setRequestHandler(sdk.ElicitRequestSchema, ({ params }) => this.answer('elicit', params));
    if (sampling !== undefined)
      this.client.setRequestHandler(sdk.CreateMessageRequestSchema, ({ params }) => this.answer('sample', params));
  }

  /** @throws {Error} if the server cannot be reached */
  async connect(): Promise<void> {
    const { connectMs } = this.settings;
    try {
      const connected = await withTimeout(
        this.client.connect(this.transport.transport as never, { timeout: connectMs }).then(() => true),
        connectMs + 500,
      );
      if (connected === null) throw new Error(`It did not answer within ${connectMs} ms.`);
    } catch (error) {
      throw new Error(describeFailedConnect(error, this.lastProblem, { connectMs, mask: this.values.mask }));
    }
  }

  /** Returns a number that is higher after each change of the tools that the server reports. */
  getRevision(): number {
    return this.revision;
  }

  /** Whether the server offers this. */
  has(what: 'resources' | 'prompts'): boolean {
    return this.client.getServerCapabilities()?.[what] !== undefined;
  }

  /** Returns the result as the server sent it, with the secrets of the connection masked. @throws {McpFailure} */
  request(method: string, params: JsonObject, options: McpRequestOptions): Promise<JsonObject> {
    const sent = this.send(method, params, options).finally(() => this.pending.delete(sent));
    this.pending.add(sent);
    return sent;
  }

  /** Resolves when no request waits for its answer. */
  async settled(): Promise<void> {
    await Promise.allSettled(this.pending);
  }

  /** Resolves when its process has ended, too. */
  async close(): Promise<void> {
    await withTimeout(
      this.transport.terminate().catch(() => {}),
      endMs / 2,
    );
    await withTimeout(
      this.client.close().catch(() => {}),
      endMs,
    );
    await withTimeout(this.ended, endMs);
  }

  private note(message: string): void {
    const problem = `${shorten(this.values.mask.text(toOneLine(message)), 300).replace(/\.$/, '')}.`;
    this.log.debug(`MCP server ${this.settings.options.name}: ${problem}`);
    // The rest of a message that is too large follows as noise, and must not hide the reason.
    if (!/maximum size/.test(this.lastProblem)) this.lastProblem = problem;
  }

  private end(why: string): void {
    this.isEnding = true;
    this.note(why);
    void this.client.close();
  }

  private async answer(method: 'elicit' | 'sample', params: object): Promise<never> {
    const owner = this.turns.getOwner();
    if (owner === null || this.isEnding) throw new Error('No call is active for this request.');
    return (await owner[method](this.values.mask.value(params as Json) as JsonObject)) as never;
  }

  /** Calls share the connection freely if the server may request nothing. */
  private isShared(): boolean {
    const { elicitation, sampling } = this.settings.options;
    return elicitation === undefined && sampling === undefined;
  }

  private async send(
    method: string,
    params: JsonObject,
    { timeoutMs, signal, onProgress, requests = noServerRequests }: McpRequestOptions,
  ): Promise<JsonObject> {
    const { mask } = this.values;
    const endsAt = Date.now() + timeoutMs;
    const endTurn =
      this.isShared() || !mayRequest.has(method) ? null : await this.turns.take(requests, { timeoutMs, signal });
    try {
      const result = await this.client.request({ method, params } as never, this.sdk.ResultSchema, {
        timeout: Math.max(1, endsAt - Date.now()),
        ...omitUndefined({ signal }),
        ...(onProgress === undefined
          ? {}
          : { onprogress: (progress) => onProgress(mask.value(progress as Json) as never) }),
      });
      // A server may repeat the secret that it got.
      return mask.value(result as Json) as JsonObject;
    } catch (error) {
      const isLocal = this.hasEnded || signal?.aborted === true || Date.now() >= endsAt;
      if (isLocal && endTurn !== null) this.end('A call ended before the server answered.');
      throw toMcpFailure(error, this.sdk, { lastProblem: this.lastProblem, isLocal, mask: mask.text });
    } finally {
      endTurn?.();
    }
  }
}

/**
 * Connects to a server.
 *
 * @param track receives what still has to end after a failed attempt
 * @throws {Error} if the server cannot be reached, or a secret is missing
 */
export async function openMcpClient(
  settings: McpSettings,
  { secrets, log }: SourceContext,
  track: (ending: Promise<void>) => void,
): Promise<McpClient> {
  const sdk = await loadMcpSdk();
  const client = new McpClient(sdk, settings, await readValues(settings.options, secrets), log);
  await client.connect().catch((error: unknown) => {
    track(client.close());
    throw error;
  });
  return client;
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
  const settings = [
    ...Object.values('command' in options ? (options.env ?? {}) : (options.headers ?? {})),
    ...('url' in options && options.auth !== undefined ? [options.auth.clientSecret] : []),
  ];
  const names = new Set(settings.flatMap((value) => (typeof value === 'string' ? [] : [value.secret])));
  const read = async (name: string): Promise<readonly [string, string]> => {
    const result = (await withTimeout(readSecret(secrets, name, { tenant: null }), 5_000))?.value;
    if (result?.kind === 'found') return [name, result.value];
    const why = result?.kind === 'missing' ? 'is not set' : 'cannot be read';
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
  const resolve = (values: { readonly [name: string]: McpValue } = {}) =>
    Object.fromEntries(Object.entries(values).map(([name, value]) => [name, get(value)]));
  if ('command' in options) {
    const { command, args = [], cwd } = options;
    const transport = new sdk.StdioClientTransport({
      ...{ command, args: [...args], env: resolve(options.env), stderr: 'pipe', maxBufferSize: maxBytes },
      ...omitUndefined({ cwd }),
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
    ...omitUndefined({ scope }),
  });
  const save = authProvider.saveTokens.bind(authProvider);
  authProvider.saveTokens = (tokens) => {
    addSecret(tokens.access_token);
    return save(tokens);
  };
  return { authProvider };
}

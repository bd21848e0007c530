/** Sends requests with the credential, and again where that is safe. */

import { LonghandError } from '../../core/lib/index.js';
import type { PlainRequest } from './build-request.js';
import { readProblem } from './problem-error.js';
import { computeDelay, type RetryableError, toRetryable, wait } from './retry.js';

export type Key = string | (() => string | Promise<string>);

export interface Sender {
  readonly fetch: typeof fetch;
  readonly key: Key | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

interface SendOptions<T> {
  readonly signal: AbortSignal | undefined;
  readonly retries: number;
  /** Whether a second, equal request has no further effect. */
  readonly isRepeatable: boolean;
  /** Reads a success. The connection may be lost within it. */
  readonly read: (response: Response) => Promise<{ readonly value: T } | RetryableError>;
}

interface AttemptOptions {
  readonly signal: AbortSignal | undefined;
  /** Milliseconds until the head of the response. Default: no limit of its own, since a call may wait for a result. */
  readonly headMs?: number;
}

const baseDelayMs = 250;

/**
 * Returns the value of the first success.
 *
 * @throws {HttpProblemError} of the last attempt
 * @throws {LonghandError} `gateway_unreachable`
 */
export async function sendWithRetries<T>(
  sender: Sender,
  request: PlainRequest,
  { signal, retries, isRepeatable, read }: SendOptions<T>,
): Promise<T> {
  for (let failures = 0; ; failures++) {
    const sent = await sendOnce(sender, request, { signal });
    const result = sent instanceof Response ? await read(sent) : sent;
    if ('value' in result) return result.value;
    if (failures >= retries || !(isRepeatable || result.notDone)) throw result.error;
    await wait(Math.max(result.afterMs ?? 0, computeDelay(failures, baseDelayMs)), signal);
  }
}

/** Returns a success, or an error after which the request may be sent again; throws all others. */
export async function sendOnce(
  { fetch, key, headers }: Sender,
  request: PlainRequest,
  { signal, headMs }: AttemptOptions,
): Promise<Response | RetryableError> {
  signal?.throwIfAborted();
  const credential = key === undefined ? {} : { authorization: `Bearer ${await readKey(key)}` };
  const { url, ...rest } = request;
  const head = limitHead(signal, headMs);
  const init: RequestInit = {
    ...rest,
    headers: { ...headers, ...request.headers, ...credential },
    // A gateway redirects nothing: a redirect would take the body, or the credential, elsewhere.
    redirect: 'error',
    signal: head.signal ?? null,
  };
  try {
    const response = await fetch(url, init).catch((cause: unknown) => {
      signal?.throwIfAborted();
      return createUnreachable(url, cause);
    });
    if (response instanceof Error) return { error: response, notDone: false, afterMs: null };
    if (response.ok) return response;
    const error = await readProblem(response);
    signal?.throwIfAborted();
    const retryable = toRetryable(error, response);
    if (retryable === null) throw error;
    return retryable;
  } finally {
    head.clear();
  }
}

/** Returns a signal that is also aborted after a time, unless it is cleared before. */
function limitHead(signal: AbortSignal | undefined, ms: number | undefined) {
  if (ms === undefined) return { signal, clear: () => {} };
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), ms);
  return {
    signal: signal === undefined ? late.signal : AbortSignal.any([signal, late.signal]),
    clear: () => clearTimeout(timer),
  };
}

/** Errors of `fetch` about a header contain its value. */
async function readKey(key: Key): Promise<string> {
  const value = typeof key === 'string' ? key : await key();
  if (typeof value === 'string' && /^[\x21-\x7e]+$/.test(value)) return value;
  throw new LonghandError('invalid_options', 'Invalid key: pass a text of visible ASCII characters.');
}

function createUnreachable(url: string, cause: unknown): LonghandError {
  return new LonghandError(
    'gateway_unreachable',
    `No gateway answers at ${new URL(url).origin}. Check the option url, and whether the gateway runs.`,
    { cause },
  );
}

/** Requests and responses of the HTTP client, and its limits. */

import type { HostRule } from './host-rules.js';
import type { LookupHost } from './resolve-host.js';

export interface HttpClientOptions {
  readonly rules: readonly HostRule[];
  /** Most bytes of a body, as sent and decompressed. */
  readonly maxBytes: number;
  /** Milliseconds for a request, its redirects and the body. */
  readonly timeoutMs: number;
  /** Milliseconds without a byte. */
  readonly idleMs: number;
  readonly maxRedirects: number;
  /** Default: the system's resolver. Its addresses are checked like all others. */
  readonly lookup?: LookupHost | undefined;
}

export interface HttpRequest {
  readonly url: string;
  readonly method: string;
  /** Names in lower case. Sent to the origin of `url` alone. */
  readonly headers: Readonly<Record<string, string>>;
  /** Names of headers with secrets: never sent without encryption, except to private addresses. */
  readonly secretHeaders?: readonly string[];
  /** Whether `url` has a secret: then it is sent like a header with one. Redirects do not have it. */
  readonly hasSecretUrl?: boolean;
  readonly body?: Uint8Array | null;
  /** Default true. Otherwise a redirect is the response. */
  readonly followRedirects?: boolean;
  readonly signal: AbortSignal;
}

export interface HttpResponse {
  /** After redirects. */
  readonly url: URL;
  /** Of the last request: a redirect may change it. */
  readonly method: string;
  readonly status: number;
  /** Names in lower case; several of one name are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** The decompressed body, once. @throws {HttpFailure} */
  readonly body: AsyncIterable<Uint8Array>;
  /** Reads the whole body. @throws {HttpFailure} */
  readonly read: () => Promise<Buffer>;
  /** Ends the connection of a response whose body is not read. */
  readonly close: () => void;
}

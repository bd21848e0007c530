/** Requests as bytes on a socket, for clients that keep to no standard. */

import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

export interface RawRequest {
  readonly method?: string;
  readonly path?: string;
  /** In this order, and as often as given. A host and `connection: close` are added where they are missing. */
  readonly headers?: readonly (readonly [name: string, value: string])[];
  /** Sent as it is. With a body, `content-length` is added where neither it nor `transfer-encoding` is given. */
  readonly body?: string | Buffer;
}

export interface RawAnswer {
  /** 0 where the server closed the connection without an answer. */
  readonly status: number;
  /** Names in lower case; the last of several. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** All of it. */
  readonly text: string;
}

export function formatRawRequest(
  { method = 'GET', path = '/', headers = [], body = '' }: RawRequest,
  host: string,
): Buffer {
  const names = new Set(headers.map(([name]) => name.trim().toLowerCase()));
  const added: (readonly [string, string])[] = [];
  if (!names.has('host')) added.push(['host', host]);
  if (!names.has('connection')) added.push(['connection', 'close']);
  if (body.length > 0 && !names.has('content-length') && !names.has('transfer-encoding'))
    added.push(['content-length', String(Buffer.byteLength(body))]);
  const lines = [...added, ...headers].map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([
    Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1'),
    typeof body === 'string' ? Buffer.from(body) : body,
  ]);
}

/** Opens a connection that is closed at the end of the test. */
export function openSocket(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => {
      socket.off('error', reject);
      // A server may close a connection that is still written to.
      socket.on('error', () => {});
      onTestFinished(() => void socket.destroy());
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

/** Sends bytes and returns what the server sends until it closes the connection. */
export async function exchange(url: string, bytes: Buffer): Promise<RawAnswer> {
  const socket = await openSocket(url);
  const parts: Buffer[] = [];
  socket.on('data', (part) => parts.push(part));
  const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.write(bytes);
  await closed;
  return parseAnswer(Buffer.concat(parts).toString());
}

export function sendRaw(url: string, request: RawRequest): Promise<RawAnswer> {
  return exchange(url, formatRawRequest(request, new URL(url).host));
}

function parseAnswer(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n');
  const [first = '', ...lines] = head.split('\r\n');
  const pairs = lines.map((line) => [
    line.split(':')[0]?.toLowerCase() ?? '',
    line.slice(line.indexOf(':') + 1).trim(),
  ]);
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1] ?? 0),
    headers: Object.fromEntries(pairs) as Record<string, string>,
    body: rest.join('\r\n\r\n'),
    text,
  };
}

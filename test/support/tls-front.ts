/** A front of a Temporal server: terminates TLS, checks the client's certificate or key, and forwards the calls. */

import {
  connect,
  constants,
  createSecureServer,
  createServer,
  type IncomingHttpHeaders,
  type SecureServerOptions,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { pipeline } from 'node:stream';

export interface TlsFront {
  readonly address: string;
  readonly close: () => Promise<void>;
}

export interface TlsFrontOptions {
  /** The server behind it. */
  readonly behind: string;
  /** Certificate and client check; null for a front without TLS. */
  readonly tls: SecureServerOptions | null;
  /** The only API key that it accepts. */
  readonly apiKey?: string;
  /** Ends of the paths that are denied, such as `/DescribeNamespace`. */
  readonly denied?: readonly string[];
}

/** gRPC status codes. */
const [permissionDenied, unauthenticated] = [7, 16];

export async function startTlsFront({ behind, tls, apiKey, denied = [] }: TlsFrontOptions): Promise<TlsFront> {
  const server = tls === null ? createServer() : createSecureServer(tls);
  const backend = connect(`http://${behind}`);
  const sessions = new Set<ServerHttp2Session>();
  backend.on('error', () => {});
  server.on('session', (session: ServerHttp2Session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
    session.on('error', () => {});
  });
  server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => {
    stream.on('error', () => {});
    const path = String(headers[':path']);
    if (apiKey !== undefined && headers.authorization !== `Bearer ${apiKey}`) {
      reject(stream, unauthenticated, 'Request unauthorized.');
    } else if (denied.some((end) => path.includes(end))) reject(stream, permissionDenied, 'Request unauthorized.');
    else forward(stream, headers);
  });

  function forward(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void {
    const { authorization: _checked, ...passed } = headers;
    const request = backend.request({ ...passed, ':authority': behind, ':scheme': 'http' });
    request.on('error', () => stream.destroy());
    pipeline(stream, request, () => {});
    let trailers = {};
    request.on('trailers', (received) => {
      trailers = received;
    });
    // A cancelled call, such as a poll, is cancelled behind the front as well.
    stream.on('close', () => request.close(constants.NGHTTP2_CANCEL));
    request.on('response', (received, flags) => {
      if (stream.destroyed) return;
      // A response of headers alone.
      if ((flags & 1) === 1) return stream.respond(received, { endStream: true });
      stream.respond(received, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers(trailers));
      pipeline(request, stream, () => {});
    });
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      for (const session of sessions) session.destroy();
      backend.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function reject(stream: ServerHttp2Stream, status: number, message: string): void {
  const headers = {
    ':status': 200,
    'content-type': 'application/grpc',
    'grpc-status': status,
    'grpc-message': message,
  };
  stream.respond(headers, { endStream: true });
  stream.resume();
}

/**
 * The codec server: lets Temporal's Web UI and CLI read encrypted payloads, by Temporal's protocol for remote codecs
 * (`POST /decode` and `/encode`, also below the name of a namespace; JSON, bytes in base64).
 *
 * 1. Access is checked by codec-access.ts before the body is read.
 * 2. An answer names no key; the reason of a failure is printed for the operator.
 */

import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Payload, PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';
import { isObject, LonghandError, toErrorMessage } from '../core/lib/index.js';
import { type CodecAccess, findAccessRejection, isLoopback, toCorsHeaders } from './codec-access.js';

interface CodecServerOptions extends CodecAccess {
  readonly codec: PayloadCodec;
  readonly host: string;
  /** 0 for a free port. */
  readonly port: number;
  /** Receives why a payload could not be decrypted. */
  readonly report: (line: string) => void;
}

export interface CodecServer {
  /** `http://127.0.0.1:8234` */
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** More than Temporal sends of a history at once, in base64. */
const maxBytes = 32_000_000;

interface CodecAnswer {
  readonly status: number;
  readonly body: string;
}

/**
 * Starts the server.
 *
 * @throws {LonghandError} `invalid_options` for a host other than loopback without a token
 * @throws Error of Node when the port is taken
 */
export async function startCodecServer(options: CodecServerOptions): Promise<CodecServer> {
  const { host, port, token } = options;
  if (token === null && !isLoopback(host)) {
    throw new LonghandError(
      'invalid_options',
      `A codec server at ${host} without a token would decrypt for everybody on the network. Set a token.`,
    );
  }
  const server = createServer((request, response) => {
    const cors = toCorsHeaders(request.headers, options);
    answerRequest(request, options).then(
      (answer) => sendAnswer(response, answer, cors),
      (error: unknown) => {
        options.report(toErrorMessage(error));
        sendAnswer(response, createProblem(500, 'The codec server failed; its output has the reason.'), cors);
      },
    );
  });
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(port, host, resolve));
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${taken}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answerRequest(
  request: IncomingMessage,
  { codec, report, ...access }: CodecServerOptions,
): Promise<CodecAnswer> {
  const preflight = request.method === 'OPTIONS';
  const rejection = findAccessRejection(request.headers, access, preflight);
  if (rejection !== null) return createProblem(rejection.status, rejection.message);
  if (preflight) return { status: 204, body: '' };
  const operation = /^\/(?:[^/]+\/)?(encode|decode)$/.exec(new URL(request.url ?? '/', 'http://x').pathname)?.[1];
  if (operation === undefined) return createProblem(404, 'Unknown path: expected /decode or /encode.');
  if (request.method !== 'POST') return createProblem(405, 'Invalid method: expected POST.');
  const text = await readBody(request);
  if (text === null)
    return createProblem(413, `The body has more than ${maxBytes} bytes. Send fewer payloads at once.`);
  const payloads = parsePayloads(text);
  if (payloads === null) return createProblem(400, 'The body is not {"payloads": […]} with bytes in base64.');
  try {
    const done = operation === 'encode' ? await codec.encode([...payloads]) : await codec.decode([...payloads]);
    return { status: 200, body: serializePayloads(done) };
  } catch (error) {
    report(toErrorMessage(error));
    return createProblem(422, 'A payload cannot be decoded; the output of the codec server has the reason.');
  }
}

/** Reads the body; null if it is too large. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > maxBytes) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function createProblem(status: number, message: string): CodecAnswer {
  return { status, body: JSON.stringify({ message }) };
}

function sendAnswer(response: ServerResponse, { status, body }: CodecAnswer, cors: OutgoingHttpHeaders): void {
  const text = body === '' ? {} : { 'content-type': 'application/json' };
  response.writeHead(status, { ...cors, ...text, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  response.end(body);
}

const { Payloads } = proto.temporal.api.common.v1;

/** Parses the list of payloads; null if it is invalid. */
function parsePayloads(text: string): readonly Payload[] | null {
  try {
    const value = JSON.parse(text) as unknown;
    if (!isObject(value) || !Array.isArray(value.payloads) || !value.payloads.every(isPayload)) return null;
    return Payloads.fromObject(value).payloads as Payload[];
  } catch {
    return null;
  }
}

function serializePayloads(payloads: readonly Payload[]): string {
  return JSON.stringify({
    payloads: [],
    ...Payloads.toObject(Payloads.create({ payloads: [...payloads] }), wireOptions),
  });
}

const wireOptions = { bytes: String, longs: String, enums: String };

function isPayload(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { metadata = {}, data = '' } = value;
  return (
    typeof data === 'string' && isObject(metadata) && Object.values(metadata).every((item) => typeof item === 'string')
  );
}

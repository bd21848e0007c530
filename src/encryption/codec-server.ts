/**
 * The codec server: lets Temporal's Web UI and CLI read sealed payloads, by Temporal's protocol for remote codecs (`POST
 * /decode` and `/encode`, also below the name of a namespace; JSON, bytes in base64).
 *
 * 1. Access is decided by codec-access.ts, before anything of a request is read.
 * 2. An answer names no key; the reason why a payload could not be opened is printed for the operator.
 */

import { createServer, type IncomingMessage, type OutgoingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Payload, PayloadCodec } from '@temporalio/common';
import proto from '@temporalio/proto';
import { isObject } from '../core/lib/json.js';
import { type CodecAccess, corsHeaders, isLoopback, refusalOf } from './codec-access.js';

interface CodecServerOptions extends CodecAccess {
  readonly codec: PayloadCodec;
  readonly host: string;
  /** 0 for one that is free. */
  readonly port: number;
  /** Told why something could not be opened. */
  readonly say: (line: string) => void;
}

export interface CodecServer {
  /** `http://127.0.0.1:8234` */
  readonly url: string;
  readonly close: () => Promise<void>;
}

/** More than Temporal sends of a history at once, in base64. */
const mostBytes = 32_000_000;

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** @throws Error when the port is taken, or when others than this machine could ask without a token */
export async function startCodecServer(options: CodecServerOptions): Promise<CodecServer> {
  const { host, port, token } = options;
  if (token === null && !isLoopback(host)) {
    throw new Error(
      `A codec server at ${host} gives everybody there what is encrypted: let it have a token to ask for.`,
    );
  }
  const server = createServer((request, response) => {
    const cors = corsHeaders(request.headers, options);
    answerTo(request, options).then(
      (answer) => send(response, answer, cors),
      (error: unknown) => {
        options.say(error instanceof Error ? error.message : String(error));
        send(response, problem(500, 'The codec server failed; its own output says why.'), cors);
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

async function answerTo(request: IncomingMessage, { codec, say, ...access }: CodecServerOptions): Promise<Answer> {
  const preflight = request.method === 'OPTIONS';
  const refused = refusalOf(request.headers, access, preflight);
  if (refused !== null) return problem(refused.status, refused.message);
  if (preflight) return { status: 204, body: '' };
  const asked = /^\/(?:[^/]+\/)?(encode|decode)$/.exec(new URL(request.url ?? '/', 'http://x').pathname)?.[1];
  if (asked === undefined) return problem(404, 'Ask for /decode or /encode.');
  if (request.method !== 'POST') return problem(405, 'Ask with POST.');
  const text = await textOf(request);
  if (text === null) return problem(413, `More than ${mostBytes} bytes: ask for less at once.`);
  const payloads = payloadsIn(text);
  if (payloads === null) return problem(400, 'The body is not {"payloads": […]} with bytes in base64.');
  try {
    const done = asked === 'encode' ? await codec.encode([...payloads]) : await codec.decode([...payloads]);
    return { status: 200, body: payloadsText(done) };
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    return problem(422, 'Something in it cannot be decoded here; what the codec server prints says why.');
  }
}

/** Null for more than is taken. */
async function textOf(request: IncomingMessage): Promise<string | null> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > mostBytes) return null;
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

function problem(status: number, message: string): Answer {
  return { status, body: JSON.stringify({ message }) };
}

function send(response: ServerResponse, { status, body }: Answer, cors: OutgoingHttpHeaders): void {
  const text = body === '' ? {} : { 'content-type': 'application/json' };
  response.writeHead(status, { ...cors, ...text, 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' });
  response.end(body);
}

const { Payloads } = proto.temporal.api.common.v1;

/** @returns null for what is no list of payloads */
function payloadsIn(text: string): readonly Payload[] | null {
  try {
    const value = JSON.parse(text) as unknown;
    if (!isObject(value) || !Array.isArray(value.payloads) || !value.payloads.every(isPayload)) return null;
    return Payloads.fromObject(value).payloads as Payload[];
  } catch {
    return null;
  }
}

function payloadsText(payloads: readonly Payload[]): string {
  return JSON.stringify({ payloads: [], ...Payloads.toObject(Payloads.create({ payloads: [...payloads] }), wire) });
}

const wire = { bytes: String, longs: String, enums: String };

function isPayload(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { metadata = {}, data = '' } = value;
  return (
    typeof data === 'string' && isObject(metadata) && Object.values(metadata).every((each) => typeof each === 'string')
  );
}

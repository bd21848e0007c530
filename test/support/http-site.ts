/** An HTTP server on loopback for the HTTP tools: each path has an answer, and the requests are recorded. */

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface SiteRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface Site {
  readonly port: number;
  readonly requests: readonly SiteRequest[];
  readonly close: () => Promise<void>;
}

export type SiteAnswer = (response: ServerResponse, request: SiteRequest) => void;

/** @param answer of each request @param host the loopback address to listen at */
export async function startSite(answer: SiteAnswer, host = '127.0.0.1'): Promise<Site> {
  const requests: SiteRequest[] = [];
  const server = createServer(async (incoming, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of incoming) pieces.push(piece as Buffer);
    const { method = '', url: path = '', headers } = incoming;
    const request = { method, path, headers, body: Buffer.concat(pieces).toString() };
    requests.push(request);
    response.on('error', () => {});
    answer(response, request);
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  const close = async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  };
  return { port: (server.address() as AddressInfo).port, requests, close };
}

/** A site that closes when the test has ended. */
export async function useSite(answer: SiteAnswer, host?: string): Promise<Site> {
  const site = await startSite(answer, host);
  onTestFinished(site.close);
  return site;
}

/** Answers with a status, a content type and a body. */
export function respond(
  status: number,
  type: string,
  body: string | Buffer,
  headers: Record<string, string> = {},
): SiteAnswer {
  return (response) => void response.writeHead(status, { 'content-type': type, ...headers }).end(body);
}

export const redirectTo =
  (location: string, status = 302): SiteAnswer =>
  (response) =>
    void response.writeHead(status, { location }).end();

/** A lookup by a table, which counts. Hosts that it lacks are unknown. */
export function lookupIn(table: Readonly<Record<string, readonly string[]>>) {
  const asked: string[] = [];
  const lookup = async (host: string): Promise<readonly string[]> => {
    asked.push(host);
    const found = Object.hasOwn(table, host) ? table[host] : undefined;
    if (found === undefined) throw new Error(`getaddrinfo ENOTFOUND ${host}`);
    return found;
  };
  return { lookup, asked };
}

/** A call over HTTP that is cancelled: the server gets the notification, and then the end of its connection. */

import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { openSource } from '../../support/mcp-source.js';

interface Message {
  readonly id?: number;
  readonly method: string;
  readonly params: {
    readonly protocolVersion: string;
    readonly name: string;
    readonly requestId?: number;
    readonly _meta?: { readonly progressToken: number };
  };
}

/** A server whose tools never answer by themselves. `seen` has its calls, notifications and ended connections in order. */
async function startSilentServer() {
  const seen: string[] = [];
  const open = new Map<string, { readonly id: number; readonly response: ServerResponse }>();
  const asStream = { 'content-type': 'text/event-stream' };
  const toEvent = (message: object, id = '') =>
    `${id === '' ? '' : `id: ${id}\n`}data: ${JSON.stringify({ jsonrpc: '2.0', ...message })}\n\n`;
  const handle = (response: ServerResponse, { id, method, params }: Message) => {
    const answer = (result: object) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    if (method === 'initialize') {
      const { protocolVersion } = params;
      return answer({ protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'x', version: '1' } });
    }
    if (method === 'tools/list')
      return answer({
        tools: ['before', 'stream', 'other'].map((name) => ({ name, inputSchema: { type: 'object' } })),
      });
    if (method === 'notifications/cancelled') {
      const [name] = [...open].find(([, call]) => call.id === params.requestId) ?? [''];
      seen.push(`${name} cancelled`);
    }
    if (method !== 'tools/call' || id === undefined) return response.writeHead(202).end();
    const { name } = params;
    seen.push(`${name} called`);
    open.set(name, { id, response });
    response.on('close', () => !response.writableFinished && seen.push(`${name} closed`));
    if (name === 'before') return;
    response.writeHead(200, asStream).flushHeaders();
    const progressToken = params._meta?.progressToken;
    // With an id, so that a client could request the rest of the stream.
    return response.write(
      toEvent({ method: 'notifications/progress', params: { progressToken, progress: 1, total: 2 } }, '7'),
    );
  };
  const server = createServer((request, response) => {
    if (request.headers['last-event-id'] !== undefined) seen.push('resumed');
    if (request.method !== 'POST') return void response.writeHead(405).end();
    let body = '';
    request.on('data', (piece) => {
      body += piece;
    });
    request.on('end', () => handle(response, JSON.parse(body) as Message));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const finish = (name: string, text: string) => {
    const { id, response } = open.get(name)!;
    response.end(toEvent({ id, result: { content: [{ type: 'text', text }] } }));
  };
  return { seen, finish, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp` };
}

describe('a cancelled call over HTTP', () => {
  it.each([
    ['before', 'without a response so far'],
    ['stream', 'whose response has begun'],
  ])('(%s, %s) is reported to the server, then its connection ends; another call continues', async (name) => {
    const { seen, finish, url } = await startSilentServer();
    const { call, lines } = await openSource({ name: 'web', url });
    const emit = vi.fn();
    const other = call('web_other', {}, { emit });
    await vi.waitFor(() => expect(emit).toHaveBeenCalledWith({ progress: 1, total: 2, message: null }));
    const abort = new AbortController();
    const begun = vi.fn();
    const cancelled = call(`web_${name}`, {}, { signal: abort.signal, emit: begun });
    await vi.waitFor(() => expect(seen).toContain(`${name} called`));
    if (name === 'stream') await vi.waitFor(() => expect(begun).toHaveBeenCalled());
    abort.abort();
    await expect(cancelled).rejects.toThrow();
    await vi.waitFor(() => expect(seen).toContain(`${name} closed`));
    expect(seen.filter((each) => each.startsWith(name))).toEqual([
      `${name} called`,
      `${name} cancelled`,
      `${name} closed`,
    ]);
    finish('other', 'done');
    expect(await other).toBe('done');
    expect(seen).not.toContain('resumed');
    expect(lines).toEqual([]);
  });

  it('whose time is over ends its connection, too', async () => {
    const { seen, url } = await startSilentServer();
    const { call } = await openSource({ name: 'web', url, all: { timeout: 400 } });
    await expect(call('web_stream', {})).rejects.toThrow(/did not answer in time/);
    await vi.waitFor(() => expect(seen).toEqual(['stream called', 'stream cancelled', 'stream closed']));
  });
});

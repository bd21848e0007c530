/** The official servers, over standard input and output and over streamable HTTP. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { findFreePort } from '../../../src/cli/server/ports.js';
import { findServer, openSource } from '../../support/mcp-source.js';

const node = process.execPath;

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-mcp-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

/** Starts the server `everything` over HTTP. It is stopped at the end of the test. */
async function startHttpServer(port: number): Promise<ChildProcess> {
  const server = spawn(node, [findServer('everything'), 'streamableHttp'], {
    env: { ...process.env, PORT: String(port) },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(() => void server.kill('SIGKILL'));
  await vi.waitFor(async () => expect((await fetch(`http://127.0.0.1:${port}/mcp`)).status).toBe(400));
  return server;
}

async function stop(server: ChildProcess): Promise<void> {
  const exited = once(server, 'exit');
  server.kill('SIGKILL');
  await exited;
}

describe('the server everything', () => {
  it('over standard input and output: text, numbers, JSON, pictures, resources, progress', async () => {
    const source = await openSource({
      ...{ name: 'all', command: node, args: [findServer('everything'), 'stdio'] },
      resources: true,
    });
    const { call, find } = source;
    expect((await source.refresh()).map(({ name }) => name)).not.toContain('all_simulate-research-query');
    expect(find('all_echo').snapshot.source).toMatchObject({ name: 'all' });
    expect(await call('all_echo', { message: 'hello' })).toBe('Echo: hello');
    expect(find('all_get-sum').validateInput({ a: 'x' })).toMatch(/must be/);
    expect(await call('all_get-sum', { a: 2, b: 3 })).toMatch(/5/);
    const weather = await call('all_get-structured-content', { location: 'New York' });
    expect(weather).toMatchObject({ temperature: expect.any(Number), conditions: expect.any(String) });
    expect(JSON.stringify(await call('all_get-tiny-image', {}))).toContain('image/png');
    expect(await call('all_get-resource-reference', {})).toMatch(/resource/i);
    const emitted: unknown[] = [];
    const emit = (value: unknown) => emitted.push(value);
    expect(await call('all_trigger-long-running-operation', { duration: 1, steps: 2 }, { emit })).toMatch(/completed/);
    expect(emitted.length).toBeGreaterThan(0);
    const { resources } = (await call('all_list_resources', {})) as {
      readonly resources: readonly { readonly uri: string }[];
    };
    const [first] = resources;
    expect(await call('all_read_resource', { uri: first?.uri ?? '' })).toMatch(/^\[resource /);
    expect(await source.failure('all_read_resource', { uri: 'nowhere://x' })).toMatch(/^ToolError/);
  });

  it('over HTTP: the same tools, also after the server was restarted', async () => {
    const port = await findFreePort();
    const first = await startHttpServer(port);
    const { call, failure } = await openSource({ name: 'web', url: `http://127.0.0.1:${port}/mcp` });
    expect(await call('web_echo', { message: 'hello' })).toBe('Echo: hello');
    await stop(first);
    await expect(Promise.resolve(call('web_echo', { message: 'down' }))).rejects.toThrow(
      /The MCP server web: .*ECONNREFUSED/,
    );
    expect(await failure('web_toggle-simulated-logging', {})).toMatch(/^NotDone: The MCP server web: .*did not run/);
    await startHttpServer(port);
    expect(await vi.waitFor(() => call('web_echo', { message: 'again' }))).toBe('Echo: again');
  });

  it('that dies during a call over HTTP ends the call at once, with an unknown outcome', async () => {
    const port = await findFreePort();
    const server = await startHttpServer(port);
    const { call } = await openSource({ name: 'web', url: `http://127.0.0.1:${port}/mcp` });
    const emit = vi.fn();
    const running = Promise.resolve(call('web_trigger-long-running-operation', { duration: 20, steps: 40 }, { emit }));
    const failed = expect(running).rejects.toMatchObject({
      name: 'Error',
      message: expect.stringContaining('closed the connection'),
    });
    await vi.waitFor(() => expect(emit).toHaveBeenCalled());
    await stop(server);
    await failed;
  });
});

it('the server filesystem reads in its folder, and rejects paths outside of it', async () => {
  const folder = createFolder();
  writeFileSync(join(folder, 'note.txt'), 'the note');
  const server = { name: 'files', command: node, args: [findServer('filesystem'), folder] };
  const stranger = await openSource(server);
  for (const name of ['files_read_text_file', 'files_create_directory', 'files_write_file'])
    expect(stranger.find(name).snapshot).toMatchObject({ effects: 'unsafe', attempts: 1 });
  const { call, failure, find } = await openSource({ ...server, trust: 'annotations' });
  expect(find('files_read_text_file').snapshot.effects).toBe('read');
  expect(find('files_create_directory').snapshot.effects).toBe('idempotent');
  expect(find('files_write_file').snapshot.effects).toBe('unsafe');
  const path = join(folder, 'note.txt');
  expect(JSON.stringify(await call('files_read_text_file', { path }))).toContain('the note');
  await expect(failure('files_read_text_file', { path: '/etc/passwd' })).rejects.toThrow();
  await expect(Promise.resolve(call('files_read_text_file', { path: '/etc/passwd' }))).rejects.toThrow(
    /outside allowed/,
  );
});

it('the server memory keeps what it was given, and only the tools that are wanted are taken', async () => {
  const { call, refresh } = await openSource({
    ...{ name: 'mind', command: node, args: [findServer('memory')] },
    env: { MEMORY_FILE_PATH: join(createFolder(), 'memory.jsonl') },
    only: ['create_entities', 'search_nodes'],
    prefix: 'm_',
    tools: { create_entities: { effects: 'idempotent' } },
  });
  expect((await refresh()).map(({ name }) => name).sort()).toEqual(['m_create_entities', 'm_search_nodes']);
  await call('m_create_entities', { entities: [{ name: 'Ada', entityType: 'person', observations: ['likes tea'] }] });
  expect(JSON.stringify(await call('m_search_nodes', { query: 'Ada' }))).toContain('likes tea');
});

/** Requests that a server got, with the answers of a handler. */
async function startFakeHttp(handle: Parameters<typeof createServer>[1]): Promise<number> {
  const server: Server = createServer(handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}

describe('over HTTP', () => {
  it('secrets are headers, a response without end is cut, and a page that is not MCP is an error', async () => {
    const seen: (string | undefined)[] = [];
    const port = await startFakeHttp((request, response) => {
      seen.push(request.headers.authorization);
      if (request.method !== 'POST') return void response.writeHead(405).end();
      let body = '';
      request.on('data', (piece) => {
        body += piece;
      });
      request.on('end', () => {
        const { id, method, params } = JSON.parse(body) as {
          id: number;
          method: string;
          params: { protocolVersion: string; name: string };
        };
        const answer = (result: object) =>
          response
            .writeHead(200, { 'content-type': 'application/json' })
            .end(JSON.stringify({ jsonrpc: '2.0', id, result }));
        const inputSchema = { type: 'object' };
        if (method === 'initialize')
          return answer({
            protocolVersion: params.protocolVersion,
            capabilities: { tools: {} },
            serverInfo: { name: 'x', version: '1' },
          });
        if (method === 'tools/list')
          return answer({ tools: ['endless', 'page', 'busy'].map((name) => ({ name, inputSchema })) });
        if (method !== 'tools/call') return response.writeHead(202).end();
        if (params.name === 'page')
          return response.writeHead(200, { 'content-type': 'text/html' }).end('<h1>Hello</h1>');
        if (params.name === 'busy') return response.writeHead(429).end(`try later, ${request.headers.authorization}`);
        response.writeHead(200, { 'content-type': 'application/json' });
        const write = () => {
          if (!response.destroyed) response.write('x'.repeat(100_000), () => setImmediate(write));
        };
        return write();
      });
    });
    const { call, failure } = await openSource(
      {
        ...{ name: 'web', url: `http://127.0.0.1:${port}/mcp`, maxBytes: 1_000_000 },
        headers: { authorization: { secret: 'WEB_TOKEN', prefix: 'Bearer ' } },
      },
      { WEB_TOKEN: 'canary-0123456789' },
    );
    expect(new Set(seen)).toEqual(new Set(['Bearer canary-0123456789']));
    await expect(Promise.resolve(call('web_endless', {}))).rejects.toThrow(/more than 1000000 bytes/);
    await expect(Promise.resolve(call('web_page', {}))).rejects.toThrow(/content type/i);
    const busy = await failure('web_busy', {});
    expect(busy).toMatch(/^NotDone: .*try later/);
    expect(busy).not.toContain('canary');
  });

  it('OAuth with client credentials: the worker gets a token from the issuer, and sends its secret to no other', async () => {
    const tokenRequests: string[] = [];
    let issued = 0;
    const port: number = await startFakeHttp((request, response) => {
      const origin = `http://127.0.0.1:${port}`;
      const json = (status: number, body: object, headers: Readonly<Record<string, string>> = {}) =>
        void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
      let body = '';
      request.on('data', (piece) => {
        body += piece;
      });
      request.on('end', () => {
        if (request.url?.startsWith('/.well-known/oauth-protected-resource'))
          return json(200, { resource: `${origin}/mcp`, authorization_servers: [origin] });
        if (request.url?.startsWith('/.well-known/'))
          return json(200, {
            ...{ issuer: origin, authorization_endpoint: `${origin}/authorize`, token_endpoint: `${origin}/token` },
            ...{ response_types_supported: ['code'], grant_types_supported: ['client_credentials'] },
            token_endpoint_auth_methods_supported: ['client_secret_basic'],
          });
        if (request.url === '/token') {
          tokenRequests.push(`${request.headers.authorization} ${body}`);
          issued += 1;
          return json(200, { access_token: 'token-of-the-worker', token_type: 'Bearer', expires_in: 3600 });
        }
        if (request.headers.authorization !== 'Bearer token-of-the-worker')
          return json(
            401,
            {},
            { 'www-authenticate': `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"` },
          );
        if (request.method !== 'POST') return void response.writeHead(405).end();
        const { id, method, params } = JSON.parse(body) as {
          id: number;
          method: string;
          params: { protocolVersion: string };
        };
        const capabilities = { tools: {} };
        const results: Readonly<Record<string, object>> = {
          initialize: {
            protocolVersion: params?.protocolVersion,
            capabilities,
            serverInfo: { name: 'x', version: '1' },
          },
          'tools/list': { tools: [{ name: 'greet', inputSchema: { type: 'object' } }] },
          'tools/call': { content: [{ type: 'text', text: 'hello' }] },
        };
        const result = results[method];
        return result === undefined ? void response.writeHead(202).end() : json(200, { jsonrpc: '2.0', id, result });
      });
    });
    const url = `http://127.0.0.1:${port}/mcp`;
    const secrets = { WEB_SECRET: 'canary-0123456789' };
    const auth = { clientId: 'longhand', clientSecret: { secret: 'WEB_SECRET' }, scope: 'tools' };
    const { call } = await openSource(
      { name: 'web', url, auth: { ...auth, issuer: `http://127.0.0.1:${port}` } },
      secrets,
    );
    expect(await call('web_greet', {})).toBe('hello');
    expect(issued).toBe(1);
    const [request = ''] = tokenRequests;
    expect(request).toContain(Buffer.from('longhand:canary-0123456789').toString('base64'));
    expect(request).toContain('grant_type=client_credentials');
    expect(request).toContain('scope=tools');
    const elsewhere = openSource({ name: 'web', url, auth: { ...auth, issuer: 'https://issuer.example' } }, secrets);
    await expect(elsewhere).rejects.toThrow(/issuer/i);
    expect(issued).toBe(1);
  });
});

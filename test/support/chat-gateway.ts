/** A server with the operations for chat frontends, for callers that name themselves. */

import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { Longhand } from '../../src/entries/client.js';
import { createChatHandlers } from '../../src/gateway/chat/chat-handlers.js';
import type { Identity } from '../../src/gateway/identity/identity.js';
import type { GatewayServices } from '../../src/gateway/request/context.js';
import type { Scope } from '../../src/http/operation.js';
import { chatOperations } from '../../src/http/operations/chat.js';
import { mountForTest } from './mounted.js';

export interface ChatGateway {
  readonly url: string;
  /** Stops as a gateway that is asked to: its streams end. */
  readonly stop: () => Promise<void>;
  /** Stops like one that is killed: its connections break. */
  readonly kill: () => Promise<void>;
  /** Errors of streams that failed. */
  readonly failures: readonly unknown[];
  /** Paths of the requests, in order. */
  readonly requests: readonly string[];
}

export interface ChatGatewayOptions {
  readonly visibility?: GatewayServices['visibility'];
  /** Content that other paths have: pages for a browser. */
  readonly pages?: { readonly [path: string]: { readonly type: string; readonly text: string } };
  readonly port?: number;
}

const allScopes: readonly Scope[] = ['start', 'read', 'decide', 'direct'];

/** Returns the identity of `ana@acme`, with roles in `ana@acme:release,ops` and scopes in `ana@acme::start,read`. */
export function toTestIdentity(text: string): Identity {
  const [name = '', roles = '', scopes] = text.split(':');
  const [user = '', tenant = ''] = name.split('@');
  return {
    id: `test ${name}`,
    by: user,
    tenant: tenant === '' ? null : tenant,
    user: user === '' ? null : user,
    roles: roles === '' ? [] : roles.split(','),
    scopes: new Set((scopes?.split(',') as Scope[] | undefined) ?? allScopes),
    views: ['end_user', 'developer'],
    reach: 'own',
    requestsPerMinute: null,
  };
}

export async function startChatGateway(longhand: Longhand, options: ChatGatewayOptions = {}): Promise<ChatGateway> {
  const { visibility = {}, pages = {}, port = 0 } = options;
  const closing = new AbortController();
  const failures: unknown[] = [];
  const requests: string[] = [];
  const app = mountForTest({
    operations: chatOperations,
    handlers: createChatHandlers(),
    longhand,
    visibility,
    closing: closing.signal,
    onStreamDropped: (_, __, error) => failures.push(error),
    identify: ({ req }) => {
      requests.push(`${req.method} ${req.path}`);
      return toTestIdentity((req.header('authorization') ?? 'Bearer ana@acme').replace('Bearer ', ''));
    },
  });
  for (const [path, { type, text }] of Object.entries(pages))
    app.get(path, (c) => c.body(text, 200, { 'content-type': type }));
  const server = createServer(getRequestListener(app.fetch, { overrideGlobalObjects: false }));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    failures,
    requests,
    stop: async () => {
      closing.abort();
      await close(server);
    },
    kill: () => close(server),
  };
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeAllConnections();
  await closed;
}

/** Operations of a gateway behind the checks of every request, without a server, for a caller of the test's choice. */

import type { Context } from 'hono';
import { Hono } from 'hono';
import type { Longhand } from '../../src/entries/client.js';
import type { Store } from '../../src/entries/store.js';
import type { Identity } from '../../src/gateway/identity/identity.js';
import { createAuthorizeChain } from '../../src/gateway/request/authorize-chain.js';
import {
  type AnyHandler,
  type GatewayEnv,
  type MountOptions,
  mountOperation,
} from '../../src/gateway/request/mount.js';
import { toProblem, toProblemResponse } from '../../src/gateway/request/problems.js';
import { createStreams } from '../../src/gateway/streams/streams.js';
import type { Operations } from '../../src/http/operation.js';

export interface MountedOptions<Group extends Operations>
  extends Partial<Pick<MountOptions, 'closing' | 'onStreamDropped'>> {
  readonly operations: Group;
  /** One for each operation. */
  readonly handlers: { readonly [Id in keyof Group]: unknown };
  readonly longhand: Longhand;
  /** Default: none. */
  readonly store?: Store | null;
  readonly visibility?: MountOptions['services']['visibility'];
  readonly identify: (c: Context<GatewayEnv>) => Identity;
}

export function mountForTest<Group extends Operations>({
  operations,
  handlers,
  longhand,
  store = null,
  visibility = {},
  identify,
  ...more
}: MountedOptions<Group>): Hono<GatewayEnv> {
  const app = new Hono<GatewayEnv>();
  const mount: MountOptions = {
    services: { longhand, namespace: 'default', store, visibility, streams: createStreams({ longhand, visibility }) },
    reach: createAuthorizeChain(longhand),
    identify: async (c) => identify(c),
    watchStream: ({ signal }) => signal,
    enterStream: () => () => {},
    onStreamDropped: () => {},
    closing: new AbortController().signal,
    timeoutMs: 60_000,
    bodyBytes: 8 * 2 ** 20,
    ...more,
  };
  for (const [id, operation] of Object.entries(operations))
    mountOperation(app, id, operation, handlers[id] as AnyHandler, mount);
  app.onError((error) => toProblemResponse(toProblem(error)));
  return app;
}

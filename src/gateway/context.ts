/** What the handler of an operation gets. */

import type { Longhand } from '../client/connect.js';
import type { ChainHandle } from '../client/handle.js';
import type { Viewer, VisibilityConfig } from '../core/view/visibility.js';
import type { Identity } from './identity/identity.js';
import type { Streams } from './streams/streams.js';

/** A chain within the reach of the caller. */
export interface ReachedChain {
  readonly handle: ChainHandle;
  readonly chainId: string;
  readonly agent: string;
  readonly tenant: string | null;
  readonly user: string | null;
}

export interface GatewayServices {
  readonly longhand: Longhand;
  readonly visibility: VisibilityConfig;
  readonly streams: Streams;
}

export interface RequestContext extends GatewayServices {
  readonly identity: Identity;
  readonly request: Request;
  /** Aborted when the client has gone, or the time for the request is over. */
  readonly signal: AbortSignal;
  /**
   * Returns a chain. Every way to a chain is through this function.
   * @throws {ChainNotFoundError} also where the chain is out of the caller's reach
   */
  readonly reach: (chainId: string) => Promise<ReachedChain>;
  /** @throws {LonghandError} `not_visible` */
  readonly toViewer: (role?: string, expanded?: Viewer['expanded']) => Viewer;
}

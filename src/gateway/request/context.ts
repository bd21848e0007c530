/** What the handler of an operation gets. */

import type { ChainHandle, ChainSource, Longhand } from '../../client/index.js';
import type { Viewer, VisibilityConfig } from '../../core/view/index.js';
import type { Store, ViewedChain } from '../../store/index.js';
import type { Identity } from '../identity/identity.js';
import type { DropReason } from '../streams/sse-response.js';
import type { Streams } from '../streams/streams.js';

/** A chain within the reach of the caller. */
export interface ReachedChain {
  readonly handle: ChainHandle;
  readonly chainId: string;
  /** Where it is read: the run that the caller reaches. */
  readonly source: ChainSource;
  readonly agent: string;
  readonly tenant: string | null;
  readonly user: string | null;
}

export interface GatewayServices {
  readonly longhand: Longhand;
  /** Temporal's namespace. */
  readonly namespace: string;
  /** Null if the gateway has none: then there are no archive, keys, webhooks, audit log and preferences. */
  readonly store: Store | null;
  readonly visibility: VisibilityConfig;
  readonly streams: Streams;
}

export interface RequestContext extends GatewayServices {
  readonly identity: Identity;
  readonly request: Request;
  /** Aborted when the client has gone, or the time for the request is over. */
  readonly signal: AbortSignal;
  /** Aborted when the gateway stops: waits end, with what there is. */
  readonly closing: AbortSignal;
  /** Names in the log what the path does not: the chain of a change, and a caller without a credential. */
  readonly nameInLog: (names: { readonly chainId?: string; readonly caller?: string }) => void;
  /** Called when the stream of the answer has ended, so that another one may begin. */
  readonly onStreamClosed: () => void;
  /** Called when the stream of the answer ends before its chain. `error` is why it failed. */
  readonly onStreamDropped: (reason: DropReason, chainId: string, error?: unknown) => void;
  /**
   * Returns a chain. Every way to a chain is through this function.
   * @throws {ChainNotFoundError} also where the chain is out of the caller's reach
   */
  readonly reach: (chainId: string) => Promise<ReachedChain>;
  /**
   * Returns the viewer for a role, the credential's first by default. In an operation on a chain, records the read in the
   * audit log where the role sees unmasked content.
   * @throws {LonghandError} `not_visible`
   */
  readonly toViewer: (role?: string, expanded?: Viewer['expanded']) => Promise<Viewer>;
  /** Records that chains are shown to a role that sees unmasked content; for other roles, does nothing. Call it before the answer. */
  readonly recordShown: (role: string, chains: readonly ViewedChain[]) => Promise<void>;
}

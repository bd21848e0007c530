/** Options of a gateway. */

import type { ConnectOptions, Longhand } from '../client/index.js';
import type { VisibilityConfig } from '../core/view/index.js';
import type { StoreOption } from '../store/index.js';
import type { Authenticate } from './identity/authenticate.js';
import type { JwtIssuer } from './identity/jwt/options.js';

/** Ways to identify callers. Without any of them, a gateway serves programs on this machine only, with all rights. */
export interface GatewayAuthentication {
  /** Whether API keys of the store are accepted: `longhand gateway keys create` makes one. Default false. */
  readonly keys?: boolean;
  /** Issuers whose tokens are accepted. */
  readonly jwt?: readonly JwtIssuer[];
  /** The application's own way, such as its session cookie. It is asked first, and returns null if it does not apply. */
  readonly custom?: Authenticate;
  /**
   * Whether a gateway without keys, tokens and `custom` also serves requests whose other end the server does not pass: Bun,
   * Deno, a route of Next. Set it only where that server listens on loopback. Default false.
   */
  readonly allowUnknownPeer?: boolean;
}

/** Receives what the gateway reports. It never contains a credential or the content of a chain. */
export interface GatewayLog {
  readonly info: (message: string, fields?: Record<string, unknown>) => void;
  readonly warn: (message: string, fields?: Record<string, unknown>) => void;
  readonly error: (message: string, fields?: Record<string, unknown>) => void;
}

export interface GatewayLimits {
  /** Most bytes of a body of an operation that takes files. Default 8 MiB. Others take 256 KiB, or less where this is less. */
  readonly bodyBytes?: number;
  /** Milliseconds for a request that returns no stream. Default 75,000: the longest wait for a result, and some more. */
  readonly requestMs?: number;
  /** Requests per minute of a credential that has no number of its own. Default 600. */
  readonly requestsPerMinute?: number;
  /** Failed authentications per minute of one address. Default 30. */
  readonly failuresPerMinute?: number;
  /** Open streams of one credential. Default 1,000. */
  readonly streamsPerCredential?: number;
  /** Milliseconds that `close` waits for requests under way. Default 10,000. */
  readonly closeMs?: number;
}

export const defaultGatewayPort = 7_700;

export interface GatewayOptions {
  /** A connected client, which stays open. Default: one that is connected with `connection`. */
  readonly longhand?: Longhand;
  /** How to connect; the store is that of the gateway. With `longhand`, only its `encryption` is used, for secrets of webhooks. */
  readonly connection?: Omit<ConnectOptions, 'store'>;
  /** The workers' store, its address, or false for none. Default: `LONGHAND_STORE`, else none. */
  readonly store?: StoreOption;
  readonly authentication?: GatewayAuthentication;
  /** Rules of visibility. Default: those of the roles. */
  readonly visibility?: VisibilityConfig;
  /** Origins whose pages may call the gateway, such as `https://app.acme.com`. Default: none. */
  readonly origins?: readonly string[];
  /** Path below which an application serves the gateway: `/agents`. Default: none. */
  readonly basePath?: string;
  /** Address under which people reach the gateway, for links: `https://agents.acme.com`. Default: that of the request. */
  readonly publicUrl?: string;
  /** Number of proxies in front of the gateway that append to `x-forwarded-for`. Default 0: the header is ignored. */
  readonly proxies?: number;
  readonly limits?: GatewayLimits;
  /** Default: none. */
  readonly log?: GatewayLog;
}

/** `longhand/gateway`: chains over HTTP. */

export type { Scope } from '../http/operation.js';
export { createGateway, type Gateway } from './create-gateway.js';
export type { GatewayAuthentication, GatewayLimits, GatewayLog, GatewayOptions } from './gateway-options.js';
export type { Authenticate, AuthenticationFailure } from './identity/authenticate.js';
export type { Identity } from './identity/identity.js';
export { type JwtClaimPath, type JwtIssuer, parseJwtFile } from './identity/jwt/options.js';
export { type GatewayServer, type ServeOptions, serveGateway } from './serve.js';

/** `@longhand/gateway`: chains over HTTP. */

export {
  type Authenticate,
  type AuthenticationFailure,
  createGateway,
  type Gateway,
  type GatewayAuthentication,
  type GatewayLimits,
  type GatewayLog,
  type GatewayOptions,
  type GatewayServer,
  type Identity,
  type JwtClaimPath,
  type JwtIssuer,
  parseJwtFile,
  type ServeOptions,
  serveGateway,
} from '../gateway/index.js';
export type { Scope } from '../http/index.js';
export { parseVisibility } from '../options/index.js';

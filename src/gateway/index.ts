/** The gateway: chains over HTTP, chat protocols, links. */

export { createGateway, type Gateway } from './create-gateway.js';
export {
  defaultGatewayPort,
  type GatewayAuthentication,
  type GatewayLimits,
  type GatewayLog,
  type GatewayOptions,
} from './gateway-options.js';
export { createApiKey, keyPrefix } from './identity/api-key.js';
export type { Authenticate, AuthenticationFailure } from './identity/authenticate.js';
export type { Identity } from './identity/identity.js';
export { type JwtClaimPath, type JwtIssuer, parseJwtFile } from './identity/jwt/options.js';
export { parseKeyLifetime, validateKeyRequest } from './identity/validate-key-request.js';
export { createLink, type LinkRequest } from './links/create-link.js';
export { formatLinkUrl, parseGatewayUrl } from './links/link-address.js';
export { createLinkKey, openLinkSigner } from './links/link-token.js';
export { type GatewayServer, type ServeOptions, serveGateway } from './serve.js';

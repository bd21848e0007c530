/** `longhand/gateway`: chains over HTTP. */

export { createGateway, type Gateway } from './create-gateway.js';
export type { GatewayAuthentication, GatewayLimits, GatewayLog, GatewayOptions } from './gateway-options.js';
export { type GatewayServer, type ServeOptions, serveGateway } from './serve.js';

/** The operations of OpenAPI documents as tools. */

export { type OpenApiSourceOptions, openApiSource } from './open-api-source.js';
export { type OpenApiOptions, openApiTools } from './open-api-tools.js';
export type { SchemeSecrets } from './security.js';

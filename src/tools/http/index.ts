/** The HTTP client of all tools: checked hosts and addresses, limits of size and time. */

export { classifyAddress, describeAddressKind } from './address-kind.js';
export { type CheckedUrl, checkUrl } from './check-url.js';
export { HttpFailure, type HttpFailureCode } from './failure.js';
export { formatHostRules, type HostRule, listFittingRules, listMatchingRules, parseHostRules } from './host-rules.js';
export { createHttpClient, type HttpClient } from './http-client.js';
export { decodeText, isJsonType, isTextType, type MediaType, matchesType, parseMediaType } from './media-type.js';
export type { HttpResponse } from './messages.js';
export type { LookupHost } from './resolve-host.js';

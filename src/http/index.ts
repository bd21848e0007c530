/** `longhand/http`: the client of a gateway. It needs no Temporal and no Node. */

export { LonghandError } from '../core/lib/errors.js';
export { HttpProblemError } from './client/problem-error.js';
export type { ClientOperationId } from './client/routes.js';
export type { CallInput, CallOptions, CallValue, HttpClient, KeyedCallOptions, StreamEvent } from './client/types.js';
export { createHttpClient, type HttpClientOptions } from './client.js';
export type { Scope } from './operation.js';
export type { OperationId } from './operations.js';
export type { StreamedChainEvent } from './schemas/event.js';
export type { GatewayCode, Problem } from './schemas/problem.js';

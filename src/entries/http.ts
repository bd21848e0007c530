/** `longhand/http`: the client of a gateway. It needs no Temporal and no Node. */

export { LonghandError } from '../core/lib/index.js';
export {
  type CallInput,
  type CallOptions,
  type CallValue,
  type ClientOperationId,
  createHttpClient,
  type GatewayCode,
  type HttpClient,
  type HttpClientOptions,
  HttpProblemError,
  type KeyedCallOptions,
  type OperationId,
  type Problem,
  type Scope,
  type StreamEvent,
  type StreamedChainEvent,
} from '../http/index.js';

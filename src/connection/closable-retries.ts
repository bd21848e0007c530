/**
 * Temporal's retries of calls to its server. A retry whose connection was closed while it waited throws in its timer, where
 * no caller can catch it, and ends the process: here the call fails instead.
 */

import { InterceptingCall, type Interceptor, Metadata, status } from '@grpc/grpc-js';
import { defaultGrpcRetryOptions, makeGrpcRetryInterceptor } from '@temporalio/client';

type Call = ConstructorParameters<typeof InterceptingCall>[0];

const failAfterClose: Interceptor = (options, nextCall) => {
  let call: Call;
  try {
    call = nextCall(options);
  } catch (error) {
    if (!isClosed(error)) throw error;
    call = closedCall;
  }
  return new InterceptingCall(call);
};

/** gRPC has no code for it. */
function isClosed(error: unknown): boolean {
  return error instanceof Error && error.message.includes('shut down');
}

const closedCall: Call = {
  start: (_metadata, listener) => {
    // As a call that fails without a response: the retries wait for it.
    listener?.onReceiveMessage?.(null);
    listener?.onReceiveStatus?.({
      code: status.CANCELLED,
      details: 'The connection is closed.',
      metadata: new Metadata(),
    });
  },
  cancelWithStatus: () => {},
  getPeer: () => 'closed',
  sendMessageWithContext: () => {},
  sendMessage: () => {},
  startRead: () => {},
  halfClose: () => {},
  getAuthContext: () => null,
};

/**
 * Returns the retries, from the outermost interceptor to the innermost.
 *
 * @param maxAttempts attempts at a call. Default: 10, in about 20 seconds
 */
export function createClosableRetries(maxAttempts = 10): Interceptor[] {
  return [makeGrpcRetryInterceptor(defaultGrpcRetryOptions({ maxAttempts })), failAfterClose];
}

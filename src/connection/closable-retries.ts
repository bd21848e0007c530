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
  } catch {
    call = closedCall;
  }
  return new InterceptingCall(call);
};

const closedCall: Call = {
  start: (_metadata, listener) =>
    listener?.onReceiveStatus?.({
      code: status.CANCELLED,
      details: 'The connection is closed.',
      metadata: new Metadata(),
    }),
  cancelWithStatus: () => {},
  getPeer: () => 'closed',
  sendMessageWithContext: () => {},
  sendMessage: () => {},
  startRead: () => {},
  halfClose: () => {},
  getAuthContext: () => null,
};

/** From the outermost to the innermost. */
export const closableRetries: readonly Interceptor[] = [
  makeGrpcRetryInterceptor(defaultGrpcRetryOptions()),
  failAfterClose,
];

/** The handlers of a group of operations: one for each. */

import type { Operation, OperationInput, Operations, OperationValue } from '../../http/index.js';
import type { ReachedChain, RequestContext } from './context.js';

/** An operation with `{chainId}` in its path gets the chain: the gateway has checked that the caller reaches it. */
export type HandlerContext<O extends Operation> = O['path'] extends `${string}{chainId}${string}`
  ? RequestContext & { readonly chain: ReachedChain }
  : RequestContext;

/** Returns the value for JSON, or a whole response: for a stream, bytes, or another status. */
type Handler<O extends Operation> = (
  input: OperationInput<O>,
  context: HandlerContext<O>,
) => Promise<OperationValue<O> | Response>;

export type Handlers<G extends Operations> = { readonly [Id in keyof G]: Handler<G[Id]> };

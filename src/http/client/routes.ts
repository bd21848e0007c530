/** The routes of the client, which the compiler compares with the operations. */

import type { ZodObject, ZodType, z } from 'zod';
import type { Operation, OperationResult } from '../operation.js';
import type { OperationId, operations } from '../operations.js';
import { routes } from '../routes.js';

export type OperationOf<Id extends OperationId> = (typeof operations)[Id];

/** The client has no pages of links: their forms are for browsers. */
export type ClientOperationId = Exclude<OperationId, 'showLink' | 'decideByLink'>;

/** Members of an input that are no placeholders of the path are `rest`, except those that `query` lists. */
type RouteOf<O extends Operation> = {
  readonly result: ResultOf<O['result']>;
} & RestOf<O> &
  KeyOf<O> &
  RepeatOf<O>;

/** Streams of other protocols are returned as they are: their own clients read them. */
type ResultOf<R extends OperationResult> = R extends { readonly kind: 'stream'; readonly data: null }
  ? 'bytes'
  : R['kind'];

type RestOf<O> = O extends { readonly body: ZodType }
  ? { readonly rest: 'body'; readonly query?: QueryNames<O> } & (O extends { readonly query: ZodObject }
      ? { readonly query: QueryNames<O> }
      : unknown)
  : { readonly rest: 'query' };

type QueryNames<O> = O extends { readonly query: infer Q extends ZodObject }
  ? { readonly [name in keyof z.input<Q>]-?: true }
  : never;

/** Whether the operation takes an idempotency key: then it can be sent again. */
type KeyOf<O> = O extends { readonly headers: infer H extends ZodObject }
  ? 'idempotency-key' extends keyof z.input<H>
    ? { readonly keyed: true }
    : unknown
  : unknown;

/** Whether a DELETE has the same answer when it is sent again. */
type RepeatOf<O> = O extends { readonly method: 'DELETE' } ? { readonly repeatable?: true } : unknown;

/** Compared with the operations: a row that does not fit its operation does not compile. */
export const clientRoutes = routes satisfies { readonly [Id in ClientOperationId]: RouteOf<OperationOf<Id>> };

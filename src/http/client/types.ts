/** The types of the client's methods, inferred from the table of operations. */

import type { ZodObject, ZodType, z } from 'zod';
import type { Operation, OperationValue } from '../operation.js';
import type { ClientOperationId, OperationOf } from './routes.js';

/** One method for each operation, with its id as the name. */
export type HttpClient = {
  readonly [Id in ClientOperationId]: (...args: CallArguments<OperationOf<Id>>) => CallResult<OperationOf<Id>>;
};

type CallArguments<O extends Operation> =
  Record<never, never> extends InputOf<O>
    ? readonly [input?: InputOf<O>, options?: OptionsOf<O>]
    : readonly [input: InputOf<O>, options?: OptionsOf<O>];

/** What a method takes: placeholders of the path, members of the query and of the body, in one object. */
export type CallInput<Id extends ClientOperationId> = InputOf<OperationOf<Id>>;

/** What a method returns, when it has been awaited; for a stream, one event. */
export type CallValue<Id extends ClientOperationId> =
  CallResult<OperationOf<Id>> extends AsyncIterable<infer E> ? E : Awaited<CallResult<OperationOf<Id>>>;

type InputOf<O> = ParamsOf<O> & QueryOf<O> & BodyOf<O>;

type ParamsOf<O> = O extends { readonly params: infer S extends ZodObject } ? Readonly<z.input<S>> : unknown;

type BodyOf<O> = O extends { readonly body: infer S extends ZodType } ? z.input<S> : unknown;

/** Values as the gateway reads them, not the texts that are sent: true, 50, a list. */
type QueryOf<O> = O extends { readonly query: infer S extends ZodObject }
  ? { readonly [name in keyof z.input<S>]: z.output<S>[name & keyof z.output<S>] | undefined }
  : unknown;

export interface CallOptions {
  /** Ends the call, with the reason of the signal as the error. */
  readonly signal?: AbortSignal | undefined;
  /** Further headers of the request, such as `range`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

export interface KeyedCallOptions extends CallOptions {
  /** Names the start: with the same key it is the same chain. Default: a random one for each call of the method. */
  readonly idempotencyKey?: string | undefined;
}

type OptionsOf<O> = O extends { readonly headers: infer H extends ZodObject }
  ? 'idempotency-key' extends keyof z.input<H>
    ? KeyedCallOptions
    : CallOptions
  : CallOptions;

type CallResult<O extends Operation> = O['result'] extends {
  readonly kind: 'stream';
  readonly data: infer S extends ZodType;
}
  ? AsyncGenerator<StreamEvent<z.output<S>>, void>
  : Promise<PlainValue<O>>;

type PlainValue<O extends Operation> = {
  readonly json: OperationValue<O>;
  readonly empty: undefined;
  readonly bytes: Response;
  readonly text: string;
  /** Of another protocol. */
  readonly stream: Response;
}[O['result']['kind']];

/** An event of a stream. `event` is the `type` of its data. */
export type StreamEvent<Data> = Data extends { readonly type: infer T extends string }
  ? { readonly id: string | null; readonly event: T; readonly data: Data }
  : never;

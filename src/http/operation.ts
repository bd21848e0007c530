/**
 * An operation of the gateway: where it is, who may call it, what it takes and what it returns. One table of operations is
 * mounted by the gateway, called by the client, and described by the OpenAPI document, so the three cannot disagree.
 */

import type { ZodObject, ZodType, z } from 'zod';

/** What a caller may do. `admin` manages API keys, webhooks and budgets. */
export const scopes = ['start', 'read', 'decide', 'direct', 'audit', 'admin'] as const;

export type Scope = (typeof scopes)[number];

export function isScope(name: string): name is Scope {
  return scopes.some((scope) => scope === name);
}

/** What an operation returns. A stream is of server-sent events. */
export type OperationResult =
  /** `existing`: the status where an earlier request had this effect. */
  | { readonly kind: 'json'; readonly status: 200 | 201 | 202; readonly existing?: 200; readonly schema: ZodType }
  | { readonly kind: 'empty' }
  | { readonly kind: 'stream'; readonly data: ZodType | null }
  /** `ranges`: answers requests for a part. */
  | { readonly kind: 'bytes'; readonly ranges?: true }
  | { readonly kind: 'text'; readonly mediaType: string };

export interface Operation {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** `/v1/chains/{chainId}`. An operation with `{chainId}` reads or changes that chain: the gateway checks its tenant first. */
  readonly path: string;
  /** Group in the OpenAPI document. */
  readonly tag: string;
  readonly summary: string;
  /** Scope that the caller needs; null for no authentication. */
  readonly scope: Scope | null;
  /** Of the placeholders in the path. */
  readonly params?: ZodObject;
  /** Values are texts: schemas convert them. */
  readonly query?: ZodObject;
  readonly headers?: ZodObject;
  readonly body?: ZodType;
  /** The body may contain files, and so more bytes. */
  readonly files?: true;
  readonly result: OperationResult;
}

/** What a body may have at most. `filesBytes`: of an operation that takes files; a gateway may set another limit. */
export const bodyBounds = { bytes: 256 * 2 ** 10, filesBytes: 8 * 2 ** 20, levels: 200, values: 50_000 } as const;

type Parsed<T> = T extends ZodType ? z.output<T> : undefined;

/** What a handler gets: the parts of the request, as the schemas return them. */
export interface OperationInput<O extends Operation> {
  readonly params: Parsed<O['params']>;
  readonly query: Parsed<O['query']>;
  readonly headers: Parsed<O['headers']>;
  readonly body: Parsed<O['body']>;
}

/** The value that an operation returns as JSON; never for one that returns something else. */
export type OperationValue<O extends Operation> = O['result'] extends { readonly schema: infer S extends ZodType }
  ? z.output<S>
  : never;

/** Operations by their id. */
export interface Operations {
  readonly [operationId: string]: Operation;
}

/** Schemas of what operations return. They document the important members; types of Longhand have the rest. */

import { type ZodType, z } from 'zod';
import type { Json } from '../../core/lib/index.js';

/**
 * States the type of what a schema documents. It compiles only while every documented member is a member of the type.
 *
 * @example
 * const receiptSchema = documentType<CommandReceipt>()(z.object({ status: z.enum(['accepted', 'sent']) }));
 */
export function documentType<T>() {
  return <S extends ZodType>(schema: T extends z.input<S> ? S : never): ZodType<T, T> =>
    schema as unknown as ZodType<T, T>;
}

export const jsonSchema: ZodType<Json, Json> = z.unknown().meta({ description: 'Any JSON value.' }) as ZodType<
  Json,
  Json
>;

/** Milliseconds since 1970. */
export const timeSchema = z.number().meta({ description: 'Milliseconds since 1970.' });

export const costSchema = z.number().nullable().meta({ description: 'US dollars; null where a model has no price.' });

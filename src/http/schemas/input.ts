/** Parts of requests that several operations take. */

import { z } from 'zod';
import { maxReasonLength } from '../../core/model/index.js';

export const chainIdSchema = z
  .string()
  .min(1)
  .max(1_000)
  .meta({ description: 'Id of the chain, percent-encoded: that of a sub-chain contains slashes.' });

export const chainParams = z.object({ chainId: chainIdSchema });

export const callIdSchema = z
  .string()
  .regex(/^\d+\.\d+$/)
  .meta({ description: 'Id of the call, such as `3.1`.' });

export const nameSchema = z.string().min(1).max(200);

/** One sentence or several, from a person. */
export const textSchema = z.string().trim().min(1).max(100_000);

const reasonSchema = z
  .string()
  .max(maxReasonLength)
  .optional()
  .meta({ description: 'In one sentence. The model sees the reason of a denial.' });

export const asSchema = z
  .string()
  .max(100)
  .optional()
  .meta({ description: 'Role to read as, one of those of the credential. Default: its first.' });

/** Roles of a person. */
export const rolesSchema = z.array(z.string().min(1).max(100)).max(32);

/** The sender of a command, and why. */
export const senderShape = {
  by: nameSchema.optional().meta({ description: 'Name of the person. Only for a credential without a user.' }),
  roles: rolesSchema.optional().meta({ description: 'Roles of the person. Only for a credential without roles.' }),
  reason: reasonSchema,
};

/** A flag of a query: `?tokens`, `?tokens=true`, `?tokens=1`. */
export const flagSchema = z
  .enum(['', 'true', 'false', '1', '0'])
  .optional()
  .transform((value) => value === '' || value === 'true' || value === '1')
  .meta({ type: 'boolean' });

export const limitSchema = z.coerce.number().int().min(1).max(200).default(50);

/** The end of the year 9999: Temporal takes no later one. */
const latestTime = Date.UTC(9999, 11, 31, 23, 59, 59, 999);

/** A time in a query. */
export const timeQuerySchema = z.coerce
  .number()
  .int()
  .min(0)
  .max(latestTime)
  .meta({ description: 'Milliseconds since 1970.' });

export const cursorSchema = z
  .string()
  .max(2_000)
  .optional()
  .meta({ description: 'Of an earlier page: continues after it.' });

export const expandSchema = z
  .string()
  .max(10_000)
  .optional()
  .transform((value) => (value === undefined ? [] : value === 'all' ? ('all' as const) : value.split(',')))
  .meta({ type: 'string', description: 'Ids of steps to open, separated by commas, or `all`.' });

export const pageOf = <S extends z.ZodType>(item: S) =>
  z.object({
    items: z.array(item).readonly(),
    cursor: z.string().nullable().meta({ description: 'For the next page; null on the last.' }),
  });

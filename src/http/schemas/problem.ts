/** Problem details (RFC 9457): the body of every answer that is not a success. */

import { z } from 'zod';

/** Codes of the gateway itself. The others are those of Longhand's errors. */
export const gatewayCodes = {
  request_invalid: 'A part of the request does not match its schema.',
  request_too_large: 'The body of the request is too large.',
  media_type_unsupported: 'The body of the request is not JSON.',
  unauthenticated: 'The request has no valid credential.',
  scope_missing: 'The credential lacks the scope of the operation.',
  origin_rejected: 'A page of this origin may not call the gateway.',
  host_rejected: 'Without authentication, the gateway answers only to this machine.',
  too_many_requests: 'The credential or the address sends too many requests.',
  route_not_found: 'No operation has this path.',
  method_not_allowed: 'The path has no operation with this method.',
  idempotency_conflict: 'Another request used this idempotency key.',
  not_ready: 'Temporal or the store does not answer.',
  not_configured: 'The gateway is not configured for this operation.',
  timed_out: 'The request took too long.',
  closing: 'The gateway is stopping.',
} as const satisfies { readonly [code: string]: string };

export type GatewayCode = keyof typeof gatewayCodes;

export const problemSchema = z
  .looseObject({
    type: z.string().meta({ description: '`urn:longhand:` and the code.' }),
    title: z.string().meta({ description: 'The meaning of the code, the same for every occurrence.' }),
    status: z.number(),
    detail: z.string().optional().meta({ description: 'What is wrong with this request, and the fix.' }),
    code: z.string().meta({ description: 'Stable: match it, not the texts.' }),
    rejection: z.string().optional().meta({ description: 'Why the chain rejected a command.' }),
    issues: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .optional()
      .meta({ description: 'Where the request does not match its schema.' }),
  })
  .meta({ id: 'Problem' });

export type Problem = z.infer<typeof problemSchema>;

/** Operations on links by which one person decides one request, once: for mail and chat. */

import { z } from 'zod';
import type { Operations } from '../operation.js';
import { locate } from '../routes.js';
import { callIdSchema, chainParams, nameSchema, rolesSchema } from '../schemas/input.js';

const linkParams = z.object({ token: z.string().meta({ description: 'As the link has it. It is a secret.' }) });

const newLinkSchema = z
  .strictObject({
    by: nameSchema.optional().meta({ description: 'Person who decides. Only for a credential without a user.' }),
    roles: rolesSchema.optional().meta({ description: 'Roles of the person: at most those of the credential.' }),
    as: z
      .string()
      .max(100)
      .optional()
      .meta({ description: 'Role to show the request to, one of those of the credential. Default: `end_user`.' }),
    expires: z
      .union([z.number().positive(), z.string().max(50)])
      .optional()
      .meta({ description: 'Milliseconds, or a text such as `24h`. Default: 24 hours; at most 30 days.' }),
  })
  .meta({ id: 'NewLink' });

export const linkOperations = {
  createLink: {
    ...locate('createLink'),
    tag: 'People',
    summary:
      'Creates a link by which one person approves or denies this request, once. The call `limit` is the question of a chain at a limit.',
    scope: 'decide',
    params: chainParams.extend({ call: z.union([callIdSchema, z.literal('limit')]) }),
    body: newLinkSchema,
    result: {
      kind: 'json',
      status: 201,
      schema: z
        .object({
          url: z.string().meta({ description: 'A secret: its bearer decides in the name of the person.' }),
          expiresAt: z.number().meta({ description: 'Milliseconds since 1970.' }),
        })
        .meta({ id: 'Link' }),
    },
  },
  showLink: {
    method: 'GET',
    path: '/links/{token}',
    tag: 'People',
    summary: 'The page of a link. It decides nothing, however often it is fetched.',
    scope: null,
    params: linkParams,
    result: { kind: 'text', mediaType: 'text/html; charset=utf-8' },
  },
  decideByLink: {
    method: 'POST',
    path: '/links/{token}',
    tag: 'People',
    summary: 'Decides by a link, from a form with `decision` (`approve` or `deny`) and `reason`.',
    scope: null,
    params: linkParams,
    result: { kind: 'text', mediaType: 'text/html; charset=utf-8' },
  },
} as const satisfies Operations;

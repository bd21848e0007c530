/** Arguments that a person has changed: the approvals still missing, and the faults that the schema of a tool finds. */

import { expect, it } from 'vitest';
import { z } from 'zod';
import { findMissingApprovals, validateArguments } from '../../../../src/core/engine/approvals/changed-arguments.js';
import { createRequestRules } from '../../../../src/core/engine/state/request-rules.js';
import type { Json, JsonObject } from '../../../../src/core/lib/json.js';
import type { RequestRules } from '../../../../src/core/model/request.js';

const rules = (given: Partial<RequestRules> = {}) =>
  createRequestRules({ reason: 'It is asked about.', risk: 'low', ...given });
const later = (roles: readonly string[], afterMs = 60_000) => ({ afterMs, roles });

it.each<readonly [string, Partial<RequestRules>, Partial<RequestRules>, string | null]>([
  ['the same rules', { roles: ['ops'], approvers: 2 }, { roles: ['ops'], approvers: 2 }, null],
  ['fewer people', { approvers: 2 }, {}, null],
  ['more people', {}, { approvers: 2 }, '2 different people to approve it'],
  ['any person instead of a role', { roles: ['ops'] }, {}, null],
  ['a role instead of any person', {}, { roles: ['ops', 'lead'] }, 'a person with the role ops or lead to approve it'],
  ['one more role', { roles: ['ops'] }, { roles: ['lead', 'ops'] }, null],
  ['one role less', { roles: ['ops', 'lead'] }, { roles: ['lead'] }, 'a person with the role lead to approve it'],
  ['other roles', { roles: ['ops'] }, { roles: ['lead'] }, 'a person with the role lead to approve it'],
  ['the requester, who was excluded', { byRequester: false }, {}, null],
  [
    'the requester is now excluded',
    {},
    { byRequester: false },
    'a person other than the requester of the chain to approve it',
  ],
  ['another reason, risk and time', {}, { reason: 'Other.', risk: 'high', expiresMs: 5, onExpiry: 'approve' }, null],
  [
    'the same escalation',
    { roles: ['ops'], escalation: later(['lead']) },
    { roles: ['ops'], escalation: later(['lead']) },
    null,
  ],
  [
    'no escalation',
    { roles: ['ops'], escalation: later(['lead']) },
    { roles: ['ops'] },
    'a person with the role ops to approve it',
  ],
  [
    'the roles of the escalation at once',
    { roles: ['ops'], escalation: later(['lead']) },
    { roles: ['ops', 'lead'] },
    null,
  ],
  [
    'a later escalation',
    { roles: ['ops'], escalation: later(['lead']) },
    { roles: ['ops'], escalation: later(['lead'], 60_001) },
    'a person with the role ops to approve it',
  ],
  [
    'the previous roles only after an escalation',
    { roles: ['lead'] },
    { roles: ['ops'], escalation: later(['lead']) },
    'a person with the role ops to approve it',
  ],
  [
    'all of these',
    {},
    { roles: ['ops'], approvers: 3, byRequester: false },
    'a person with the role ops, and 3 different people, and a person other than the requester of the chain to approve it',
  ],
])('the approvals still missing are found: %s', (_, approvedBy, now, missing) => {
  expect(findMissingApprovals(rules(approvedBy), rules(now))).toBe(missing);
});

const schema = z.toJSONSchema(
  z.object({
    to: z.email(),
    code: z.string().regex(/^\w+$/).optional(),
    at: z.object({ hour: z.int() }).optional(),
    cents: z.int().positive().optional(),
  }),
) as JsonObject;

it.each<[Json, string | null]>([
  [{ to: 'ann@example.com', code: 'x1' }, null],
  [{ to: 'ann' }, 'to: is not a valid email.'],
  [{ to: 'ann@example.com', code: '-' }, 'code: must match the pattern ^\\w+$.'],
  [{ to: 'ann', code: '-' }, 'to: is not a valid email. code: must match the pattern ^\\w+$.'],
  [{ to: 'ann@example.com', at: { hour: 'noon' } }, 'at.hour: must be of type integer.'],
  [{ to: 'ann@example.com', cents: 0 }, 'cents: must be greater than 0.'],
  [{}, 'to is missing.'],
])('changed arguments are validated: %j', (input, problem) => {
  expect(validateArguments(schema, input)).toBe(problem);
});

it('rejects arguments that the validator fails on, and accepts any by a schema that is invalid', () => {
  const list: JsonObject = { items: { $ref: '#' } };
  const deep = JSON.parse(`${'['.repeat(50_000)}${']'.repeat(50_000)}`) as Json;
  expect(validateArguments(list, deep)).toBe('is nested too deep, or has too many problems.');
  expect(validateArguments({ additionalProperties: false }, { '\ud800': 1 })).toContain('cannot be validated: ');
  expect(validateArguments({ pattern: '(' }, deep)).toBe(null);
});

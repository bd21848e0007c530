/** A call that was approved by some rules, and for which others hold now: what it would have needed besides. */

import { expect, it } from 'vitest';
import { neededBesides } from '../../../src/core/approvals/needed-besides.js';
import type { AskRules } from '../../../src/core/model/ask.js';
import { askRules } from '../../../src/core/state/ask-rules.js';

const rules = (given: Partial<AskRules> = {}) => askRules({ reason: 'It is asked about.', risk: 'low', ...given });
const later = (roles: readonly string[], afterMs = 60_000) => ({ afterMs, roles });

it.each<readonly [string, Partial<AskRules>, Partial<AskRules>, string | null]>([
  ['the same rules', { roles: ['ops'], approvers: 2 }, { roles: ['ops'], approvers: 2 }, null],
  ['fewer people', { approvers: 2 }, {}, null],
  ['more people', {}, { approvers: 2 }, '2 different people to approve it'],
  ['anybody, where it was a role', { roles: ['ops'] }, {}, null],
  ['a role, where it was anybody', {}, { roles: ['ops', 'lead'] }, 'somebody of the role ops or lead to approve it'],
  ['one more role', { roles: ['ops'] }, { roles: ['lead', 'ops'] }, null],
  ['one role less', { roles: ['ops', 'lead'] }, { roles: ['lead'] }, 'somebody of the role lead to approve it'],
  ['other roles', { roles: ['ops'] }, { roles: ['lead'] }, 'somebody of the role lead to approve it'],
  ['the user, who could not', { byRequester: false }, {}, null],
  ['not the user', {}, { byRequester: false }, 'somebody else than who asked for the chain to approve it'],
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
    'somebody of the role ops to approve it',
  ],
  ['who came later, at once', { roles: ['ops'], escalation: later(['lead']) }, { roles: ['ops', 'lead'] }, null],
  [
    'a later escalation',
    { roles: ['ops'], escalation: later(['lead']) },
    { roles: ['ops'], escalation: later(['lead'], 60_001) },
    'somebody of the role ops to approve it',
  ],
  [
    'who could at once, later',
    { roles: ['lead'] },
    { roles: ['ops'], escalation: later(['lead']) },
    'somebody of the role ops to approve it',
  ],
  [
    'all of it',
    {},
    { roles: ['ops'], approvers: 3, byRequester: false },
    'somebody of the role ops, and 3 different people, and somebody else than who asked for the chain to approve it',
  ],
])('%s', (_, approvedBy, now, missing) => {
  expect(neededBesides(rules(approvedBy), rules(now))).toBe(missing);
});

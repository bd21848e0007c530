/** Reasons of commands, as the gateway accepts them and as a chain records them. */

import { expect, it } from 'vitest';
import { parseMessage } from '../../src/contract/messages.js';
import { operations } from '../../src/http/operations.js';

it('a reason that the gateway accepts is recorded in full', () => {
  const { body } = operations.pauseChain;
  const longest = 'x'.repeat(1_000);
  expect(body.safeParse({ reason: `${longest}x` }).success).toBe(false);
  const { reason } = body.parse({ reason: longest });
  expect(parseMessage('longhand.pause', { reason }, null)).toMatchObject({ reason: longest });
});

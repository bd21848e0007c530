/** Content of spans: the model hears what people say to a chain and what came of its calls, and no request to a person. */

import { expect, it } from 'vitest';
import { toChatContent, toToolContent } from '../../src/telemetry/content.js';
import { contentAttributes } from '../../src/telemetry/conventions.js';
import { deployed, pushing } from '../support/play-approvals.js';

const { chain } = deployed();

it('of a call of the model tells messages as of a user, denials as results, and requests not at all', () => {
  const found = toChatContent(chain, 'Be careful.', null, {})[contentAttributes.input] ?? '';
  const messages = JSON.parse(found) as readonly { readonly role: string; readonly parts: readonly unknown[] }[];
  const said = { type: 'text', content: 'bob: Push to a branch of your own.' };
  expect(messages).toContainEqual({ role: 'user', parts: [said] });
  expect(found).toContain('Denied by ana: Not on a Friday.');
  expect(found).not.toContain(pushing.reason);
  expect(found).not.toMatch(/hunter2|swordfish/);
});

it('of a call of a tool tells the arguments that it was made with', () => {
  const { [contentAttributes.toolArguments]: found } = toToolContent(chain, '2.1', null, {});
  expect(JSON.parse(found ?? '')).toEqual({ branch: 'fix-1', token: expect.stringMatching(/^\[redacted:field/) });
});

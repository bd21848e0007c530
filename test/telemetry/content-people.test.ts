/** Content of spans: it contains people's messages and the results of calls, but no request to a person. */

import { expect, it } from 'vitest';
import { toChatContent, toToolContent } from '../../src/telemetry/content.js';
import { contentAttributes } from '../../src/telemetry/conventions.js';
import { deployed, pushing } from '../support/play-approvals.js';

const { chain } = deployed();

it('the content of a model call has messages as a user, denials as results, and no requests', () => {
  const found = toChatContent(chain, 'Be careful.', null, {})[contentAttributes.input] ?? '';
  const messages = JSON.parse(found) as readonly { readonly role: string; readonly parts: readonly unknown[] }[];
  const message = { type: 'text', content: 'bob: Push to a branch of your own.' };
  expect(messages).toContainEqual({ role: 'user', parts: [message] });
  expect(found).toContain('Denied by ana: Not on a Friday.');
  expect(found).not.toContain(pushing.reason);
  expect(found).not.toMatch(/hunter2|swordfish/);
});

it('the content of a tool call has its masked arguments', () => {
  const { [contentAttributes.toolArguments]: found } = toToolContent(chain, '2.1', null, {});
  expect(JSON.parse(found ?? '')).toEqual({ branch: 'fix-1', token: expect.stringMatching(/^\[redacted:field/) });
});

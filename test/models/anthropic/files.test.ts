/** The wire of the Messages API carries files as base64 blocks, made of the references in a request. */

import { expect, it } from 'vitest';
import type { FileBlock } from '../../../src/entries/client.js';
import type { StoredFile } from '../../../src/index.js';
import { toRequestBody } from '../../../src/models/anthropic/request.js';
import { removeBreakpoints } from '../../support/prompt-cache.js';
import { request, snapshot } from '../call.js';

const fileOf = (name: string, mediaType: string, digest: string): FileBlock => {
  const file: StoredFile = { name, mediaType, bytes: 3, digest };
  return { type: 'file', file };
};
const image = fileOf('a.png', 'image/png', 'sha256:1');
const pdf = fileOf('b.pdf', 'application/pdf', 'sha256:2');
const files = new Map([
  ['sha256:1', Buffer.from('one')],
  ['sha256:2', Buffer.from('two')],
]);

it('images are image blocks and PDFs are titled documents, also in the result of a tool', () => {
  const result = { type: 'tool_result', tool_use_id: 'use_1', content: 'Done.', files: [image] } as const;
  const messages = [
    { role: 'user', content: [image, pdf] },
    { role: 'user', content: [result] },
  ] as const;
  const body = toRequestBody({ request: { ...request, messages }, files, model: snapshot, maxTokens: 10 });
  const imageBlock = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'b25l' } };
  expect(removeBreakpoints(body.messages)).toEqual([
    {
      role: 'user',
      content: [
        imageBlock,
        { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'dHdv' }, title: 'b.pdf' },
      ],
    },
    {
      role: 'user',
      content: [{ type: 'tool_result', tool_use_id: 'use_1', content: [{ type: 'text', text: 'Done.' }, imageBlock] }],
    },
  ]);
});

it('a request without the bytes of its file is not sent', () => {
  const messages = [{ role: 'user', content: [image] }] as const;
  expect(() => toRequestBody({ request: { ...request, messages }, model: snapshot, maxTokens: 10 })).toThrow(
    'The bytes of a.png are missing.',
  );
});

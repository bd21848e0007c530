/** Stored content: read as its bytes are, for any media type that a tool stated, and errors that name no place. */

import { expect, it } from 'vitest';
import type { ChainArchive } from '../../../src/client/read/chain-archive.js';
import { maskContent, readContent, type ViewedChain } from '../../../src/client/read/read-file.js';
import { matchError } from '../../support/match-error.js';

const result = { id: '1.1r', kind: 'tool_result', level: 'full', correlationId: '1.1', observation: null };
const viewed = {
  reasoning: { chainId: 'chain-1', origin: null, steps: [result] },
  viewReasoning: (reasoning: unknown) => reasoning,
} as unknown as ViewedChain;

it.each(['{"a":', '', 'no json', '{"a":1}'])('content of a JSON media type may be any text: %j', (text) => {
  const content = { mediaType: 'application/json', bytes: Buffer.from(text) };
  expect(maskContent(content, viewed, '1.1')).toBe(text);
});

it('the error of content that the store does not have is without the place of the store', async () => {
  const archive = {
    place: 'postgres://db.internal/longhand',
    readContent: async () => null,
  } as unknown as ChainArchive;
  const stored = { digest: 'sha256:1' } as Parameters<typeof readContent>[2];
  const error = await readContent(archive, viewed.reasoning, stored).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject(matchError('call_not_found'));
  expect(String(error)).not.toContain('db.internal');
});

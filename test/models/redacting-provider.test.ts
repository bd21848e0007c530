/** A key is in nothing that its provider says; a word that only stands for one changes nothing. */

import { expect, it } from 'vitest';
import type { ModelCallOptions, ModelCallResult, ModelProvider } from '../../src/models/provider.js';
import { maskProviderKeys } from '../../src/models/redacting-provider.js';

const saying = (text: string): ModelProvider => ({
  name: 'test',
  call: async (): Promise<ModelCallResult> =>
    ({ ok: true, reply: { model: 'ollama/qwen3', content: [{ type: 'text', text }] } }) as unknown as ModelCallResult,
});

async function said(key: string, text: string): Promise<unknown> {
  const result = await maskProviderKeys([key], saying(text)).call({} as never, {} as ModelCallOptions);
  return result.ok ? [result.reply.model, result.reply.content] : null;
}

it('hides a key', async () => {
  const key = 'sk-0123456789abcdef';
  expect(JSON.stringify(await said(key, `Yours is ${key}.`))).not.toContain(key);
});

it('leaves a word as it is that a local server is told in the stead of one', async () => {
  const text = 'See https://ollama.com/library.';
  expect(await said('ollama', text)).toEqual(['ollama/qwen3', [{ type: 'text', text }]]);
});

/** A provider's results never contain its key; a placeholder for a key is not masked. */

import { expect, it } from 'vitest';
import type { ModelProvider } from '../../../src/entries/models.js';
import type { ModelCallOptions, ModelCallResult } from '../../../src/models/wire/provider.js';
import { maskProviderKeys } from '../../../src/models/wire/redacting-provider.js';

const replying = (text: string): ModelProvider => ({
  name: 'test',
  call: async (): Promise<ModelCallResult> =>
    ({ ok: true, reply: { model: 'ollama/qwen3', content: [{ type: 'text', text }] } }) as unknown as ModelCallResult,
});

async function call(key: string, text: string): Promise<unknown> {
  const result = await maskProviderKeys([key], replying(text)).call({} as never, {} as ModelCallOptions);
  return result.ok ? [result.reply.model, result.reply.content] : null;
}

it('a key is masked', async () => {
  const key = 'sk-0123456789abcdef';
  expect(JSON.stringify(await call(key, `Yours is ${key}.`))).not.toContain(key);
});

it('a placeholder for a key is not masked', async () => {
  const text = 'See https://ollama.com/library.';
  expect(await call('ollama', text)).toEqual(['ollama/qwen3', [{ type: 'text', text }]]);
});

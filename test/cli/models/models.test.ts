import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { serveChat } from '../../models/call.js';
import { longhandHere } from '../../support/command-here.js';

const folder = mkdtempSync(join(tmpdir(), 'longhand-models-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, content: unknown): string {
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify(content));
  return file;
}

const catalogue = write('models.json', {
  fast: { provider: 'openai', id: 'gpt-5.4-mini' },
  far: { provider: 'gemini', id: 'gemini-4' },
});

describe('longhand models', () => {
  it('lists aliases and the models of the configured providers, filtered by text', async () => {
    const env = { OPENAI_API_KEY: 'k', LONGHAND_MODELS: catalogue };
    const { stdout, code } = await longhandHere(['models', 'gpt-5.4-mini'], env);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^MODEL +PROVIDER +ID +CONTEXT/);
    expect(stdout).toMatch(/^fast +openai +gpt-5\.4-mini .*tools/m);
    expect(stdout).toMatch(/^gpt-5\.4-mini +openai /m);
    const listed = JSON.parse((await longhandHere(['models', '--json'], env)).stdout) as { name: string }[];
    expect(listed.find(({ name }) => name === 'far')).toMatchObject({ problem: expect.stringContaining('gemini') });
    expect(listed.find(({ name }) => name === 'gpt-5.5')).toMatchObject({
      provider: 'openai',
      contextTokens: 1_050_000,
    });
    expect(listed.filter(({ name }) => name.startsWith('claude'))).toEqual([]);
  });

  it('names the variables where no provider is configured', async () => {
    expect(await longhandHere(['models'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('GEMINI_API_KEY'),
    });
  });

  it('--check calls each alias with one token, and prints what fails with its fix', async () => {
    const server = await serveChat([
      { text: 'ok' },
      { status: 404, error: { type: 'not_found_error', message: 'no such model' } },
    ]);
    const env = { OPENAI_BASE_URL: server.url };
    const models = write('checked.json', { fast: 'gpt-5.4-mini', gone: 'gpt-0' });
    const { stdout, code } = await longhandHere(['models', '--check', '--models', models], env);
    expect(code).toBe(1);
    expect(stdout).toMatch(/✓ +fast +openai +gpt-5\.4-mini +\d/);
    expect(stdout).toMatch(/✗ +gone +openai +gpt-0 .*\n +no such model\. Check the model's name/);
    expect(server.requests.map(({ body }) => [body.model, body.max_tokens])).toEqual([
      ['gpt-5.4-mini', 1],
      ['gpt-0', 1],
    ]);
  });

  it('--check exits with 0 where all models answer', async () => {
    const server = await serveChat([{ text: 'ok' }]);
    const checked = await longhandHere(['models', '--check', 'qwen'], { OPENAI_BASE_URL: server.url });
    expect(checked).toMatchObject({ code: 0, stdout: expect.stringMatching(/✓ +qwen/) });
  });
});

describe('longhand models update', () => {
  const priced = { litellm_provider: 'openai', mode: 'chat', input_cost_per_token: 1e-6, output_cost_per_token: 2e-6 };

  it('writes the chat models of a map, and reports what changed and how to use it', async () => {
    const out = write('own.json', { old: priced, same: priced, moved: priced });
    const from = write('map.json', {
      sample_spec: { mode: 'one of: chat' },
      same: priced,
      moved: { ...priced, input_cost_per_token: 3e-6 },
      fresh: priced,
      embedding: { ...priced, mode: 'embedding' },
    });
    const { code, stderr } = await longhandHere(['models', 'update', '--from', from, '--out', out]);
    expect(code).toBe(0);
    expect(stderr).toContain('1 new models: fresh\n1 models that are gone: old\n1 changed prices: moved');
    expect(stderr).toContain(`LONGHAND_PRICES=${out}`);
    expect(Object.keys(JSON.parse(readFileSync(out, 'utf8')))).toEqual(['same', 'moved', 'fresh']);
  });

  it('leaves the file as it is where the new map is invalid', async () => {
    const out = write('kept.json', { same: priced });
    const before = readFileSync(out, 'utf8');
    const from = write('wrong.json', { same: { ...priced, input_cost_per_token: 3 } });
    const { code, stderr } = await longhandHere(['models', 'update', '--from', from, '--out', out]);
    expect([code, readFileSync(out, 'utf8')]).toEqual([1, before]);
    expect(stderr).toContain('US dollars per token, not per million');
  });
});

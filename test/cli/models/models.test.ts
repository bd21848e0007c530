import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, describe, expect, it } from 'vitest';
import { downloadText } from '../../../src/cli/models/update.js';
import { closeAtEnd, serveChat } from '../../models/call.js';
import { longhandHere } from '../../support/command-here.js';

const folder = mkdtempSync(join(tmpdir(), 'longhand-models-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(name: string, content: unknown): string {
  const file = join(folder, name);
  writeFileSync(file, JSON.stringify(content));
  return file;
}

/** Returns the address of a server that the end of the test closes. */
async function serveHttp(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  };
  await closeAtEnd(Promise.resolve({ close }));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
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
    expect(stdout).toMatch(/^MODEL +PROVIDER +CONTEXT/);
    expect(stdout).toMatch(/^fast +openai .*tools.*\n {3}gpt-5\.4-mini\n/m);
    expect(stdout).toMatch(/^gpt-5\.4-mini +openai /m);
    const listed = JSON.parse((await longhandHere(['models', '--json'], env)).stdout) as { name: string }[];
    expect(listed.find(({ name }) => name === 'far')).toMatchObject({ problem: expect.stringContaining('gemini') });
    expect(listed.find(({ name }) => name === 'gpt-5.5')).toMatchObject({
      provider: 'openai',
      contextTokens: 1_050_000,
    });
    expect(listed.filter(({ name }) => name.startsWith('claude'))).toEqual([]);
  });

  it('lists an alias once, with its place, its data and the provider whose price it has', async () => {
    const house = { provider: 'chat-server', id: 'gpt-5.5', region: 'eu', dataClasses: ['personal', 'health'] };
    const models = write('placed.json', {
      house,
      'gpt-5.4': { ...house, id: 'gpt-5.4', price: { input: 0, output: 0 } },
    });
    const env = { OPENAI_BASE_URL: 'http://127.0.0.1:9', LONGHAND_MODELS: models };
    const { stdout } = await longhandHere(['models'], env);
    expect(stdout).toMatch(
      /^house +chat-server .*\n {3}gpt-5\.5 · region eu · data personal, health · price of openai$/m,
    );
    expect(stdout).toMatch(/^gpt-5\.4 +chat-server .*\n {3}region eu · data personal, health$/m);
    const own = write('same.json', { 'gpt-5.4': 'gpt-5.4' });
    const listed = await longhandHere(['models', 'gpt-5.4'], { OPENAI_API_KEY: 'k', LONGHAND_MODELS: own });
    expect(listed.stdout.match(/^gpt-5\.4 /gm)).toHaveLength(1);
  });

  it('marks what cannot be called, with the whole reason below', async () => {
    const { stdout } = await longhandHere(['models'], { OPENAI_API_KEY: 'k', LONGHAND_MODELS: catalogue });
    expect(stdout).toMatch(
      /^far +gemini .*\n {3}gemini-4\n {3}This worker has no model provider named gemini\. It has: openai\.$/m,
    );
    expect(stdout).toMatch(/^gpt-5\.5-pro +openai .*\n {3}It needs the Responses API: use aiSdkProvider/m);
    expect(stdout).not.toMatch(/^gpt-5\.5 .*\n {3}It needs/m);
  });

  it('names the variables where no provider is configured', async () => {
    expect(await longhandHere(['models'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('GEMINI_API_KEY'),
    });
  });

  it('--check asks each alias for a short answer, and prints what fails with its fix', async () => {
    const server = await serveChat([
      { text: 'ok' },
      { status: 404, error: { type: 'not_found_error', message: 'no such model' } },
    ]);
    const env = { OPENAI_BASE_URL: server.url };
    const models = write('checked.json', { fast: 'gpt-4.1', gone: 'gpt-0' });
    const { stdout, code } = await longhandHere(['models', '--check', '--models', models], env);
    expect(code).toBe(1);
    expect(stdout).toMatch(/✓ +fast +chat-server +gpt-4\.1 +\d/);
    expect(stdout).toMatch(/✗ +gone +chat-server +gpt-0 .*\n +no such model\. Check the model's name/);
    expect(stdout).toContain('Asked "Reply with ok." for at most 16 output tokens, models that think for 1,024.');
    expect(server.requests.map(({ body }) => [body.model, body.max_tokens])).toEqual([
      ['gpt-4.1', 16],
      ['gpt-0', 16],
    ]);
  });

  it('--check gives models that think more tokens, and a cut answer is an answer', async () => {
    const cut = 'Could not finish the message because max_tokens or model output limit was reached.';
    const server = await serveChat([
      { text: '', thinking: 'The user wants', stopReason: 'max_tokens' },
      { status: 400, error: { type: 'invalid_request_error', message: `${cut} Please try again.` } },
      { status: 400, error: { type: 'invalid_request_error', message: 'max_tokens is too small' } },
    ]);
    const args = ['models', '--check', 'gpt-5.5', 'o9', 'o10', '--json'];
    const { stdout, code } = await longhandHere(args, { OPENAI_BASE_URL: server.url });
    expect(code).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject([
      { name: 'gpt-5.5', maxTokens: 1_024, problem: null },
      { name: 'o9', maxTokens: 16, problem: null },
      { name: 'o10', maxTokens: 16, problem: expect.stringContaining('max_tokens is too small') },
    ]);
    expect(server.requests.map(({ body }) => body.max_tokens)).toEqual([1_024, 16, 16]);
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

  it('downloads a map, and follows a redirect', async () => {
    const address = await serveHttp((request, response) => {
      if (request.url === '/map.json') response.end(JSON.stringify({ same: priced }));
      else response.writeHead(302, { location: '/map.json' }).end();
    });
    const out = join(folder, 'downloaded.json');
    const { code } = await longhandHere(['models', 'update', '--from', `${address}/main`, '--out', out]);
    expect([code, JSON.parse(readFileSync(out, 'utf8'))]).toEqual([0, { same: priced }]);
  });

  it.each<[string, RequestListener, RegExp]>([
    ['an error status', (_, response) => void response.writeHead(404).end('{}'), /answered with status 404\)/],
    ['a page', (_, response) => void response.end('<html>'), /is not JSON/],
    ['a broken connection', (_, response) => void response.write('{', () => response.destroy()), /terminated/],
  ])('leaves the file as it is after %s', async (_, listener, problem) => {
    const out = write('kept.json', { same: priced });
    const before = readFileSync(out, 'utf8');
    const address = await serveHttp(listener);
    const { code, stderr } = await longhandHere(['models', 'update', '--from', address, '--out', out]);
    expect([code, readFileSync(out, 'utf8')]).toEqual([1, before]);
    expect(stderr).toMatch(problem);
  });

  it('ends a download that is too large or takes too long, and closes its connection', async () => {
    const closed: string[] = [];
    const address = await serveHttp(({ url = '' }, response) => {
      response.on('close', () => closed.push(url));
      if (url === '/slow') response.write('{');
      else
        new Readable({
          read() {
            this.push('x'.repeat(10_000));
          },
        }).pipe(response);
    });
    await expect(downloadText(`${address}/large`, { bytes: 100_000, ms: 60_000 })).rejects.toThrow(
      'it has more than 100000 bytes',
    );
    await expect(downloadText(`${address}/slow`, { bytes: 100, ms: 200 })).rejects.toThrow(
      'it did not arrive within 0.2 s',
    );
    await expect.poll(() => closed).toEqual(['/large', '/slow']);
  });
});

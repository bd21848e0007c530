/** An MCP server that misbehaves, over a real process: each fault is visible, and none harms the worker. */

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { type McpOptions, mcpTools } from '../../../src/entries/tools.js';
import { isAlive } from '../../support/is-alive.js';
import { hostileServer, openSource } from '../../support/mcp-source.js';

/** Options of the server, with the lines that it wrote to its file. */
function createHostile(mode = 'serve', options: Partial<McpOptions> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-mcp-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'log');
  const given = {
    name: 'evil',
    command: process.execPath,
    args: [hostileServer, file, mode],
    trust: 'annotations',
    ...options,
  } as McpOptions;
  const list = (start: string) => {
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    return lines.filter((line) => line.startsWith(start)).map((line) => line.slice(start.length + 1));
  };
  return { options: given, listCalls: () => list('call'), listPids: () => list('start').map(Number) };
}

describe('definitions of a hostile server', () => {
  it('are framed, without invisible characters, and bounded; those that cannot be used are left out with a warning', async () => {
    const { options } = createHostile();
    const { find, lines, refresh } = await openSource(options);
    const names = (await refresh()).map(({ name }) => name);
    expect(names).toContain('evil_echo');
    for (const absent of ['evil_huge_definition', 'evil_hidden_name', 'evil_bad_schema'])
      expect(names).not.toContain(absent);
    expect(names.filter((name) => name === 'evil_same_name')).toHaveLength(1);
    const warnings = lines.filter(({ level }) => level === 'warn').map(({ message }) => message);
    expect(warnings).toEqual(
      expect.arrayContaining([
        expect.stringContaining('"huge_definition" is left out: its definition has'),
        expect.stringContaining('"hidden_name" is left out: the names or values of its input schema have invisible'),
        expect.stringContaining('"bad_schema" is left out'),
        expect.stringContaining('"same_name" is left out: another tool has the name evil_same_name'),
        expect.stringContaining('is left out: it has no name'),
      ]),
    );
    const { description, inputSchema } = find('evil_poisoned').snapshot;
    expect(description).toMatch(
      /information from the server, not an instruction:\n<(text-[0-9a-z]{6})>\n[\s\S]*\n<\/\1>$/,
    );
    expect(description).not.toMatch(/<text-000000>$/);
    expect(`${description}${JSON.stringify(inputSchema)}`).not.toMatch(/[\u200b\u{e0000}-\u{e007f}]/u);
    expect(find('evil_long').snapshot.description.length).toBeLessThan(2_300);
  });

  it('without annotations are unsafe, and annotations count only where the options trust them', async () => {
    const trusted = await openSource(createHostile().options);
    expect(trusted.find('evil_echo').snapshot.effects).toBe('read');
    expect(trusted.find('evil_pay').snapshot).toMatchObject({ effects: 'unsafe', attempts: 1 });
    const overrides = { trust: undefined, tools: { fail: { effects: 'idempotent', approval: true } } } as const;
    const doubted = await openSource(createHostile('serve', overrides).options);
    expect((await doubted.refresh()).filter(({ snapshot }) => snapshot.effects !== 'unsafe')).toHaveLength(1);
    expect(doubted.find('evil_echo')).toMatchObject({ snapshot: { effects: 'unsafe', attempts: 1 } });
    expect(doubted.find('evil_fail')).toMatchObject({ approval: true, snapshot: { effects: 'idempotent' } });
  });
});

describe('a definition that changes', () => {
  it('blocks the calls of the tool that was listed before; a new chain has the new one', async () => {
    const { options, listCalls } = createHostile();
    const { call, find, refresh, list } = await openSource(options);
    const before = find('evil_echo');
    expect(await call('evil_echo', { text: 'a' })).toBe('a');
    await call('evil_rug_pull', {});
    await vi.waitFor(async () => expect(await list({ isFresh: false })).not.toContain(before));
    await expect(call('evil_echo', { text: 'b' })).rejects.toThrow(
      /changed the definition of evil_echo; the call was blocked and not sent/,
    );
    expect(listCalls()).toEqual(['echo', 'rug_pull']);
    await refresh();
    expect(await call('evil_echo', { text: 'c' })).toBe('c');
    expect(find('evil_echo').snapshot.source?.digest).not.toBe(before.snapshot.source?.digest);
  });

  it('while the server restarts blocks the call as well', async () => {
    const { options, listCalls, listPids } = createHostile();
    const { call, failure } = await openSource(options);
    await call('evil_silent_rug_pull', {});
    const [pid = 0] = listPids();
    // The restarted server lists the first definition: the changed one was never read.
    process.kill(pid, 'SIGKILL');
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false));
    expect(await vi.waitFor(() => call('evil_echo', { text: 'a' }))).toBe('a');
    expect(listPids()).toHaveLength(2);
    expect(listCalls()).toEqual(['silent_rug_pull', 'echo']);
    expect(await failure('evil_fail', {})).toBe('ToolError: The city is unknown.');
  });

  it('without a notification blocks the calls of unsafe tools at once: the list is read again before each', async () => {
    const { options, listCalls } = createHostile();
    const { call, failure } = await openSource(options);
    await call('evil_silent_rug_pull', {});
    expect(await failure('evil_pay', {})).toMatch(/^NotDone: .*changed the definition of evil_pay/);
    expect(listCalls()).toEqual(['silent_rug_pull']);
  });
});

describe('results of a hostile server', () => {
  it('are not matched with its regular expressions', async () => {
    const { call, find } = await openSource(createHostile().options);
    expect(find('evil_slow_pattern').snapshot.inputSchema).toMatchObject({
      properties: { text: { description: 'Pattern: ^(a+)+$' } },
    });
    expect(await call('evil_slow_pattern', { text: `${'a'.repeat(60)}!` })).toEqual({ text: `${'a'.repeat(60)}!` });
  });

  it('that are malformed are errors with a reason; of an unsafe tool, which was called, they are results', async () => {
    const { call, failure } = await openSource(createHostile().options);
    expect(await failure('evil_malformed', {})).toBe(
      'ToolError: The result of evil_malformed is malformed: its content is not a list.',
    );
    expect(await call('evil_malformed_payment', {})).toMatch(/^The call was made\. The result of .* is malformed/);
    expect(await failure('evil_mismatched', {})).toMatch(/does not match its schema: n: must be of type number\.$/);
    expect(await failure('evil_fail', {})).toBe('ToolError: The city is unknown.');
    expect(await call('evil_fail_payment', {})).toEqual({ isError: true, content: 'The city is unknown.' });
    expect(await failure('evil_reject', {})).toMatch(/ToolError: The MCP server evil: .*Unknown argument/);
    const mixed = JSON.stringify(await call('evil_mixed', {}));
    for (const part of [
      'Parts:',
      'image-2.png',
      'image-3 is malformed',
      'resource file:///a.txt',
      'text of b',
      'hologram',
    ]) {
      expect(mixed).toContain(part);
    }
  });

  it('that are deeply nested do not end the worker', async () => {
    const { call } = await openSource(createHostile().options);
    const settled = await Promise.resolve(call('evil_deep', {})).then(
      () => 'returned',
      () => 'failed',
    );
    expect(['returned', 'failed']).toContain(settled);
    expect(await call('evil_echo', { text: 'alive' })).toBe('alive');
  });

  it('of 100 MB end the connection, which is opened again', async () => {
    const { options, listPids } = createHostile();
    const { call } = await openSource(options);
    const before = process.memoryUsage().rss;
    await expect(call('evil_huge', {})).rejects.toThrow(/closed the connection during the request.*maximum size/);
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
    expect(await call('evil_echo', { text: 'again' })).toBe('again');
    expect(listPids()).toHaveLength(2);
  });

  it('between noise on standard output arrive, and standard error is in the log', async () => {
    const { call, lines } = await openSource(createHostile().options);
    expect(await call('evil_noise', {})).toBe('after the noise');
    await vi.waitFor(() =>
      expect(lines).toContainEqual({ level: 'debug', message: expect.stringContaining('warning') }),
    );
    expect(JSON.stringify(lines)).not.toMatch(/\\u001b|[\u{e0000}-\u{e007f}]/u);
  });
});

describe('a call', () => {
  it('has the idempotency key in its metadata, and reports progress', async () => {
    const { call } = await openSource(createHostile().options);
    expect(await call('evil_show_meta', {}, { idempotencyKey: 'key-7' })).toMatchObject({
      'longhand/idempotencyKey': 'key-7',
    });
    const emitted: unknown[] = [];
    await call('evil_progress', {}, { emit: (value) => emitted.push(value) });
    expect(emitted).toEqual([{ progress: 1, total: 2, message: 'half' }]);
  });

  it('that is aborted is cancelled on the server, and one that hangs ends in time', async () => {
    const { options, listCalls } = createHostile('serve', { all: { timeout: 1_000 } });
    const { call, failure } = await openSource(options);
    const abort = new AbortController();
    const hanging = call('evil_hang', {}, { signal: abort.signal });
    await vi.waitFor(() => expect(listCalls()).toEqual(['hang']));
    abort.abort();
    await expect(hanging).rejects.toThrow();
    // Aborted before it was sent.
    expect(await failure('evil_pay', {}, { signal: abort.signal })).toMatch(/^NotDone/);
    expect(listCalls()).toEqual(['hang']);
    await expect(call('evil_hang', {})).rejects.toThrow(/did not answer in time/);
    await vi.waitFor(async () => expect(String(await call('evil_list_cancelled', {})).split(',')).toHaveLength(2));
  });

  it('of an unsafe tool whose server dies has an unknown outcome: neither NotDone nor ToolError', async () => {
    const { options, listCalls } = createHostile();
    const { call } = await openSource(options);
    const error = await Promise.resolve(call('evil_die', {})).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'Error', message: expect.stringContaining('closed the connection') });
    expect(listCalls()).toEqual(['die']);
  });

  it('to a process gets only the environment that the options name, with secrets masked in results', async () => {
    const env = { GREETING: 'hello', TOKEN: { secret: 'EVIL_TOKEN' } };
    const { call } = await openSource(createHostile('serve', { env }).options, { EVIL_TOKEN: 'canary-0123456789' });
    process.env.LONGHAND_CANARY = 'secret of the worker';
    onTestFinished(() => void delete process.env.LONGHAND_CANARY);
    const seen = (await call('evil_show_env', {})) as Record<string, string>;
    expect(seen).toMatchObject({ GREETING: 'hello', TOKEN: '[redacted:secret]' });
    expect(seen.LONGHAND_CANARY).toBeUndefined();
  });
});

describe('a server that does not start', () => {
  it.each([
    ['exit', /ended, or wrote no valid message/],
    ['hang', /did not answer within 500 ms/],
  ])('%s: is reported with the reason, and attempts get pauses', async (mode, reason) => {
    const { options, listPids } = createHostile(mode, { connectTimeout: 500 });
    const source = mcpTools(options).open({ secrets: { get: () => null }, log: quiet });
    const list = () => source.list({ isFresh: true });
    await expect(list()).rejects.toThrow(reason);
    await expect(list()).rejects.toThrow(reason);
    await expect(list()).rejects.toThrow(/The next attempt is in 1 s/);
    expect(listPids()).toHaveLength(2);
    await source.close();
    expect(listPids().filter(isAlive)).toEqual([]);
  });

  it('because the program or a secret is missing is reported', async () => {
    const missing = mcpTools({ name: 'none', command: 'no-such-program-anywhere' });
    const context = { secrets: { get: () => null }, log: quiet };
    await expect(missing.open(context).list({ isFresh: true })).rejects.toThrow(/ENOENT/);
    const env = { TOKEN: { secret: 'EVIL_TOKEN' } };
    const poor = mcpTools({ name: 'poor', command: 'node', env }).open(context);
    await expect(poor.list({ isFresh: true })).rejects.toThrow('The secret EVIL_TOKEN is not set.');
  });
});

const nothing = () => {};
const quiet = { debug: nothing, info: nothing, warn: nothing, error: nothing };

it('closing a source ends its process', async () => {
  const { options, listPids } = createHostile();
  const source = await openSource(options);
  expect(listPids().map(isAlive)).toEqual([true]);
  await source.close();
  expect(listPids().map(isAlive)).toEqual([false]);
  await expect(source.call('evil_echo', {})).rejects.toThrow(/is stopping/);
});

it.each([
  [{ name: 'a' }, 'expected either `command`'],
  [{ name: 'a-b', command: 'x' }, 'name must begin with a letter'],
  [{ command: 'x' }, 'name is missing'],
  [{ name: 'a', url: 'ftp://x' }, 'url must be a URL'],
  [{ name: 'a', url: 'https://x', headers: { a: { secret: 'two words' } } }, 'headers.a must be a text, or'],
  [{ name: 'a', command: 'x', trust: 'all' }, 'trust must be'],
  [{ name: 'a', command: 'x', connectTimeout: '1m' }, 'connectTimeout'],
])('rejects invalid options: %j', (options, message) => {
  expect(() => mcpTools(options as unknown as McpOptions)).toThrow(message);
});

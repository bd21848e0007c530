/** `remember`, `recall` and `readMore` with a storage in memory: what the model may write, find and read. */

import { describe, expect, it } from 'vitest';
import { readMore, recall, remember } from '../../../src/entries/tools.js';
import type { CallStorage, Tool } from '../../../src/index.js';
import { contextOf } from '../../support/call-tool.js';

function createStorage(contents: Readonly<Record<string, string>> = {}, maxObservationBytes = 100_000): CallStorage {
  const texts = new Map<string, { key: string; text: string; storedAt: number }>();
  let storedAt = 0;
  return {
    memory: {
      put: async (_of, { key, text, most }) => {
        if (texts.size >= most && !texts.has(key)) return 'full';
        texts.set(key, { key, text, storedAt: storedAt++ });
        return 'stored';
      },
      forget: async (_of, key) => texts.delete(key),
      get: async (_of, key) => texts.get(key) ?? null,
      list: async () => [...texts.values()].reverse(),
    },
    listClippedResults: async () =>
      Object.entries(contents).map(([call, text]) => ({
        ...{ call, tool: 'search', bytes: Buffer.byteLength(text) },
        read: text === '' ? null : async () => cut(Buffer.from(text)),
      })),
    maxObservationBytes,
  };
}

/** Pieces that cut characters. */
async function* cut(bytes: Buffer): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 7) yield bytes.subarray(at, at + 7);
}

const call = async (tool: Tool, input: object, storage?: CallStorage) =>
  (await tool.parse(input)(contextOf(), undefined, storage)) as Record<string, unknown>;

describe('remember and recall', () => {
  it('finds texts by key and by words, the best and newest first', async () => {
    const storage = createStorage();
    const write = (key: string, text: string) => call(remember(), { key, text }, storage);
    await write('acme/contact', 'Ada Lovelace orders for Acme.');
    await write('acme/terms', 'Acme pays within 30 days. Ada agreed.');
    await write('ben', 'Ben prefers letters.');
    const keys = async (input: object) =>
      ((await call(recall(), input, storage)).memories as { key: string }[]).map(({ key }) => key);
    expect(await keys({ key: 'ben' })).toEqual(['ben']);
    expect(await keys({ key: 'nobody' })).toEqual([]);
    expect(await keys({ words: 'ADA acme lovelace?' })).toEqual(['acme/contact', 'acme/terms']);
    expect(await keys({ words: 'elephants' })).toEqual([]);
    expect(await keys({})).toEqual(['ben', 'acme/terms', 'acme/contact']);
    expect(await call(recall(), { limit: 1 }, storage)).toMatchObject({ found: 3, memories: [{ key: 'ben' }] });
    expect(await write('ben', '')).toEqual({ forgotten: 'ben', found: true });
    expect(await keys({ key: 'ben' })).toEqual([]);
  });

  it('rejects texts that are too long, and more than it may keep', async () => {
    const tool = remember({ most: 1 });
    const storage = createStorage();
    expect(tool.validateInput({ key: 'a', text: 'x'.repeat(4_001) })).not.toBeNull();
    expect(tool.validateInput({ key: '', text: 'x' })).not.toBeNull();
    expect(tool.snapshot).toMatchObject({ effects: 'idempotent', kind: 'memory' });
    await call(tool, { key: 'a', text: 'x' }, storage);
    await expect(call(tool, { key: 'b', text: 'x' }, storage)).rejects.toThrow('There is room for 1 texts');
    await expect(call(tool, { key: 'b', text: 'x' })).rejects.toThrow('Set LONGHAND_STORE');
  });

  it.each([{ per: 'chain' }, { most: 0 }, { ttl: 'soon' }])('the definition %j is rejected', (options) => {
    expect(() => remember(options as never)).toThrow(/^remember: /);
  });
});

describe('readMore', () => {
  const lines = Array.from({ length: 500 }, (_, at) => `line ${at + 1} 🙂`).join('\n');

  it('reads the whole in parts that join without a gap', async () => {
    const storage = createStorage({ '2.1': lines }, 2_000);
    let whole = '';
    for (let offset: unknown = 0, part: Record<string, unknown>; offset !== null; offset = part.next) {
      part = await call(readMore(), { call: '2.1', offset }, storage);
      expect(Buffer.byteLength(JSON.stringify(part))).toBeLessThanOrEqual(2_000);
      expect(part).toMatchObject({ call: '2.1', tool: 'search', offset, characters: lines.length });
      whole += part.text as string;
    }
    expect(whole).toBe(lines);
  });

  it('reads from a line', async () => {
    const storage = createStorage({ '2.1': lines });
    const part = await call(readMore(), { line: 250, length: 8 }, storage);
    expect(part).toMatchObject({ text: 'line 250', next: lines.indexOf('line 250') + 8 });
    expect(await call(readMore(), { line: 1, length: 6 }, storage)).toMatchObject({ offset: 0, text: 'line 1' });
    for (const place of [{ line: 501 }, { offset: lines.length }]) {
      await expect(call(readMore(), place, storage)).rejects.toThrow('after the end');
    }
  });

  it('names the results that were cut', async () => {
    const storage = createStorage({ '4.2': 'later', '2.1': lines, '1.1': '' });
    expect(await call(readMore(), {}, storage)).toMatchObject({ call: '4.2', text: 'later', next: null });
    await expect(call(readMore(), { call: '3.1' }, storage)).rejects.toThrow(
      'Call 3.1 has no result that was cut. Results that were cut: 4.2 (5 bytes), 2.1 (',
    );
    await expect(call(readMore(), { call: '1.1' }, storage)).rejects.toThrow('was not stored');
    await expect(call(readMore(), {}, createStorage())).rejects.toThrow('all of them are complete');
    expect(readMore().validateInput({ call: '../other/1.1' })).not.toBeNull();
    expect(readMore().snapshot.view.sensitive).toEqual(['text', 'tool']);
  });
});

/** Files without a chain: each is rejected with one line that contains its name and the reason. */

import { chmodSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findRecordedChain, isFile } from '../../../src/cli/access/find-chain.js';
import { parseRecordedChain } from '../../../src/client/read/parse-recorded-chain.js';
import { isLonghandError } from '../../../src/core/lib/errors.js';
import { exported, readStoredExports } from '../../histories/exports.js';
import { converter } from '../../histories/stored.js';
import { budget } from '../../support/budget.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-bad-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const noServer = () => Promise.reject(new Error('no server is needed'));
const read = (name: string) => readFileSync(new URL(name, exported), 'utf8');
const history = read('parallel-tools.cli.json');
const chain = read('parallel-tools.chain.json');

/** The error for a file with this content. */
async function readErrorOf(content: string | Uint8Array): Promise<string> {
  const path = join(folder, 'given.json');
  writeFileSync(path, content);
  return readError(path);
}

async function readError(path: string): Promise<string> {
  const error = await findRecordedChain(path, noServer).then(
    () => new Error('It was read.'),
    (thrown: Error) => thrown,
  );
  expect(error.message).not.toContain('\n');
  expect(error.message).toMatch(new RegExp(`^Cannot read a chain from ${path}: .+\\.$`));
  return error.message;
}

type Events = { events: Record<string, unknown>[] };
const events = (change: (parsed: Events) => Events) => JSON.stringify(change(JSON.parse(history) as Events));

/** A history as the Web UI writes it with decoded payloads. */
function decodePayloads(parsed: unknown): string {
  return JSON.stringify(parsed, (_, value: unknown) => {
    const payload = value as { readonly metadata?: unknown; readonly data?: unknown } | null;
    if (typeof payload?.data !== 'string' || payload.metadata === undefined) return value;
    return JSON.parse(Buffer.from(payload.data, 'base64').toString());
  });
}

describe('a file is rejected that', () => {
  it.each([
    ['is empty', '', 'it is empty'],
    ['was cut short', history.slice(0, 5_000), 'it is not JSON, or was cut short'],
    ['is not JSON', 'Once upon a time', 'it is not JSON, or was cut short'],
    ['is other JSON', '{"name":"longhand"}', 'expected a chain exported by Longhand or a history'],
    ['is a list', '[1,2]', 'expected a chain exported by Longhand or a history'],
    ['has no events', '{"events":[]}', 'does not begin with the start of a workflow'],
    ['has events of no kind', '{"events":[{"eventId":"1","eventType":"EVENT_TYPE_OF_A_LATER_SERVER"}]}', ''],
    [
      'lacks its first event',
      events(({ events: [_, ...rest] }) => ({ events: rest })),
      'does not begin with the start',
    ],
    ['lacks an event', events((all) => ({ events: all.events.filter((_, at) => at !== 20) })), 'event 21 is missing'],
    [
      'is the history of another workflow',
      history.replaceAll('"agent"', '"other"'),
      'has type other and is not a started chain',
    ],
    [
      'is a history whose payloads were decoded',
      decodePayloads(JSON.parse(history)),
      'cannot be read; download them undecoded',
    ],
    ['is of a later version', chain.replace('"version": 1', '"version": 7'), 'it has version 7; this Longhand reads'],
    ['is of another format', chain.replace('longhand.chain', 'shorthand'), 'expected a chain exported by Longhand'],
    ['has an altered fact', chain.replace('"one"', '"eins"'), 'it was altered'],
    ['has a fact of no kind', chain.replace('"toolReturned"', '"toolDreamt"'), 'an incomplete turn'],
  ])('%s', async (_, content, why) => {
    expect(await readErrorOf(content)).toContain(why);
  });

  it('is not text', async () => {
    expect(await readErrorOf(Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0x80, 0xff]))).toContain('it is not UTF-8 text');
    expect(await readErrorOf(Buffer.from(`\ufeff${history}`, 'utf16le'))).toContain('save it as UTF-8');
  });

  it('cannot be opened', async () => {
    expect(await readError(join(folder, 'none.json'))).toContain('there is no such file');
    expect(await readError(`${folder}/`)).toContain('it is a folder; name a file in it');
    const huge = join(folder, 'huge.json');
    writeFileSync(huge, '');
    truncateSync(huge, 3_000_000_000);
    expect(await readError(huge)).toContain('it is 3000 MB; the limit is 500 MB');
  });

  it('may not be read', async () => {
    const path = join(folder, 'locked.json');
    writeFileSync(path, chain);
    chmodSync(path, 0);
    chmodSync(folder, 0o755);
    // Root may read every file, so the test reads as another user.
    const nobody = process.geteuid?.() === 0 ? 65_534 : null;
    if (nobody !== null) process.seteuid?.(nobody);
    try {
      expect(await readError(path)).toContain('permission to read it is missing');
    } finally {
      if (nobody !== null) process.seteuid?.(0);
    }
  });
});

describe('a chain file', () => {
  it('may begin with a byte order mark', async () => {
    const path = join(folder, 'marked.json');
    writeFileSync(path, `\ufeff${history}`);
    expect((await findRecordedChain(path, noServer)).chain.steps).toHaveLength(3);
  });

  it('differs from a chain id by its name', () => {
    expect(['./x', '/tmp/x', '../x.txt', 'x.json', 'C:\\x', 'package.json', 'src/core'].map(isFile)).not.toContain(
      false,
    );
    expect(['researcher', 'src', 'team/chain-1', 'meteorologist-0192'].map(isFile)).not.toContain(true);
  });
});

describe('a downloaded history with one altered byte', () => {
  it('is rejected with one sentence, or still folds to a chain', async () => {
    const texts = readStoredExports().flatMap(({ kind, text }) => (kind === 'chain' ? [] : [text]));
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...texts),
        fc.nat(),
        fc.integer({ min: 32, max: 126 }),
        async (text, at, byte) => {
          const bytes = Buffer.from(text);
          bytes[at % bytes.length] = byte;
          const read = await parseRecordedChain(bytes.toString(), converter).catch((error: Error) => error);
          if (!(read instanceof Error)) return read.chain.state.facts > 0;
          return isLonghandError(read) && read.code === 'invalid_chain_file' && !read.message.includes('\n');
        },
      ),
      { numRuns: budget(75, 300) },
    );
  });
});

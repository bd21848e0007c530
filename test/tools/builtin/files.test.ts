/** The built-in file tools on a real folder: their results, and that no path leads out of it. */

import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fileTools } from '../../../src/entries/tools.js';
import { isLonghandError, type Tool } from '../../../src/index.js';
import { contextOf } from '../../support/call-tool.js';
import { matchError } from '../../support/match-error.js';

let top: string;
let root: string;

const write = async (path: string, content: string | Buffer) => {
  await mkdir(dirname(join(top, path)), { recursive: true });
  await writeFile(join(top, path), content);
};

beforeAll(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), 'longhand-files-')));
  root = join(top, 'root');
  await write('root/readme.md', 'one\ntwo\n');
  await write('root/src/index.ts', 'a\nb\nc');
  await write('root/src/deep/index.ts', 'needle\n');
  await write('root/src/deep/Wetter für München.ts', 'Grüße 😀\r\nneedle 漢字\r\n');
  await write('root/src/empty.ts', '');
  await write('root/src.d/other.ts', 'x\n');
  await write('root/picture.png', Buffer.from([0x89, 0x50, 0, 1, 2]));
  await write('root/node_modules/pack/index.js', 'needle\n');
  await write('root/.git/config', 'needle\n');
  await write('root/src/dist/out.js', 'needle\n');
  await write('secret/password.txt', 'needle\n');
  await write('root-but-not/password.txt', 'needle\n');
  await symlink(join(top, 'secret'), join(root, 'way-out'));
  await symlink('../secret/password.txt', join(root, 'innocent.txt'));
  await symlink('src/index.ts', join(root, 'inside.ts'));
  await symlink('.git', join(root, 'git-by-another-name'));
  await symlink('.', join(root, 'circle'));
  await symlink('nowhere', join(root, 'dangling'));
});

afterAll(() => rm(top, { recursive: true, force: true }));

function tool(name: string, options: Partial<Parameters<typeof fileTools>[0]> = {}): Tool {
  const found = fileTools({ root, ...options }).find((each) => each.name === name);
  if (found === undefined) throw new Error(`no tool ${name}`);
  return found;
}

const call = async (name: string, input: object, options: Partial<Parameters<typeof fileTools>[0]> = {}) =>
  tool(name, options).parse(input)(contextOf());

/** The message of the error that a call fails with. */
async function rejection(name: string, input: object, options: Partial<Parameters<typeof fileTools>[0]> = {}) {
  const error = await call(name, input, options).then(
    (value) => new Error(`returned ${JSON.stringify(value)}`),
    (thrown: unknown) => thrown,
  );
  if (!isLonghandError(error) || error.code !== 'tool_failed') throw error;
  expect(error.message).not.toContain(top);
  return error.message;
}

const paths = (listed: unknown) => (listed as { path: string }[]).map(({ path }) => path);

describe('fileTools', () => {
  it('returns three tools that read files each time', () => {
    for (const { snapshot } of fileTools({ root })) expect(snapshot).toMatchObject({ effects: 'read', waits: false });
    expect(fileTools({ root }).map(({ name }) => name)).toEqual(['list_files', 'read_file', 'search_text']);
  });

  it('rejects invalid options', () => {
    expect(() => fileTools({ root: '' })).toThrow(matchError('invalid_options', 'root must be a folder'));
    expect(() => fileTools({ root, ignore: ['src/*.ts'] })).toThrow(matchError('invalid_options', '"src/*.ts"'));
  });

  it('ends the chain if the folder is missing: no other path helps', async () => {
    const error = await call('list_files', {}, { root: join(top, 'gone') }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'tool_failed', fatal: true });
  });
});

describe('list_files', () => {
  it('lists text files in the order of their paths, without ignored ones', async () => {
    expect(await call('list_files', {})).toEqual([
      { path: 'readme.md', lines: 2, bytes: 8 },
      { path: 'src.d/other.ts', lines: 1, bytes: 2 },
      { path: 'src/deep/Wetter für München.ts', lines: 2, bytes: 29 },
      { path: 'src/deep/index.ts', lines: 1, bytes: 7 },
      { path: 'src/empty.ts', lines: 0, bytes: 0 },
      { path: 'src/index.ts', lines: 3, bytes: 5 },
    ]);
  });

  it('lists the longest files first, of one extension, in one directory', async () => {
    const listed = await call('list_files', { directory: 'src/', extension: '.ts', sort: 'lines', limit: 2 });
    expect(paths(listed)).toEqual(['src/index.ts', 'src/deep/Wetter für München.ts']);
    expect(paths(await call('list_files', { extension: 'md' }))).toEqual(['readme.md']);
    expect(paths(await call('list_files', { limit: 1 }))).toEqual(['readme.md']);
  });

  it('never lists or reads the project’s store, not even with names of its own in `ignore`', async () => {
    const project = await mkdtemp(join(tmpdir(), 'longhand-files-store-'));
    await mkdir(join(project, '.longhand'));
    await writeFile(join(project, '.longhand', 'longhand.db'), 'The content of other chains.');
    await writeFile(join(project, 'notes.md'), 'Notes.');
    for (const ignore of [{}, { ignore: [] }]) {
      expect(paths(await call('list_files', {}, { root: project, ...ignore }))).toEqual(['notes.md']);
      for (const path of ['.longhand/longhand.db', '.LONGHAND/longhand.db', 'LONGHA~1/longhand.db'])
        expect(await rejection('read_file', { path }, { root: project, ...ignore })).toMatch(/is left out/);
    }
    await rm(project, { recursive: true });
  });

  it('skips the names in `ignore`', async () => {
    const listed = paths(await call('list_files', {}, { ignore: ['src', '.git'] }));
    expect(listed).toEqual(['node_modules/pack/index.js', 'readme.md', 'src.d/other.ts']);
  });

  it('reports what to do instead', async () => {
    expect(await rejection('list_files', { directory: 'readme.md' })).toMatch(/is a file.*read_file/);
    expect(await rejection('list_files', { directory: 'source/dep' })).toBe(
      'There is no directory source/dep. Did you mean src/deep?',
    );
  });

  it('stops when the call is cancelled', async () => {
    const run = tool('list_files').parse({});
    await expect(run(contextOf({ signal: AbortSignal.abort(new Error('cancelled')) }))).rejects.toThrow('cancelled');
  });
});

describe('read_file', () => {
  it('reads all of a short file', async () => {
    expect(await call('read_file', { path: 'src/index.ts' })).toEqual({
      path: 'src/index.ts',
      from: 1,
      to: 3,
      of: 3,
      bytes: 5,
      text: 'a\nb\nc',
    });
    expect(await call('read_file', { path: 'src/empty.ts' })).toMatchObject({ from: 1, to: 0, of: 0, text: '' });
    expect(await call('read_file', { path: './src/../inside.ts' })).toMatchObject({ path: 'inside.ts', of: 3 });
    expect(await call('read_file', { path: 'src/deep/Wetter für München.ts' })).toMatchObject({
      text: 'Grüße 😀\nneedle 漢字',
    });
  });

  it('reads a part of a long file', async () => {
    await write('big/log.txt', Array.from({ length: 300_000 }, (_, i) => `line ${i + 1} 😀é\n`).join(''));
    const part = await call('read_file', { path: 'log.txt', from: 250_000, lines: 2 }, { root: join(top, 'big') });
    expect(part).toEqual({
      path: 'log.txt',
      from: 250_000,
      to: 250_001,
      of: 300_000,
      bytes: 5_588_895,
      text: 'line 250000 😀é\nline 250001 😀é',
    });
  });

  it('limits the text that it returns, however long the lines are', async () => {
    await write('long/one.txt', `short\n${'😀'.repeat(700_000)}\nend`);
    const at = { root: join(top, 'long') };
    expect(await call('read_file', { path: 'one.txt' }, at)).toMatchObject({ from: 1, to: 1, of: 3, text: 'short' });
    const { text, to } = (await call('read_file', { path: 'one.txt', from: 2 }, at)) as { text: string; to: number };
    expect(to).toBe(2);
    expect(text).toMatch(/^(?:😀){100000} \[… the line continues …\]$/u);
    expect(await call('read_file', { path: 'one.txt', from: 3 }, at)).toMatchObject({ text: 'end' });
  });

  it('reports what to do instead', async () => {
    expect(await rejection('read_file', { path: 'src' })).toMatch(/src is a directory\. List it with list_files/);
    expect(await rejection('read_file', { path: 'picture.png' })).toMatch(/binary file/);
    expect(await rejection('read_file', { path: 'src/index.ts', from: 9 })).toMatch(
      /has 3 lines: `from` must be 1 to 3/,
    );
    expect(await rejection('read_file', { path: 'src/deep/Index.tsx' })).toBe(
      'There is no file src/deep/Index.tsx. Did you mean src/deep/index.ts or src/index.ts?',
    );
    expect(await rejection('read_file', { path: 'dangling' })).toMatch(/^There is no file dangling/);
    expect(await rejection('read_file', { path: 'readme.md/more' })).toMatch(/^There is no file/);
    expect(await rejection('read_file', { path: 'x'.repeat(4_000) })).toMatch(/List the files with list_files/);
  });

  it.runIf(process.platform !== 'win32')('does not wait for a pipe', async () => {
    await mkdir(join(top, 'pipes'));
    execFileSync('mkfifo', [join(top, 'pipes', 'pipe')]);
    const at = { root: join(top, 'pipes') };
    expect(await rejection('read_file', { path: 'pipe' }, at)).toMatch(/neither a file nor a directory/);
    expect(await call('list_files', {}, at)).toEqual([]);
  });
});

describe('search_text', () => {
  it('finds the lines that contain a text', async () => {
    expect(await call('search_text', { pattern: 'needle' })).toEqual([
      { path: 'src/deep/Wetter für München.ts', line: 2, text: 'needle 漢字' },
      { path: 'src/deep/index.ts', line: 1, text: 'needle' },
    ]);
    expect(paths(await call('search_text', { pattern: 'needle', limit: 1 }))).toHaveLength(1);
    expect(await call('search_text', { pattern: 'needle', extension: 'md' })).toEqual([]);
    expect(await call('search_text', { pattern: 'Grüße 😀', directory: 'src/deep' })).toHaveLength(1);
  });

  it('takes the pattern literally', async () => {
    expect(await call('search_text', { pattern: '(a+)+$' })).toEqual([]);
    expect(tool('search_text').validateInput({ pattern: 'a\nb' })).toMatch(/must be within one line/);
    expect(tool('search_text').validateInput({ pattern: '' })).not.toBeNull();
  });

  it('shows the part of a long line around the match', async () => {
    await write('wide/min.js', `${'😀'.repeat(10_000)}x needle${'😀'.repeat(10_000)}`);
    const [match] = (await call('search_text', { pattern: 'needle' }, { root: join(top, 'wide') })) as {
      text: string;
    }[];
    expect(match!.text).toMatch(/^…(?:😀)+x needle(?:😀)+…$/u);
    expect(match!.text.length).toBeLessThan(310);
  });
});

describe('a path that leads out of the root', () => {
  it.each([
    '..',
    '../secret/password.txt',
    '../root-but-not/password.txt',
    'src/../../secret/password.txt',
    '/etc/passwd',
    '/',
    'way-out',
    'way-out/password.txt',
    'circle/way-out/password.txt',
    'innocent.txt',
  ])('is rejected: %s', async (path) => {
    expect(await rejection('read_file', { path })).toMatch(/outside of the folder/);
    expect(await rejection('list_files', { directory: path })).toMatch(/outside of the folder/);
    expect(await rejection('search_text', { directory: path, pattern: 'needle' })).toMatch(/outside of the folder/);
  });

  it.each(['.git/config', 'node_modules/pack/index.js', 'src/dist/out.js', 'git-by-another-name/config', '.git/gone'])(
    'is rejected if it leads to an ignored name: %s',
    async (path) => {
      expect(await rejection('read_file', { path })).toMatch(/is left out/);
    },
  );

  it('never reveals which files exist outside', async () => {
    expect(await rejection('read_file', { path: 'way-out/passwort.txt' })).toMatch(/is outside of the folder/);
    expect(await rejection('read_file', { path: 'way-out/no/such' })).toMatch(/is outside of the folder/);
    expect(await rejection('read_file', { path: 'passwort.txt' })).not.toMatch(/password/);
  });

  it('is rejected if it contains a zero byte', () => {
    expect(tool('read_file').validateInput({ path: 'a\0b' })).toMatch(/must not contain zero bytes/);
  });

  it('may contain a circular link, which does not loop', async () => {
    expect(await call('read_file', { path: 'circle/circle/readme.md' })).toMatchObject({ of: 2 });
    expect(paths(await call('list_files', { directory: 'circle' }))).toContain('circle/readme.md');
  });
});

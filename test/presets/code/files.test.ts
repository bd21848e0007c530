/** `file_write` and `file_edit` on a real folder: what they leave there, and that they never leave it. */

import {
  chmod,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codeTools } from '../../../src/presets/code/code-tools.js';
import { callOf } from '../../support/call-tool.js';

let top: string;
let root: string;
const { find, call, failure } = callOf(() => codeTools({ root, ignore: ['dist'] }));

const put = async (path: string, content: string | Buffer) => {
  await mkdir(dirname(join(top, path)), { recursive: true });
  await writeFile(join(top, path), content);
};
const read = (path: string) => readFile(join(root, path), 'utf8');

beforeEach(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), 'longhand-code-')));
  root = join(top, 'root');
  await put('root/src/sum.js', 'export function sum(a, b) {\n  return a - b;\n}\n');
  await put('root/.git/config', 'untouched');
  await put('secret/password.txt', 'untouched');
});

afterEach(() => rm(top, { recursive: true, force: true }));

describe('file_write', () => {
  it('writes a new file, and the folders on its way', async () => {
    expect(await call('file_write', { path: 'a/b/new.ts', content: 'x\ny\n' })).toEqual({
      path: 'a/b/new.ts',
      lines: 2,
      wrote: 'new',
    });
    expect(await read('a/b/new.ts')).toBe('x\ny\n');
  });

  it('written twice is the same file: a lost call may be made again', async () => {
    expect(find('file_write').snapshot.effects).toBe('idempotent');
    expect(await call('file_write', { path: 'src/sum.js', content: 'new' })).toMatchObject({ wrote: 'replaced' });
    expect(await call('file_write', { path: 'src/sum.js', content: 'new' })).toMatchObject({ wrote: 'same' });
    expect(await read('src/sum.js')).toBe('new');
    expect(await readdir(join(root, 'src'))).toEqual(['sum.js']);
  });

  it('writes nothing for an attempt that was given up: what came after it stays', async () => {
    const given = { signal: AbortSignal.abort(new Error('given up')) };
    await expect(call('file_write', { path: 'src/sum.js', content: 'late' }, given)).rejects.toThrow('given up');
    expect(await read('src/sum.js')).toContain('a - b');
  });

  it('leaves a file its mode, and a link what it is', async () => {
    await chmod(join(root, 'src/sum.js'), 0o755);
    await symlink('src/sum.js', join(root, 'link.js'));
    expect(await call('file_write', { path: 'link.js', content: 'through' })).toMatchObject({ path: 'link.js' });
    expect(await read('src/sum.js')).toBe('through');
    expect((await stat(join(root, 'src/sum.js'))).mode & 0o777).toBe(0o755);
    expect((await lstat(join(root, 'link.js'))).isSymbolicLink()).toBe(true);
  });

  it('says what to do instead', async () => {
    expect(await failure('file_write', { path: 'src', content: '' })).toMatch(/src is a directory: name a file in it/);
    expect(await failure('file_write', { path: 'src/sum.js/x', content: '' })).toMatch(/src\/sum.js is a file/);
    await chmod(join(root, 'src'), 0o555);
    if (process.getuid?.() !== 0) {
      expect(await failure('file_write', { path: 'src/other.js', content: '' })).toMatch(
        /cannot be written \(EACCES\)/,
      );
    }
    await chmod(join(root, 'src'), 0o755);
  });
});

describe('no way out of the root', () => {
  it.each([
    '../secret/password.txt',
    '/etc/hosts',
    'way-out/new.txt',
    'way-out/password.txt',
    'by-name.txt',
    '..',
    'a/../../x',
  ])('%s', async (path) => {
    await symlink(join(top, 'secret'), join(root, 'way-out'));
    await symlink('../secret/password.txt', join(root, 'by-name.txt'));
    expect(await failure('file_write', { path, content: 'gone' })).toMatch(/outside of the folder/);
    expect(await failure('file_edit', { path, old: 'untouched', new: 'gone' })).toMatch(/outside of the folder/);
    expect(await readFile(join(top, 'secret/password.txt'), 'utf8')).toBe('untouched');
    expect(await readdir(join(top, 'secret'))).toEqual(['password.txt']);
  });

  it('writes nothing where a link that leads nowhere points to', async () => {
    await symlink(join(top, 'secret/new.txt'), join(root, 'dangling'));
    await symlink(join(top, 'secret/folder'), join(root, 'gone'));
    expect(await failure('file_write', { path: 'dangling', content: 'x' })).toMatch(/link that leads nowhere/);
    expect(await failure('file_write', { path: 'gone/new.txt', content: 'x' })).toMatch(/link that leads nowhere/);
    expect(await readdir(join(top, 'secret'))).toEqual(['password.txt']);
  });

  it.each(['.git/config', '.git/hooks/pre-commit', 'git-by-name/hooks/pre-commit', 'dist/out.js'])(
    '%s is left out, .git whatever `ignore` says',
    async (path) => {
      await symlink('.git', join(root, 'git-by-name'));
      expect(await failure('file_write', { path, content: 'gone' })).toMatch(/is left out/);
      expect(await readFile(join(root, '.git/config'), 'utf8')).toBe('untouched');
    },
  );
});

describe('file_edit', () => {
  const edit = { path: 'src/sum.js', old: 'a - b', new: 'a + b' };

  it('replaces a text that is there once, and shows how the place now reads', async () => {
    expect(await call('file_edit', edit)).toEqual({
      path: 'src/sum.js',
      changed: true,
      from: 1,
      to: 4,
      text: 'export function sum(a, b) {\n  return a + b;\n}\n',
    });
    expect(await read('src/sum.js')).toBe('export function sum(a, b) {\n  return a + b;\n}\n');
  });

  it('shows what is near a text that is not there', async () => {
    expect(await failure('file_edit', { ...edit, old: 'sum(a, b) {\n    return a - b;\n}' })).toBe(
      'ToolError: src/sum.js has no such text. The nearest are these lines; write the text to replace just as it stands there, without the numbers:\n1: export function sum(a, b) {\n2:   return a - b;\n3: }',
    );
    expect(await failure('file_edit', { ...edit, old: 'return  a - b;' })).toMatch(
      /Only its spaces.*\n2: {3}return a - b;$/,
    );
    expect(await failure('file_edit', { ...edit, old: 'multiply' })).toMatch(
      /Nothing in it is like that. Read the file/,
    );
    expect(await failure('file_edit', { ...edit, path: 'src/sun.js' })).toMatch(/Did you mean src\/sum.js/);
  });

  it('replaces none of several', async () => {
    await put('root/twice.js', 'x();\ny();\nx();\n');
    expect(await failure('file_edit', { path: 'twice.js', old: 'x();', new: 'z();' })).toMatch(
      /has that text 2 times, in lines 1, 3: take in more/,
    );
    expect(await read('twice.js')).toBe('x();\ny();\nx();\n');
  });

  it.each([
    ['another text', 'a - b', 'a + b'],
    ['one that holds the old text', 'return', 'return -'],
    ['one that holds it twice', 'a - b', 'a - b + (a - b)'],
    ['nothing', ' - b', ''],
  ])('made again after its worker was lost changes nothing more: %s', async (_what, old, instead) => {
    const asked = { path: 'src/sum.js', old, new: instead };
    expect(await call('file_edit', asked)).toMatchObject({ changed: true });
    const once = await read('src/sum.js');
    expect(await call('file_edit', asked, { attempt: 2 })).toMatchObject({ changed: false });
    expect(await read('src/sum.js')).toBe(once);
  });

  it('made again where neither text is there: says so, and claims nothing', async () => {
    const asked = { path: 'src/sum.js', old: 'a * b', new: 'a / b' };
    expect(await failure('file_edit', asked, { attempt: 2 })).toMatch(/no such text/);
  });

  it('says of a first attempt that the new text stands there already', async () => {
    await call('file_edit', edit);
    expect(await failure('file_edit', edit)).toMatch(
      /no such text. What should take its place stands in line 2 already/,
    );
  });

  it('keeps the ends of lines that a file has', async () => {
    await put('root/dos.txt', 'one\r\ntwo\r\nthree\r\n');
    expect(await call('file_edit', { path: 'dos.txt', old: 'one\ntwo', new: '1\n2' })).toMatchObject({
      text: '1\n2\nthree\n',
    });
    expect(await read('dos.txt')).toBe('1\r\n2\r\nthree\r\n');
  });

  it('changes no file that it could not write back as it was', async () => {
    await put('root/latin.txt', Buffer.from([0x67, 0x72, 0xfc, 0xdf]));
    await put('root/picture.png', Buffer.from([0x89, 0x50, 0, 1]));
    expect(await failure('file_edit', { path: 'latin.txt', old: 'g', new: 'G' })).toMatch(/not written in UTF-8/);
    expect(await failure('file_edit', { path: 'picture.png', old: 'P', new: 'p' })).toMatch(/binary file/);
    await put('root/bom.txt', '\ufeffone');
    await call('file_edit', { path: 'bom.txt', old: 'one', new: 'two' });
    expect(await read('bom.txt')).toBe('\ufefftwo');
  });

  it('takes no edit that changes nothing', () => {
    expect(find('file_edit').validateInput({ path: 'a', old: 'x', new: 'x' })).toMatch(/nothing would change/);
  });
});

/** `file_write` and `file_edit` on a real folder, and that they never reach outside of it. */

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
import { codeTools } from '../../../src/entries/tools.js';
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
  it('writes a new file and creates missing folders', async () => {
    expect(await call('file_write', { path: 'a/b/new.ts', content: 'x\ny\n' })).toEqual({
      path: 'a/b/new.ts',
      lines: 2,
      bytes: 4,
      wrote: 'new',
    });
    expect(await read('a/b/new.ts')).toBe('x\ny\n');
  });

  it('is idempotent: a lost call may be retried', async () => {
    expect(find('file_write').snapshot.effects).toBe('idempotent');
    expect(await call('file_write', { path: 'src/sum.js', content: 'new' })).toMatchObject({ wrote: 'replaced' });
    expect(await call('file_write', { path: 'src/sum.js', content: 'new' })).toMatchObject({ wrote: 'same' });
    expect(await read('src/sum.js')).toBe('new');
    expect(await readdir(join(root, 'src'))).toEqual(['sum.js']);
  });

  it('writes nothing for an abandoned attempt', async () => {
    const given = { signal: AbortSignal.abort(new Error('given up')) };
    await expect(call('file_write', { path: 'src/sum.js', content: 'late' }, given)).rejects.toThrow('given up');
    expect(await read('src/sum.js')).toContain('a - b');
  });

  it('keeps the mode of a file, and keeps links', async () => {
    await chmod(join(root, 'src/sum.js'), 0o755);
    await symlink('src/sum.js', join(root, 'link.js'));
    expect(await call('file_write', { path: 'link.js', content: 'through' })).toMatchObject({ path: 'link.js' });
    expect(await read('src/sum.js')).toBe('through');
    expect((await stat(join(root, 'src/sum.js'))).mode & 0o777).toBe(0o755);
    expect((await lstat(join(root, 'link.js'))).isSymbolicLink()).toBe(true);
  });

  it('rejects a path that cannot be a file, with the fix', async () => {
    expect(await failure('file_write', { path: 'src', content: '' })).toMatch(/src is a directory\. Name a file in it/);
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

describe('a path outside of the root is rejected', () => {
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

  it('a dangling link', async () => {
    await symlink(join(top, 'secret/new.txt'), join(root, 'dangling'));
    await symlink(join(top, 'secret/folder'), join(root, 'gone'));
    expect(await failure('file_write', { path: 'dangling', content: 'x' })).toMatch(/dangling link/);
    expect(await failure('file_write', { path: 'gone/new.txt', content: 'x' })).toMatch(/dangling link/);
    expect(await readdir(join(top, 'secret'))).toEqual(['password.txt']);
  });

  it.each(['.git/config', '.git/hooks/pre-commit', 'git-by-name/hooks/pre-commit', 'dist/out.js'])(
    '%s is ignored, and .git always',
    async (path) => {
      await symlink('.git', join(root, 'git-by-name'));
      expect(await failure('file_write', { path, content: 'gone' })).toMatch(/is left out/);
      expect(await readFile(join(root, '.git/config'), 'utf8')).toBe('untouched');
    },
  );
});

describe('file_edit', () => {
  const edit = { path: 'src/sum.js', old: 'a - b', new: 'a + b' };

  it('replaces a text that occurs once and returns the changed lines', async () => {
    expect(await call('file_edit', edit)).toEqual({
      path: 'src/sum.js',
      changed: true,
      bytes: 46,
      from: 1,
      to: 4,
      text: 'export function sum(a, b) {\n  return a + b;\n}\n',
    });
    expect(await read('src/sum.js')).toBe('export function sum(a, b) {\n  return a + b;\n}\n');
  });

  it('shows the most similar lines if the text is not found', async () => {
    expect(await failure('file_edit', { ...edit, old: 'sum(a, b) {\n    return a - b;\n}' })).toBe(
      'ToolError: Text not found in src/sum.js. The most similar are these lines. Copy the text to replace exactly, without the line numbers:\n1: export function sum(a, b) {\n2:   return a - b;\n3: }',
    );
    expect(await failure('file_edit', { ...edit, old: 'return  a - b;' })).toMatch(
      /Only spaces or line breaks.*\n2: {3}return a - b;$/,
    );
    expect(await failure('file_edit', { ...edit, old: 'multiply' })).toMatch(/No similar lines\. Read the file/);
    expect(await failure('file_edit', { ...edit, path: 'src/sun.js' })).toMatch(/Did you mean src\/sum.js/);
  });

  it('rejects a text that occurs several times', async () => {
    await put('root/twice.js', 'x();\ny();\nx();\n');
    expect(await failure('file_edit', { path: 'twice.js', old: 'x();', new: 'z();' })).toMatch(
      /has this text 2 times, in lines 1, 3\. Include more/,
    );
    expect(await read('twice.js')).toBe('x();\ny();\nx();\n');
  });

  it.each([
    ['another text', 'a - b', 'a + b'],
    ['a text that contains the old one', 'return', 'return -'],
    ['a text that contains it twice', 'a - b', 'a - b + (a - b)'],
    ['nothing', ' - b', ''],
  ])('changes nothing when retried after its worker was lost: %s', async (_name, old, instead) => {
    const asked = { path: 'src/sum.js', old, new: instead };
    expect(await call('file_edit', asked)).toMatchObject({ changed: true });
    const once = await read('src/sum.js');
    expect(await call('file_edit', asked, { attempt: 2 })).toMatchObject({ changed: false });
    expect(await read('src/sum.js')).toBe(once);
  });

  it('fails when retried if neither text is present', async () => {
    const asked = { path: 'src/sum.js', old: 'a * b', new: 'a / b' };
    expect(await failure('file_edit', asked, { attempt: 2 })).toMatch(/Text not found/);
  });

  it('reports on a first attempt that the new text is already present', async () => {
    await call('file_edit', edit);
    expect(await failure('file_edit', edit)).toMatch(
      /Text not found in src\/sum\.js\. The new text is already in line 2/,
    );
  });

  it('keeps the line ends of a file', async () => {
    await put('root/dos.txt', 'one\r\ntwo\r\nthree\r\n');
    expect(await call('file_edit', { path: 'dos.txt', old: 'one\ntwo', new: '1\n2' })).toMatchObject({
      text: '1\n2\nthree\n',
    });
    expect(await read('dos.txt')).toBe('1\r\n2\r\nthree\r\n');
  });

  it('changes no file that it cannot decode without loss', async () => {
    await put('root/latin.txt', Buffer.from([0x67, 0x72, 0xfc, 0xdf]));
    await put('root/picture.png', Buffer.from([0x89, 0x50, 0, 1]));
    expect(await failure('file_edit', { path: 'latin.txt', old: 'g', new: 'G' })).toMatch(/is not UTF-8/);
    expect(await failure('file_edit', { path: 'picture.png', old: 'P', new: 'p' })).toMatch(/binary file/);
    await put('root/bom.txt', '\ufeffone');
    await call('file_edit', { path: 'bom.txt', old: 'one', new: 'two' });
    expect(await read('bom.txt')).toBe('\ufefftwo');
  });

  it('rejects an edit that changes nothing', () => {
    expect(find('file_edit').validateInput({ path: 'a', old: 'x', new: 'x' })).toMatch(/nothing would change/);
  });
});

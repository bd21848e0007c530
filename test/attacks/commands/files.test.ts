/**
 * Attacks on the file tools: links that another process swaps while a call runs, pipes and devices in place of files, and mode
 * bits that grant rights.
 */

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { mkdtemp, realpath, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codeTools } from '../../../src/presets/code/code-tools.js';
import { openDirectory, openFile } from '../../../src/tools/builtin/files/open-file.js';
import { fileTools } from '../../../src/tools/builtin/files.js';
import { budget } from '../../support/budget.js';
import { callOf } from '../../support/call-tool.js';
import { readFirstLine } from '../../support/first-line.js';

let top: string;
let root: string;
const { call, failure } = callOf(() => [...fileTools({ root }), ...codeTools({ root })]);
const attempt = (name: string, input: object) => call(name, input).catch(() => null);

beforeEach(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), 'longhand-attack-')));
  root = join(top, 'root');
  for (const folder of ['root/inside', 'secret']) mkdirSync(join(top, folder), { recursive: true });
  writeFileSync(join(root, 'inside/a.txt'), 'inside\n');
  writeFileSync(join(top, 'secret/a.txt'), 'secret\n');
});

afterEach(() => rm(top, { recursive: true, force: true }));

describe('a process that swaps a folder of the tree for a link to the outside', () => {
  let flipper: ChildProcess;
  afterEach(async () => {
    if (flipper.exitCode === null && flipper.kill('SIGKILL')) await once(flipper, 'exit');
  });

  it('causes no read or write outside of the tree', async () => {
    // `place` alternates between the folder and the link as fast as possible; the loop ends by itself. A write may create a
    // folder of that name in a moment when neither exists.
    const flip = `
      const { renameSync, rmSync, symlinkSync } = require('node:fs');
      process.chdir(${JSON.stringify(root)});
      const clear = () => { try { rmSync('place', { recursive: true, force: true }); } catch {} };
      const put = (name) => { for (;;) try { return renameSync(name, 'place'); } catch { clear(); } };
      symlinkSync('../secret', 'link');
      put('inside');
      process.stdout.write('ready\\n');
      const end = Date.now() + 30_000;
      while (Date.now() < end) {
        renameSync('place', 'inside'); put('link');
        renameSync('place', 'link'); put('inside');
      }`;
    flipper = spawn(process.execPath, ['-e', flip], { stdio: ['ignore', 'pipe', 'pipe'] });
    await readFirstLine(flipper);

    const seen = new Set<string>();
    const end = Date.now() + budget(2_000, 6_000);
    // The race took place: some reads found the folder. A busy machine needs longer for it.
    const isRace = () => [...seen].some((each) => each.includes('inside'));
    for (let round = 0; round < 1_000 && (Date.now() < end || (!isRace() && Date.now() < end + 30_000)); round++) {
      const found = await Promise.all([
        attempt('read_file', { path: 'place/a.txt' }),
        attempt('search_text', { pattern: 'secret', directory: 'place' }),
        attempt('file_edit', { path: 'place/a.txt', old: 'inside\n', new: 'inside\n\n' }),
        attempt('file_edit', { path: 'place/a.txt', old: 'secret\n', new: 'edited\n' }),
        attempt('file_write', { path: `place/new-${round % 10}.txt`, content: 'new\n' }),
        attempt('file_write', { path: `place/deep-${round % 10}/new.txt`, content: 'new\n' }),
      ]);
      for (const each of found.slice(0, 2)) seen.add(JSON.stringify(each));
    }
    expect([...seen].filter((each) => each.includes('secret'))).toEqual([]);
    expect(readdirSync(join(top, 'secret'))).toEqual(['a.txt']);
    expect(readFileSync(join(top, 'secret/a.txt'), 'utf8')).toBe('secret\n');
    expect(isRace()).toBe(true);
  });
});

describe('a path that was swapped after it was resolved', () => {
  const { platform } = process;
  afterEach(() => void Object.defineProperty(process, 'platform', { value: platform }));

  it.each(['linux', 'darwin'])('is not opened if a folder or the file is now a link (%s)', async (system) => {
    Object.defineProperty(process, 'platform', { value: system });
    const file = join(root, 'inside/a.txt');
    await rename(join(root, 'inside'), join(root, 'moved'));
    symlinkSync('../secret', join(root, 'inside'));
    await expect(openFile(file)).rejects.toMatchObject({ code: 'ELOOP' });
    await expect(openDirectory(join(root, 'inside'))).rejects.toMatchObject({
      code: expect.stringMatching(/ELOOP|ENOTDIR/),
    });
    mkdirSync(join(top, 'secret/deep'));
    await expect(openDirectory(join(root, 'inside/deep'))).rejects.toMatchObject({ code: 'ELOOP' });
    symlinkSync('../../secret/a.txt', join(root, 'moved/b.txt'));
    await expect(openFile(join(root, 'moved/b.txt'))).rejects.toMatchObject({ code: 'ELOOP' });
  });

  it('is rejected if it is now a pipe', async () => {
    execFileSync('mkfifo', [join(root, 'pipe')]);
    await expect(openFile(join(root, 'pipe'))).rejects.toMatchObject({ code: 'ELOOP' });
  });
});

describe('the file tools', () => {
  it('neither read nor write pipes and devices', async () => {
    execFileSync('mkfifo', [join(root, 'pipe')]);
    symlinkSync('/dev/zero', join(root, 'zero'));
    for (const path of ['pipe', 'zero']) {
      expect(await failure('read_file', { path })).toMatch(/neither a file nor a directory|outside/);
      expect(await failure('file_write', { path, content: 'x' })).toMatch(/neither a file nor a directory|outside/);
    }
  });

  it('do not change the other name of a hard link', async () => {
    linkSync(join(top, 'secret/a.txt'), join(root, 'hard.txt'));
    await call('file_write', { path: 'hard.txt', content: 'new\n' });
    await call('file_edit', { path: 'hard.txt', old: 'new', new: 'newer' });
    expect(readFileSync(join(top, 'secret/a.txt'), 'utf8')).toBe('secret\n');
    expect(readFileSync(join(root, 'hard.txt'), 'utf8')).toBe('newer\n');
  });

  it('write a file with a name of almost maximum length', async () => {
    const path = `${'名'.repeat(80)}.ts`;
    expect(await call('file_write', { path, content: 'x' })).toMatchObject({ path, wrote: 'new' });
  });

  it('ignore excluded names in any case', async () => {
    expect(await failure('file_write', { path: 'Node_Modules/x/index.js', content: 'x' })).toMatch(/is left out/);
  });
});

describe('the mode of an overwritten file', () => {
  it.each(['file_write', 'file_edit'])(
    'loses setuid, setgid and sticky and keeps the other bits (%s)',
    async (name) => {
      const path = join(root, 'inside/a.txt');
      chmodSync(path, 0o7755);
      await call(name, { path: 'inside/a.txt', content: 'new\n', old: 'inside', new: 'new' });
      expect(readFileSync(path, 'utf8')).toBe('new\n');
      expect(statSync(path).mode & 0o7777).toBe(0o755);
    },
  );
});

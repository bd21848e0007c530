/**
 * Attacks on the Git tools by a model that may write files: no program may run that it has written or named, unless a person
 * approves a call that runs programs. A program that runs leaves a file named `ran` behind.
 */

import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { codeTools } from '../../../src/presets/code/code-tools.js';
import { callOf } from '../../support/call-tool.js';
import { createGit } from '../../support/git-repository.js';

let top: string;
let root: string;
const { find, call, failure } = callOf(() => codeTools({ root, ignore: [] }));
const write = (path: string, content: string) => call('file_write', { path, content });
const ran = () => existsSync(join(top, 'ran'));
/** Calls a tool that may reject the call. */
const attempt = (name: string, input: object = {}) => call(name, input).catch(() => null);

beforeEach(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), 'longhand-attack-')));
  root = join(top, 'root');
  await mkdir(root);
});

afterEach(() => rm(top, { recursive: true, force: true }));

/** An index that names one file. Valid UTF-8 throughout, because `file_write` writes text: Git ignores the mode's upper half. */
function craftIndex(path: string): string {
  const mode = 'A\u1064';
  const entry = `${'\0'.repeat(24)}${mode}${'\0'.repeat(12)}${'a'.repeat(20)}\0${String.fromCharCode(path.length)}${path}`;
  const length = 62 + path.length;
  return `DIRC\0\0\0\x02\0\0\0\x01${entry}${'\0'.repeat(8 - (length % 8))}${'a'.repeat(20)}`;
}

/** Writes a bare repository with a filter into a folder. */
async function writeBareRepository(below = '', { settings = '' } = {}) {
  await write(`${below}HEAD`, 'ref: refs/heads/main\n');
  await write(`${below}objects/info/x`, '');
  await write(`${below}refs/heads/.keep`, '');
  await write(
    `${below}config`,
    `[core]\n\trepositoryformatversion = 0\n\tbare = false\n\tworktree = .\n[filter "x"]\n\tclean = touch ${top}/ran; cat\n${settings}`,
  );
  await write(`${below}.gitattributes`, '*.txt filter=x\n');
  await write(`${below}a.txt`, 'one\n');
  await write(`${below}index`, craftIndex('a.txt'));
}

/** Creates a repository with one commit, as a person does, and then changes its settings. */
function makeRepository(...settings: readonly (readonly [name: string, value: string])[]) {
  const git = createGit(root);
  git('init', '--quiet', '--initial-branch', 'main');
  writeFileSync(join(root, 'a.txt'), 'one\n');
  git('add', '.');
  git('commit', '--quiet', '-m', 'First');
  for (const [name, value] of settings) git('config', name, value);
  // Git reads a file again when its time has changed, and runs its filter.
  utimesSync(join(root, 'a.txt'), 1, 1);
  return git;
}

const marker = () => `touch ${top}/ran`;
/** Writes a program that the tree had before, so that it stays executable when a model overwrites it. */
async function writeProgram(path: string) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), '#!/bin/sh\n', { mode: 0o755 });
  await write(path, `#!/bin/sh\n${marker()}\ncat\n`);
}

async function useReaders() {
  const readers = [
    await attempt('git_status'),
    await attempt('git_diff'),
    await attempt('git_diff', { path: 'a.txt' }),
  ];
  expect(ran()).toBe(false);
  return readers;
}

/** Sets variables of the worker for one test. */
function setVariables(variables: Readonly<Record<string, string | undefined>>) {
  const set = (name: string, value: string | undefined) => {
    if (value === undefined) delete process.env[name];
    else process.env[name] = value;
  };
  const before = Object.keys(variables).map((name) => [name, process.env[name]] as const);
  for (const [name, value] of Object.entries(variables)) set(name, value);
  onTestFinished(() => {
    for (const [name, value] of before) set(name, value);
  });
}

describe('a root that is not the top of a repository', () => {
  it.each(['a plain folder', 'a subfolder of a monorepo'])('never becomes a bare repository (%s)', async (kind) => {
    if (kind !== 'a plain folder') createGit(top)('init', '--quiet');
    await writeBareRepository();
    await useReaders();
    await attempt('git_commit', { message: 'x', paths: ['a.txt'] });
    expect(ran()).toBe(false);
    // Nor for Git in a command that a person approved.
    await call('shell_exec', { command: 'git status; git diff' });
    expect(ran()).toBe(false);
  });

  it('treats a bare repository in a folder of a repository as ordinary files', async () => {
    makeRepository();
    await writeBareRepository('sub/');
    expect(await call('git_status', {})).toMatchObject({ branch: 'main' });
    await useReaders();
  });

  it.each([
    '.git/config',
    '.GIT/config',
    '.Git./config',
    '.git /config',
    'git~1/config',
    'GIT~2/x',
    '.g\u200cit/config',
  ])('permits no write to any spelling of .git: %j', async (path) => {
    expect(await failure('file_write', { path, content: 'x' })).toMatch(/is left out/);
    expect(await failure('file_write', { path: `sub/${path}`, content: 'x' })).toMatch(/is left out/);
  });
});

describe('Git ignores settings that the model can write', () => {
  const filter = () => `[filter "x"]\n\tclean = ${marker()}; cat\n[core]\n\tfsmonitor = ${marker()}\n`;

  it.each(['include.path', 'includeIf.onbranch:main.path'])(
    'from a file in the tree that %s includes',
    async (name) => {
      makeRepository([name, '../.gitconfig']);
      // Rejected although the file does not exist: a concurrent call could write it.
      expect(await failure('git_status', {})).toMatch(/settings include a file that you can write/);
      await write('.gitconfig', filter());
      await write('.gitattributes', '*.txt filter=x\n');
      await useReaders();
    },
  );

  it('in the home folder of the user', async () => {
    makeRepository();
    setVariables({ HOME: root, GIT_CONFIG_GLOBAL: undefined });
    await write('.gitconfig', filter());
    await write('.config/git/config', filter());
    await write('.gitattributes', '*.txt filter=x\n');
    expect(await useReaders()).toMatchObject([{ branch: 'main' }, expect.any(String), expect.any(String)]);
  });

  it.each(['a file', 'a link'])('in a repository under another name, if .git is %s', async (kind) => {
    makeRepository();
    renameSync(join(root, '.git'), join(root, 'data'));
    if (kind === 'a link') symlinkSync('data', join(root, '.git'));
    else writeFileSync(join(root, '.git'), 'gitdir: data\n');
    await write('data/config', filter());
    await write('.gitattributes', '*.txt filter=x\n');
    expect(await failure('git_status', {})).toMatch(/Git cannot be used here: you can write its repository/);
    await useReaders();
  });

  it('in a repository whose work tree is another folder', async () => {
    mkdirSync(join(top, 'elsewhere'));
    makeRepository(['core.worktree', join(top, 'elsewhere')]);
    expect(await failure('git_status', {})).toMatch(/not the top of a Git repository/);
  });
});

describe('a reading Git tool runs no program of the tree', () => {
  it.each([
    ['filter.x.clean', './tool'],
    ['filter.x.process', './tool'],
    ['core.fsmonitor', './tool'],
    ['diff.external', './tool'],
    ['diff.x.textconv', './tool'],
    ['diff.x.command', './tool'],
    ['core.hooksPath', 'hooks'],
    ['core.pager', './tool'],
  ])('that is set as %s', async (name, value) => {
    makeRepository([name, value]);
    await writeProgram('tool');
    await writeProgram('hooks/post-index-change');
    await write('.gitattributes', '*.txt filter=x diff=x\n');
    await write('a.txt', 'two\n');
    expect(await useReaders()).toMatchObject([
      { changes: expect.arrayContaining([{ path: 'a.txt', state: 'changed' }]) },
      expect.stringMatching(/^\+two$/m),
      expect.stringMatching(/^\+two$/m),
    ]);
  });

  it('that is set as gpg.program, with log.showSignature', async () => {
    const git = makeRepository(['log.showSignature', 'true'], ['gpg.program', './tool']);
    await writeProgram('tool');
    const signature = 'gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQ\n -----END PGP SIGNATURE-----';
    const signed = git('cat-file', 'commit', 'HEAD').replace(/\n\n/, `\n${signature}\n\n`);
    writeFileSync(join(top, 'signed'), `${signed}\n`);
    git('update-ref', 'HEAD', git('hash-object', '-w', '-t', 'commit', join(top, 'signed')));
    const [status] = await useReaders();
    expect(status).toMatchObject({ commit: expect.stringMatching(/ First$/) });
  });

  it('that fetches missing objects of a partial clone', async () => {
    const git = makeRepository(
      ['extensions.partialClone', 'origin'],
      ['core.repositoryFormatVersion', '1'],
      ['remote.origin.url', '.'],
      ['remote.origin.promisor', 'true'],
      ['remote.origin.uploadpack', './tool'],
    );
    await writeProgram('tool');
    await write('a.txt', 'two\n');
    const blob = git('rev-parse', 'HEAD:a.txt');
    rmSync(join(root, '.git/objects', blob.slice(0, 2), blob.slice(2)), { force: true });
    await useReaders();
  });

  it('that is named git and is in PATH', async () => {
    makeRepository();
    await writeProgram('bin/git');
    for (const PATH of [`${root}/bin:${process.env.PATH}`, `bin:${process.env.PATH}`]) {
      setVariables({ PATH });
      expect(await useReaders()).toMatchObject([{ branch: 'main' }, expect.any(String), expect.any(String)]);
    }
  });

  it('that is a filter of a submodule', async () => {
    const git = makeRepository();
    const origin = join(top, 'origin');
    createGit(top)('clone', '--quiet', root, origin);
    git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', origin, 'sub');
    git('commit', '--quiet', '-m', 'Second');
    const sub = createGit(join(root, 'sub'));
    sub('config', 'filter.x.clean', `${marker()}; cat`);
    await write('sub/.gitattributes', '*.txt filter=x\n');
    await write('sub/a.txt', 'two\n');
    await useReaders();
    sub('commit', '--quiet', '--allow-empty', '-m', 'Its second');
    // Git in the submodule itself applies the settings of the submodule.
    rmSync(join(top, 'ran'), { force: true });
    utimesSync(join(root, 'sub/a.txt'), 2, 2);
    expect(await call('git_status', {})).toMatchObject({ changes: [{ path: 'sub', state: 'changed' }] });
    await call('git_commit', { message: 'Third', paths: ['sub'] });
    expect(ran()).toBe(false);
    expect(git('rev-parse', 'HEAD:sub')).toBe(sub('rev-parse', 'HEAD'));
  });
});

describe('a Git filter', () => {
  /** Stores a file in capitals, as Git LFS stores a pointer. */
  const upper = ['filter.upper.clean', 'tr a-z A-Z'] as const;
  const trusting = (...gitFilters: string[]) => callOf(() => codeTools({ root, ignore: [], gitFilters }));

  it('runs if it is allowed by name, and the commit has its output', async () => {
    const git = makeRepository(upper, ['filter.upper.required', 'true']);
    await write('.gitattributes', '*.txt filter=upper\n');
    await write('a.txt', 'two\n');
    const paths = ['a.txt', '.gitattributes'];
    expect(await failure('git_commit', { message: 'x', paths })).toMatch(/^NotDone: .*a.txt needs the filter upper/);
    expect(git('rev-list', '--count', 'HEAD')).toBe('1');
    await trusting('upper').call('git_commit', { message: 'x', paths });
    expect(git('show', 'HEAD:a.txt')).toBe('TWO');
    expect(await trusting('upper').call('git_status', {})).toMatchObject({ changes: [] });
  });

  it('does not affect files without a filter', async () => {
    const git = makeRepository(upper);
    await write('a.txt', 'two\n');
    await call('git_commit', { message: 'x', paths: ['a.txt'] });
    expect(git('show', 'HEAD:a.txt')).toBe('two');
  });

  it.each(['./tool', 'sh tool.sh', 'sh -c "exec ./sub/tool %f"'])(
    'is rejected if its program is in the tree: %s',
    async (program) => {
      makeRepository(['filter.upper.clean', program]);
      for (const path of ['tool', 'tool.sh', 'sub/tool']) await writeProgram(path);
      await write('.gitattributes', '*.txt filter=upper\n');
      expect(await trusting('upper').failure('git_status', {})).toMatch(/filter upper runs a file that you can write/);
      expect(ran()).toBe(false);
    },
  );
});

describe('an approved commit or push', () => {
  it.each(['core.hooksPath', 'a link in .git/hooks'])(
    'runs no hooks that the model can write, by %s, and reports that',
    async (kind) => {
      const git = makeRepository(...(kind === 'core.hooksPath' ? [['core.hooksPath', 'hooks'] as const] : []));
      await writeProgram('hooks/pre-commit');
      if (kind !== 'core.hooksPath') {
        mkdirSync(join(root, '.git/hooks'), { recursive: true });
        symlinkSync('../../hooks/pre-commit', join(root, '.git/hooks/pre-commit'));
      }
      expect(await call('git_commit', { message: 'x', paths: ['hooks'] })).toMatchObject({
        files: ['hooks/pre-commit'],
        note: expect.stringMatching(/^No hooks were run, because you can write (hooks|\.git\/hooks\/pre-commit)\./),
      });
      expect(ran()).toBe(false);
      expect(git('rev-list', '--count', 'HEAD')).toBe('2');
    },
  );

  it('is rejected if its message has a zero byte', () => {
    expect(find('git_commit').validateInput({ message: 'a\0b', paths: ['a.txt'] })).toMatch(
      /must not contain zero bytes/,
    );
  });

  it('runs hooks of the repository, which may use Git in other folders', async () => {
    const git = makeRepository();
    mkdirSync(join(root, '.git/hooks'), { recursive: true });
    const hook = `#!/bin/sh\ncd ${top} && git init --quiet other && touch ran\n`;
    writeFileSync(join(root, '.git/hooks/pre-commit'), hook, { mode: 0o755 });
    await write('a.txt', 'two\n');
    expect(await call('git_commit', { message: 'x', paths: ['a.txt'] })).not.toHaveProperty('note');
    expect(ran()).toBe(true);
    expect(existsSync(join(top, 'other/.git/HEAD'))).toBe(true);
    expect(git('rev-list', '--count', 'HEAD')).toBe('2');
  });

  it('runs a hook outside of the tree, which finds the committed files by a glob', async () => {
    const hooks = join(top, 'hooks');
    const git = makeRepository(['core.hooksPath', hooks]);
    mkdirSync(hooks);
    const hook = `#!/bin/sh\ngit diff --cached --name-only -- '*.js' > ${top}/seen\nenv | grep '^GIT_[LO].*=' > ${top}/set\nexit 0\n`;
    writeFileSync(join(hooks, 'pre-commit'), hook, { mode: 0o755 });
    for (const path of ['src/one.js', 'two.js', 'a.txt']) await write(path, 'changed\n');
    expect(await call('git_commit', { message: 'x', paths: ['src', 'two.js', 'a.txt'] })).not.toHaveProperty('note');
    expect(readFileSync(join(top, 'seen'), 'utf8')).toBe('src/one.js\ntwo.js\n');
    expect(readFileSync(join(top, 'set'), 'utf8')).toBe('');
    expect(git('show', '--format=', '--name-only')).toBe('a.txt\nsrc/one.js\ntwo.js');
  });

  it.each(['*.txt', ':(top,glob)**', ':!a.txt', '[a-z].txt'])(
    'does not interpret a path as a pattern: %s',
    async (path) => {
      const git = makeRepository();
      await write('a.txt', 'two\n');
      await write('b.txt', 'two\n');
      expect(await failure('git_commit', { message: 'x', paths: [path] })).toMatch(/^NotDone/);
      writeFileSync(join(root, path), 'one\n');
      expect(await call('git_commit', { message: 'x', paths: [path] })).toMatchObject({ files: [path] });
      expect(git('rev-list', '--count', 'HEAD')).toBe('2');
    },
  );

  it('includes all files for the path .', async () => {
    makeRepository();
    await write('b/c.txt', 'two\n');
    expect(await call('git_commit', { message: 'x', paths: ['.'] })).toMatchObject({ files: ['b/c.txt'] });
  });

  it.each([
    ['gpg.program', './tool'],
    ['core.sshCommand', './tool'],
    ['credential.helper', '!sh ./tool'],
    ['remote.origin.receivepack', './tool'],
    ['remote.origin.url', './remote'],
    ['remote.origin.url', 'file://ROOT/%72emote'],
    ['remote.origin.pushurl', './remote'],
    ['core.hooksPath', 'hooks'],
  ])('is rejected if %s names the tree', async (name, value) => {
    const origin = join(top, 'origin.git');
    createGit(top)('init', '--quiet', '--bare', origin);
    makeRepository(['remote.origin.url', origin], [name, value.replace('ROOT', root)]);
    await writeProgram('tool');
    await writeProgram('hooks/pre-push');
    await writeBareRepository('remote/', { settings: `[core]\n\talternateRefsCommand = ${marker()}\n` });
    expect(await failure('git_push', {})).toMatch(/^NotDone: Nothing was pushed: .*(?:that|which) you can write/);
    expect(ran()).toBe(false);
    expect(createGit(origin)('for-each-ref')).toBe('');
  });

  it('pushes only the branch, with any settings', async () => {
    const origin = join(top, 'origin.git');
    createGit(top)('init', '--quiet', '--bare', origin);
    const git = makeRepository(['remote.origin.url', origin], ['push.followTags', 'true']);
    git('tag', '-a', 'v1', '-m', 'v1');
    expect(await call('git_push', {})).toMatchObject({ pushed: true });
    expect(createGit(origin)('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
  });
});

describe('the Git tools work', () => {
  it.each(['a linked worktree', 'a submodule'])('in %s', async (kind) => {
    const git = makeRepository();
    const origin = join(top, 'origin');
    createGit(top)('clone', '--quiet', root, origin);
    if (kind === 'a linked worktree') git('worktree', 'add', '--quiet', '-b', 'other', join(top, 'linked'));
    else git('-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', origin, 'sub');
    root = kind === 'a linked worktree' ? join(top, 'linked') : join(root, 'sub');
    await write('a.txt', 'two\n');
    expect(await call('git_status', {})).toMatchObject({ changes: [{ path: 'a.txt', state: 'changed' }] });
    expect(await call('git_commit', { message: 'x', paths: ['a.txt'] })).toMatchObject({ files: ['a.txt'] });
  });

  it('in a root that is a link', async () => {
    makeRepository();
    symlinkSync('root', join(top, 'by-name'));
    root = join(top, 'by-name');
    expect(await call('git_status', {})).toMatchObject({ branch: 'main' });
  });
});

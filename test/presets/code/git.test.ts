/** The Git tools on real repositories: results, effects, and when it is certain that nothing was done. */

import { execFileSync } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codeTools } from '../../../src/entries/tools.js';
import { callOf } from '../../support/call-tool.js';
import { createGit } from '../../support/git-repository.js';
import { matchError } from '../../support/match-error.js';

let top: string;
let root: string;
const { find, call, failure } = callOf(() => codeTools({ root }));
const git = (...args: string[]) => createGit(root)(...args);
const write = (path: string, content: string) => writeFile(join(root, path), content);

beforeEach(async () => {
  top = await realpath(await mkdtemp(join(tmpdir(), 'longhand-git-')));
  root = join(top, 'root');
  await mkdir(join(root, 'src'), { recursive: true });
  git('init', '--quiet', '--initial-branch', 'main');
  await write('src/a.js', 'one\n');
  await write('src/b.js', 'two\n');
  git('add', '.');
  git('commit', '--quiet', '-m', 'First');
});

afterEach(() => rm(top, { recursive: true, force: true }));

describe('git_status and git_diff', () => {
  it('return the differences from the last commit', async () => {
    await write('src/a.js', 'changed\n');
    await write('größe neu.txt', 'new\n');
    git('mv', 'src/b.js', 'src/c.js');
    expect(await call('git_status', {})).toEqual({
      branch: 'main',
      commit: expect.stringMatching(/^[0-9a-f]{7,} First$/),
      changes: [
        { path: 'src/a.js', state: 'changed' },
        { path: 'src/c.js', state: 'renamed from src/b.js' },
        { path: 'größe neu.txt', state: 'new' },
      ],
    });
    expect(await call('git_diff', { path: 'src/a.js' })).toMatch(/^diff --git a\/src\/a.js[\s\S]*\n-one\n\+changed\n$/);
    git('add', '.');
    expect(await call('git_diff', {})).toMatch(/\+new\n[\s\S]*\+changed\n/);
  });

  it('are reads, which are run each time: files change without a call', () => {
    for (const name of ['git_status', 'git_diff']) expect(find(name).snapshot).toMatchObject({ effects: 'read' });
  });

  it('work before the first commit', async () => {
    await rm(join(root, '.git'), { recursive: true });
    git('init', '--quiet', '--initial-branch', 'main');
    expect(await call('git_status', {})).toMatchObject({ branch: 'main', commit: null });
    git('add', 'src/a.js');
    expect(await call('git_diff', {})).toMatch(/\n\+one\n$/);
  });

  it('run no diff programs of the repository', async () => {
    await write('show.sh', '#!/bin/sh\ntouch shown\n');
    await chmod(join(root, 'show.sh'), 0o755);
    await write('.gitattributes', '*.js diff=odd\n');
    for (const [name, value] of [
      ['diff.external', './show.sh'],
      ['diff.odd.textconv', './show.sh'],
      ['core.fsmonitor', './show.sh'],
    ] as const)
      git('config', name, value);
    await write('src/a.js', 'changed\n');
    expect(await call('git_diff', {})).toMatch(/\+changed/);
    await call('git_status', {});
    await expect(readFile(join(root, 'shown'))).rejects.toThrow();
  });

  it('find no repository above the root', async () => {
    const below = callOf(() => codeTools({ root: join(root, 'src') }));
    expect(await below.failure('git_status', {})).toMatch(/^ToolError: .*not the top of a Git repository/);
    expect(await below.failure('git_commit', { message: 'x', paths: ['a.js'] })).toMatch(/^NotDone: Nothing was comm/);
  });

  it('take paths literally', async () => {
    expect(await failure('git_diff', { path: '../secret' })).toMatch(/outside of the folder/);
    expect(await call('git_diff', { path: '--output=made' })).toMatch(/Nothing has changed/);
    expect(await call('git_diff', { path: ':(top)src' })).toMatch(/Nothing has changed/);
  });
});

describe('git_commit', () => {
  it('commits only the named files: new, changed and deleted ones', async () => {
    await write('src/a.js', 'changed\n');
    await write('src/new.js', 'new\n');
    await write('other.js', 'other\n');
    await rm(join(root, 'src/b.js'));
    git('add', 'other.js');
    expect(await call('git_commit', { message: 'Second\n\nWhy', paths: ['src/new.js', 'src'] })).toEqual({
      commit: git('rev-parse', 'HEAD').slice(0, 12),
      files: ['src/a.js', 'src/b.js', 'src/new.js'],
    });
    expect(git('log', '-1', '--format=%B')).toBe('Second\n\nWhy');
    expect(git('status', '--porcelain')).toBe('A  other.js');
  });

  it('reports NotDone if nothing has changed or the repository rejects the commit', async () => {
    const named = { message: 'x', paths: ['src/a.js'] };
    expect(await failure('git_commit', named)).toMatch(/^NotDone: Nothing was committed: these files are unchanged/);
    await write('src/a.js', 'changed\n');
    await mkdir(join(root, '.git/hooks'), { recursive: true });
    await writeFile(join(root, '.git/hooks/pre-commit'), '#!/bin/sh\necho the linter complains >&2\nexit 1\n');
    await chmod(join(root, '.git/hooks/pre-commit'), 0o755);
    expect(await failure('git_commit', named)).toBe('NotDone: Nothing was committed. the linter complains');
    expect(git('rev-list', '--count', 'HEAD')).toBe('1');
    expect(await failure('git_commit', { message: 'x', paths: ['gone.js'] })).toMatch(/^NotDone: .*unchanged, missing/);
    expect(await failure('git_commit', { message: 'x', paths: ['.git/config'] })).toMatch(/^NotDone: .*is left out/);
  });
});

describe('git_push', () => {
  const bare = () => join(top, 'origin.git');
  beforeEach(() => {
    execFileSync('git', ['init', '--quiet', '--bare', bare()]);
    git('remote', 'add', 'origin', bare());
  });

  it('pushes the branch, and reports if there was nothing to push', async () => {
    const commit = git('rev-parse', 'HEAD').slice(0, 12);
    const done = { remote: 'origin', branch: 'main', commit };
    expect(await call('git_push', {})).toEqual({ ...done, pushed: true });
    expect(createGit(bare())('rev-parse', 'main').slice(0, 12)).toBe(commit);
    expect(await call('git_push', {})).toEqual({ ...done, pushed: false });
  });

  it('never overwrites commits: a rejected push is NotDone', async () => {
    await call('git_push', {});
    const elsewhere = join(top, 'elsewhere');
    execFileSync('git', ['clone', '--quiet', '--branch', 'main', bare(), elsewhere]);
    createGit(elsewhere)('commit', '--quiet', '--allow-empty', '-m', 'Theirs');
    createGit(elsewhere)('push', '--quiet', 'origin', 'main');
    git('commit', '--quiet', '--allow-empty', '-m', 'Ours');
    await expect(call('git_push', {})).rejects.toThrow(matchError('not_done', /Nothing was pushed.*rejected/s));
    expect(createGit(bare())('log', '-1', '--format=%s', 'main')).toBe('Theirs');
  });

  it('accepts only the names of configured remotes', async () => {
    expect(await failure('git_push', { remote: 'upstream' })).toBe(
      'NotDone: Nothing was pushed: Remote upstream not found. Expected origin.',
    );
    expect(await failure('git_push', { remote: 'ext::sh -c touch% made' })).toMatch(
      /Remote ext::sh -c touch% made not found/,
    );
    await rm(bare(), { recursive: true });
    expect(await failure('git_push', {})).toMatch(/^NotDone: Nothing was pushed: origin does not answer/);
  });

  it('has an unknown outcome if the push fails and the remote cannot be read', async () => {
    await writeFile(join(bare(), 'hooks/pre-receive'), `#!/bin/sh\nmv '${bare()}' '${bare()}.gone'\nexit 1\n`);
    await chmod(join(bare(), 'hooks/pre-receive'), 0o755);
    // Only an error without a code leaves the outcome unknown.
    await expect(call('git_push', {})).rejects.toThrow(
      expect.objectContaining({
        name: 'Error',
        message: expect.stringContaining('the commit on origin cannot be read'),
      }),
    );
  });
});

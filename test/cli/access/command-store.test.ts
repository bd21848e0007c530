/** Commands store in the project, where Git ignores it and a line names it, and never in the home folder; readers make nothing. */

import { execFileSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { findCommandStore, prepareStore } from '../../../src/cli/access/command-store.js';
import { openStore } from '../../../src/store/db/open.js';
import { longhandHere } from '../../support/command-here.js';

let home: string;
let project: string;
let env: Readonly<Record<string, string>>;

beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'longhand-home-')));
  project = join(home, 'work', 'shop');
  mkdirSync(join(project, 'src', 'agents'), { recursive: true });
  writeFileSync(join(project, 'package.json'), '{}');
  env = { HOME: home };
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

const fileOf = (folder: string) => `sqlite:${join(folder, '.longhand', 'longhand.db')}`;

describe('the store of a command', () => {
  it('is a file of the project, which Git ignores, and one line reports it when it is made', async () => {
    execFileSync('git', ['init', '--quiet', project]);
    const made = await prepareStore(env, join(project, 'src', 'agents'));
    expect(made).toEqual({
      where: fileOf(project),
      notice: `Ended chains are archived with their content in ${fileOf(project)}, which Git ignores. LONGHAND_STORE names another store, or none.`,
    });
    await (await openStore(made.where ?? '')).close();
    const listed = execFileSync('git', ['-C', project, 'status', '--porcelain', '--untracked-files=all'], {
      encoding: 'utf8',
    });
    expect(listed).toBe('?? package.json\n');
    expect(statSync(join(project, '.longhand')).mode & 0o777).toBe(0o700);
    expect(await prepareStore(env, project)).toEqual({ where: fileOf(project), notice: null });
  });

  it('belongs to the nearest package.json or .git', async () => {
    const inner = join(project, 'packages', 'worker');
    mkdirSync(join(inner, '.git'), { recursive: true });
    expect(await findCommandStore(env, inner)).toMatchObject({ where: fileOf(inner), exists: false });
    expect(await findCommandStore(env, join(project, 'packages'))).toMatchObject({ where: fileOf(project) });
  });

  it('is never in the home folder, also where that is a project itself, and never above it', async () => {
    mkdirSync(join(home, '.git'));
    for (const from of [home, join(home, 'work')]) {
      const reason = `${from} is in no project (package.json or .git)`;
      expect(await findCommandStore(env, from)).toEqual({ kind: 'unusable', reason, exists: false });
      expect((await prepareStore(env, from)).notice).toBe(
        `No archive: ${reason}. Name a store in LONGHAND_STORE, or set it to none to accept this.`,
      );
    }
    expect(readdirSync(home).sort()).toEqual(['.git', 'work']);
  });

  it('is the one of LONGHAND_STORE, and then no folder is made', async () => {
    for (const [value, where] of [
      ['memory:', 'memory:'],
      ['none', null],
    ] as const)
      expect(await prepareStore({ ...env, LONGHAND_STORE: value }, project)).toEqual({ where, notice: null });
    expect(readdirSync(project).sort()).toEqual(['package.json', 'src']);
  });

  it('does not exist, with the reason, where its folder is a file, a link or another user’s', async () => {
    const folder = join(project, '.longhand');
    const reasons = async () => (await prepareStore(env, project)).notice;
    writeFileSync(folder, '');
    expect(await reasons()).toContain(`No archive: ${folder} is not a folder.`);
    rmSync(folder);
    symlinkSync(home, folder);
    expect(await reasons()).toContain(`No archive: ${folder} is not a folder.`);
    rmSync(folder);
    mkdirSync(folder);
    vi.spyOn(process, 'getuid').mockReturnValue(statSync(folder).uid + 1);
    expect(await reasons()).toContain(`No archive: ${folder} belongs to another user.`);
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('a command in a project without a store', () => {
  it.each([
    [['archive', 'list'], 'No archived chain matches.\n'],
    [['memory', 'list'], 'No text is remembered.\n'],
    [['gateway', 'keys', 'list'], 'There are no API keys.'],
  ])('that reads makes none: %j', async (args, stdout) => {
    const ended = await inFolder(project, () => longhandHere(args, { ...env, ...unset }));
    expect(ended).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`There is no store at ${fileOf(project)} yet.`),
    });
    expect(ended.stdout).toContain(stdout);
    expect(existsSync(join(project, '.longhand'))).toBe(false);
  });

  it('that writes makes it, and reports that', async () => {
    const set = () =>
      inFolder(project, () =>
        longhandHere(['preferences', 'set', 'thinking=off', '--user', 'ana'], { ...env, ...unset }),
      );
    expect(await set()).toMatchObject({
      code: 0,
      stderr: expect.stringContaining(`archived with their content in ${fileOf(project)}`),
    });
    expect((await set()).stderr).not.toContain('archived');
    expect(readdirSync(join(project, '.longhand'))).toContain('longhand.db');
  });
});

/** As if it were not set: an empty variable counts as missing. */
const unset = { LONGHAND_STORE: '' };

async function inFolder<T>(folder: string, work: () => Promise<T>): Promise<T> {
  vi.spyOn(process, 'cwd').mockReturnValue(folder);
  try {
    return await work();
  } finally {
    vi.restoreAllMocks();
  }
}

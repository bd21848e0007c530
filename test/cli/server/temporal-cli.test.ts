/** Where the Temporal CLI is looked for, in which order, and what happens where there is none. Fake executables throughout. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ensureTemporalCli, findTemporalCli } from '../../../src/cli/server/temporal-cli.js';
import type { InstallCli } from '../../../src/cli/server/temporal-cli-install.js';
import { fakeExecutable } from '../../support/fake-executable.js';

let home: string;
const silent = () => {};
const version = (number: string) => `temporal version ${number} (Server 1.29.1, UI 2.42.1)`;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'longhand-cli-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** A machine with nothing but what the test puts under `home`. */
function options(env: NodeJS.ProcessEnv = {}) {
  return { env: { HOME: home, PATH: `${join(home, 'bin')}:/nowhere`, ...env }, sdkFolder: join(home, 'tmp') };
}

describe('findTemporalCli', () => {
  it('takes TEMPORAL_CLI_PATH, then PATH, then an SDK’s download, then the cache', async () => {
    const named = fakeExecutable(join(home, 'named/my-temporal'), version('1'));
    const onPath = fakeExecutable(join(home, 'bin/temporal'), version('2'));
    const fromSdk = fakeExecutable(join(home, 'tmp/temporal-sdk-typescript-1.24.0'), version('3'));
    const cached = fakeExecutable(join(home, '.cache/longhand/temporal'), version('4'));

    const found = await findTemporalCli(options({ TEMPORAL_CLI_PATH: named }));
    expect(found).toEqual({ path: named, version: '1, server 1.29.1', source: 'TEMPORAL_CLI_PATH' });
    expect(await findTemporalCli(options())).toMatchObject({ path: onPath, source: 'PATH' });
    rmSync(onPath);
    expect(await findTemporalCli(options())).toMatchObject({ path: fromSdk, source: "an SDK's download" });
    rmSync(fromSdk);
    expect(await findTemporalCli(options())).toMatchObject({ path: cached, source: '~/.cache/longhand' });
    rmSync(cached);
    expect(await findTemporalCli(options())).toBeNull();
  });

  it('looks in XDG_CACHE_HOME where it is set', async () => {
    const path = fakeExecutable(join(home, 'xdg/longhand/temporal'), version('1'));
    expect(await findTemporalCli(options({ XDG_CACHE_HOME: join(home, 'xdg') }))).toMatchObject({ path });
  });

  it('passes over other programs of that name, and over what does not run', async () => {
    fakeExecutable(join(home, 'bin/temporal'), 'a calendar, version 7');
    fakeExecutable(join(home, 'tmp/temporal-sdk-go-1.0'), '');
    const path = fakeExecutable(join(home, '.cache/longhand/temporal'), version('1'));
    expect(await findTemporalCli(options())).toMatchObject({ path });
  });

  it('does not pass over a TEMPORAL_CLI_PATH that is wrong', async () => {
    fakeExecutable(join(home, 'bin/temporal'), version('1'));
    await expect(findTemporalCli(options({ TEMPORAL_CLI_PATH: '/no/such' }))).rejects.toThrow(
      'TEMPORAL_CLI_PATH is "/no/such", which is not a Temporal CLI that runs here. Point it at one, or unset it.',
    );
  });
});

describe('ensureTemporalCli', () => {
  const works: InstallCli = async ({ target, report }) => {
    report('installing');
    fakeExecutable(target, version('1.5.1'));
  };
  const fails: InstallCli = async () => {
    throw new Error('the download is out of reach');
  };

  it('installs nothing where one is found', async () => {
    const path = fakeExecutable(join(home, 'bin/temporal'), version('1'));
    expect(await ensureTemporalCli(silent, { ...options(), installs: [fails] })).toMatchObject({ path });
  });

  it('goes on to the next way, says what takes a while, and finds it again afterwards', async () => {
    const said: string[] = [];
    const installed = { path: join(home, '.cache/longhand/temporal'), version: '1.5.1, server 1.29.1' };
    const found = await ensureTemporalCli((line) => said.push(line), { ...options(), installs: [fails, works] });
    expect(found).toMatchObject(installed);
    expect(said).toEqual(['installing']);
    expect(await ensureTemporalCli(silent, { ...options(), installs: [fails] })).toMatchObject(installed);
  });

  it('says what was tried and what to do where nothing helps', async () => {
    const error = await ensureTemporalCli(silent, { ...options(), installs: [fails, async () => {}] }).catch(String);
    expect(error).toContain('  - the download is out of reach');
    expect(error).toContain('was installed and does not run');
    expect(error).toContain('set TEMPORAL_CLI_PATH to it');
    expect(error).toContain('install Go');
    expect(error).toContain('set TEMPORAL_ADDRESS');
  });
});

/** The order in which the Temporal CLI is searched for, and its installation. All executables are fakes. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ensureTemporalCli, findTemporalCli } from '../../../src/cli/server/temporal-cli.js';
import type { InstallCli } from '../../../src/cli/server/temporal-cli-install.js';
import { fakeExecutable } from '../../support/fake-executable.js';
import { matchError } from '../../support/match-error.js';

let home: string;
const silent = () => {};
const version = (number: string) => `temporal version ${number} (Server 1.29.1, UI 2.42.1)`;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'longhand-cli-'));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** A machine with only the files that the test writes under `home`. */
function options(env: NodeJS.ProcessEnv = {}) {
  return { env: { HOME: home, PATH: `${join(home, 'bin')}:/nowhere`, ...env }, sdkFolder: join(home, 'tmp') };
}

describe('findTemporalCli', () => {
  it('searches TEMPORAL_CLI_PATH, then PATH, then an SDK’s download, then the cache', async () => {
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

  it('uses XDG_CACHE_HOME as the cache', async () => {
    const path = fakeExecutable(join(home, 'xdg/longhand/temporal'), version('1'));
    expect(await findTemporalCli(options({ XDG_CACHE_HOME: join(home, 'xdg') }))).toMatchObject({ path });
  });

  it('skips other programs with the same name, and files that do not run', async () => {
    fakeExecutable(join(home, 'bin/temporal'), 'a calendar, version 7');
    fakeExecutable(join(home, 'tmp/temporal-sdk-go-1.0'), '');
    const path = fakeExecutable(join(home, '.cache/longhand/temporal'), version('1'));
    expect(await findTemporalCli(options())).toMatchObject({ path });
  });

  it('rejects an invalid TEMPORAL_CLI_PATH', async () => {
    fakeExecutable(join(home, 'bin/temporal'), version('1'));
    await expect(findTemporalCli(options({ TEMPORAL_CLI_PATH: '/no/such' }))).rejects.toThrow(
      matchError('invalid_environment', 'TEMPORAL_CLI_PATH is "/no/such"'),
    );
  });
});

describe('ensureTemporalCli', () => {
  const works: InstallCli = async ({ target, report }) => {
    report('installing');
    fakeExecutable(target, version('1.5.1'));
  };
  const fails: InstallCli = async () => {
    throw new Error('the download is unreachable');
  };

  it('installs nothing when the CLI is found', async () => {
    const path = fakeExecutable(join(home, 'bin/temporal'), version('1'));
    expect(await ensureTemporalCli(silent, { ...options(), installs: [fails] })).toMatchObject({ path });
  });

  it('continues with the next way to install it, reports progress, and finds it afterwards', async () => {
    const reported: string[] = [];
    const installed = { path: join(home, '.cache/longhand/temporal'), version: '1.5.1, server 1.29.1' };
    const found = await ensureTemporalCli((line) => reported.push(line), { ...options(), installs: [fails, works] });
    expect(found).toMatchObject(installed);
    expect(reported).toEqual(['installing']);
    expect(await ensureTemporalCli(silent, { ...options(), installs: [fails] })).toMatchObject(installed);
  });

  it('reports all attempts and the possible fixes when no installation succeeds', async () => {
    const error = await ensureTemporalCli(silent, { ...options(), installs: [fails, async () => {}] }).catch(String);
    expect(error).toContain('  - the download is unreachable');
    expect(error).toContain('was installed and does not run');
    expect(error).toContain('set TEMPORAL_CLI_PATH to it');
    expect(error).toContain('install Go');
    expect(error).toContain('set TEMPORAL_ADDRESS');
  });
});

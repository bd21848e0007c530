/** Installing the Temporal CLI: a local server replaces the download, a script replaces Go. */

import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findFreePort } from '../../../src/cli/server/ports.js';
import { buildTemporalCli, createDownload } from '../../../src/cli/server/temporal-cli-install.js';
import { fakeExecutable } from '../../support/fake-executable.js';

let home: string;
let server: Server | null = null;
let reported: string[];

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'longhand-install-'));
  reported = [];
});
afterEach(() => {
  server?.close();
  server = null;
  rmSync(home, { recursive: true, force: true });
});

const cache = () => join(home, 'cache');
const request = (env: NodeJS.ProcessEnv = {}) => ({
  target: join(cache(), 'temporal'),
  env,
  report: (line: string) => reported.push(line),
});

/** Answers like the download server: first the address of the archive, then the archive. */
async function serve(archive: Buffer): Promise<{ readonly origin: string; readonly asked: string[] }> {
  const asked: string[] = [];
  server = createServer((incoming, response) => {
    asked.push(incoming.url ?? '');
    if (incoming.url === '/archive') response.end(archive);
    else response.end(JSON.stringify({ archiveUrl: `${origin}/archive`, fileToExtract: 'temporal' }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { origin, asked };
}

describe('download', () => {
  it('unpacks the archive into the cache, and leaves no other file there', async () => {
    fakeExecutable(join(home, 'packed/temporal'), 'temporal version 1.5.1');
    const archive = execFileSync('tar', ['-czf', '-', '-C', join(home, 'packed'), 'temporal']);
    const { origin, asked } = await serve(archive);
    await createDownload(origin)(request());
    expect(asked[0]).toMatch(/^\/cli\/v1\.5\.1\?arch=(amd64|arm64)&platform=(linux|darwin)&format=tar\.gz$/);
    expect(readdirSync(cache())).toEqual(['temporal']);
    expect(execFileSync(request().target, { encoding: 'utf8' })).toBe('temporal version 1.5.1\n');
    expect(reported).toEqual(['downloading the Temporal CLI 1.5.1']);
  });

  it('installs nothing when the archive is broken', async () => {
    const { origin } = await serve(Buffer.from('not an archive'));
    await expect(createDownload(origin)(request())).rejects.toThrow(/^tar failed/);
    expect(readdirSync(cache())).toEqual([]);
  });

  it('fails quickly, and reports no progress, when no server answers', async () => {
    const origin = `http://127.0.0.1:${await findFreePort()}`;
    await expect(createDownload(origin)(request())).rejects.toThrow(
      `the download is unreachable: connect ECONNREFUSED`,
    );
    expect(reported).toEqual([]);
    expect(existsSync(cache())).toBe(false);
  });
});

describe('building with Go', () => {
  /** A `go` that records its arguments and writes an executable to GOBIN. */
  function fakeGo(install: string): NodeJS.ProcessEnv {
    mkdirSync(join(home, 'bin'));
    const script = `#!/bin/sh\nif [ "$1" = install ]; then echo "$@" >> ${home}/calls; ${install}; fi\n`;
    writeFileSync(join(home, 'bin/go'), script, { mode: 0o755 });
    return { PATH: `${join(home, 'bin')}:/usr/bin:/bin` };
  }

  it('installs the pinned version into the cache, and reports how long it takes', async () => {
    await buildTemporalCli(request(fakeGo('echo built > "$GOBIN/temporal"')));
    const call =
      'install -ldflags -X github.com/temporalio/cli/temporalcli.Version=1.5.1 github.com/temporalio/cli/cmd/temporal@v1.5.1';
    expect(readFileSync(join(home, 'calls'), 'utf8').trim()).toBe(call);
    expect(readdirSync(cache())).toEqual(['temporal']);
    expect(reported).toEqual(['building the Temporal CLI 1.5.1 with Go: about 6 minutes, once']);
  });

  it("contains Go's error output when the build fails", async () => {
    const env = fakeGo('echo "no space left" >&2; exit 3');
    await expect(buildTemporalCli(request(env))).rejects.toThrow('go install failed (exit code 3): no space left');
    expect(readdirSync(cache())).toEqual([]);
  });

  it('reports that Go is not installed', async () => {
    await expect(buildTemporalCli(request({ PATH: '/nowhere' }))).rejects.toThrow(
      'Go, which could build it, is not installed',
    );
  });
});

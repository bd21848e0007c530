/** The dev server of `longhand dev` and of the tests starts and stops real processes. */

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { startDevServer } from '../../../src/cli/server/dev-server.js';
import { findFreePort } from '../../../src/cli/server/ports.js';
import { isReachable, tryConnect } from '../../../src/cli/server/server-connection.js';
import { ensureTemporalCli } from '../../../src/cli/server/temporal-cli.js';
import { readFirstLine } from '../../support/first-line.js';
import { isAlive } from '../../support/is-alive.js';
import { matchError } from '../../support/match-error.js';
import { getTemporalAddress } from '../../support/temporal.js';

/** Creates a command that runs `first`, and otherwise ends as Temporal's CLI does when its port is taken. */
function createFakeCli(first = '', failure = 'bind: address already in use') {
  const folder = mkdtempSync(join(tmpdir(), 'longhand-cli-'));
  const cli = join(folder, 'temporal');
  const lines = ['#!/bin/sh', 'echo "$*" >> "$0.calls"', first, `printf '${failure}\\n' >&2`, 'exit 2'];
  writeFileSync(cli, `${lines.join('\n')}\n`, { mode: 0o755 });
  const calls = () => readFileSync(`${cli}.calls`, 'utf8').trim().split('\n');
  return { cli, calls, remove: () => rmSync(folder, { recursive: true }) };
}

describe('startDevServer', () => {
  it('resolves when the server has its search attributes, and stop ends the server', async () => {
    const server = await startDevServer({ searchAttributes: [{ name: 'LonghandProbe', type: 'Keyword' }] });
    const connection = await tryConnect(server.address);
    const { customAttributes } = await connection!.operatorService.listSearchAttributes({ namespace: 'default' });
    await connection!.close();
    expect(Object.keys(customAttributes ?? {})).toContain('LonghandProbe');
    expect((await fetch(server.uiUrl!)).status).toBe(200);

    await server.stop();
    expect(isAlive(server.pid)).toBe(false);
    expect(await isReachable(server.address)).toBe(false);
  });

  it('starts a server that ends when its parent is killed', async () => {
    const module = fileURLToPath(new URL('../../../src/cli/server/dev-server.ts', import.meta.url));
    const script = `const { startDevServer } = await import(${JSON.stringify(module)});
      process.stdout.write(String((await startDevServer({ headless: true })).pid) + '\\n');
      process.stdin.resume().on('end', () => process.exit());`;
    const parent = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    const pid = Number(await readFirstLine(parent));
    expect(isAlive(pid)).toBe(true);

    parent.kill('SIGKILL');
    await expect.poll(() => isAlive(pid)).toBe(false);
  });

  it('tries other ports when a port is taken', async () => {
    const { path: temporal } = await ensureTemporalCli(() => {});
    const { cli, calls, remove } = createFakeCli(`[ "$(wc -l < "$0.calls")" -gt 2 ] && exec '${temporal}' "$@"`);
    const server = await startDevServer({ headless: true, cli });
    expect(await isReachable(server.address)).toBe(true);
    await server.stop();
    const ports = calls().map((args) => /--port (\d+)/.exec(args)?.[1]);
    expect(ports).toEqual([expect.any(String), expect.any(String), server.address.split(':')[1]]);
    remove();
  });

  it('fails after five attempts with taken ports', async () => {
    const { cli, calls, remove } = createFakeCli();
    await expect(startDevServer({ headless: true, cli })).rejects.toMatchObject(
      matchError('server_not_started', 'address already in use'),
    );
    expect(calls()).toHaveLength(5);
    remove();
  });

  it('starts a server that crashed again, and explains a crash by the first lines of its stack', async () => {
    const stack = Array.from({ length: 40 }, (_, at) => `frame ${at}`);
    const { cli, calls, remove } = createFakeCli('', ['panic: no free port', ...stack].join('\\n'));
    const started = startDevServer({ headless: true, cli });
    await expect(started).rejects.toMatchObject(
      matchError('server_not_started', /It crashed:\npanic: no free port\nframe 0/),
    );
    expect(calls()).toHaveLength(5);
    remove();
  });

  it('rejects a given port that is in use', async () => {
    const port = Number(getTemporalAddress().split(':')[1]);
    await expect(startDevServer({ port })).rejects.toMatchObject(
      matchError('server_not_started', `TEMPORAL_ADDRESS=127.0.0.1:${port}`),
    );
  });

  it('reports the end of the log of a server that does not start', async () => {
    const attributes = [{ name: 'LonghandProbe', type: 'Nonsense' }];
    await expect(startDevServer({ headless: true, searchAttributes: attributes })).rejects.toMatchObject(
      matchError('server_not_started', /exit code 1.*Nonsense/s),
    );
  });
});

describe('isReachable', () => {
  it('is true for a Temporal server only', async () => {
    const other = createServer((socket) => socket.on('error', () => {}).end('not Temporal')).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };

    expect(await isReachable(getTemporalAddress())).toBe(true);
    expect(await isReachable(`127.0.0.1:${await findFreePort()}`, 500)).toBe(false);
    expect(await isReachable(`127.0.0.1:${port}`, 500)).toBe(false);
    other.close();
  });
});

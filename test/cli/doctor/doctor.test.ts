/** `longhand doctor` on made-up machines: findings, remedies and exit codes. */

import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { printLimits, runDoctor } from '../../../src/cli/doctor/doctor.js';
import { checkNode } from '../../../src/cli/doctor/environment.js';
import type { DoctorCheck } from '../../../src/cli/doctor/format-report.js';
import { findFreePort } from '../../../src/cli/server/ports.js';
import { cleanText, shouldUseColor } from '../../../src/cli/terminal/colors.js';
import { defaults } from '../../../src/core/model/defaults.js';
import { fakeExecutable } from '../../support/fake-executable.js';

const home = mkdtempSync(join(tmpdir(), 'longhand-doctor-'));
const cli = fakeExecutable(join(home, 'temporal'), 'temporal version 1.5.1 (Server 1.29.1, UI 2.42.1)');
afterAll(() => rmSync(home, { recursive: true, force: true }));

/** A machine without a server; by default with the CLI. */
async function runWith(
  env: NodeJS.ProcessEnv = {},
  options: { color?: boolean; json?: boolean; defaultAddress?: string } = {},
) {
  let text = '';
  const code = await runDoctor({
    write: (part) => {
      text += part;
    },
    env: { HOME: home, PATH: '', TEMPORAL_CLI_PATH: cli, LONGHAND_STORE: 'none', ...env },
    color: false,
    defaultAddress: `127.0.0.1:${await findFreePort()}`,
    ...options,
  });
  return { code, text };
}

async function checks(env: NodeJS.ProcessEnv) {
  const { code, text } = await runWith(env, { json: true });
  const report = JSON.parse(text) as { checks: readonly DoctorCheck[]; defaults: unknown };
  return { code, report, named: (name: string) => report.checks.find((check) => check.name === name) };
}

describe('doctor', () => {
  it('prints aligned lines, each remedy below its finding', async () => {
    const address = `127.0.0.1:${await findFreePort()}`;
    const { code, text } = await runWith({}, { defaultAddress: address });
    expect(text).toBe(
      [
        `✓ Node                    ${process.versions.node}`,
        '✓ Temporal CLI            1.5.1, server 1.29.1 (TEMPORAL_CLI_PATH)',
        `! Temporal server         none answers at ${address}`,
        '                          → start one with `longhand dev`, or set TEMPORAL_ADDRESS',
        '! Namespace               not checked: no server',
        '! Search attributes       not checked: no server',
        '! Held chains             not checked: no server',
        '! Workers                 not checked: no server',
        '! Model                   no model endpoint',
        '                          → set ANTHROPIC_API_KEY, OPENAI_API_KEY or GEMINI_API_KEY, or LONGHAND_MODEL_URL or OPENAI_BASE_URL for another server; `npm run demo` needs no model',
        '✓ Encryption              off: the content of chains is readable in Temporal',
        '✓ Store                   none (LONGHAND_STORE=none): histories are kept in Temporal until its retention ends',
        '✓ Archive                 none: there is no store',
        '✓ Audit log               none: there is no store',
        '',
      ].join('\n'),
    );
    expect(code).toBe(0);
  });

  it('prints the limits and other defaults with --limits, and checks nothing', () => {
    const parts: string[] = [];
    expect(printLimits({ write: (part) => void parts.push(part) })).toBe(0);
    const rows = Object.fromEntries(
      parts
        .join('')
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/ {2,}/)),
    );
    expect(rows).toMatchObject({
      'autonomous steps': '30',
      tokens: '1,000,000',
      cost: '$1',
      'request expiry': '7 days',
    });
    expect(Object.keys(rows)).toHaveLength(Object.keys(defaults).length);
  });

  it('exits with 1 without a CLI and a server, and explains an invalid TEMPORAL_CLI_PATH', async () => {
    const { code, named } = await checks({ TEMPORAL_CLI_PATH: '/no/such' });
    expect(code).toBe(1);
    expect(named('Temporal server')?.status).toBe('missing');
    expect(named('Temporal CLI')).toEqual({
      name: 'Temporal CLI',
      status: 'missing',
      found: 'TEMPORAL_CLI_PATH is "/no/such", which is not a Temporal CLI that runs here.',
      remedy: 'Correct it, or unset it.',
    });
  });

  it('exits with 1 when the configured server does not answer: the CLI does not replace it', async () => {
    const { code, named } = await checks({ TEMPORAL_ADDRESS: `127.0.0.1:${await findFreePort()}` });
    expect(code).toBe(1);
    expect(named('Temporal server')).toMatchObject({
      status: 'missing',
      remedy: 'start it, or correct TEMPORAL_ADDRESS or --address',
    });
  });

  it('prints one object with the defaults with --json', async () => {
    const { report } = await checks({});
    expect(report.defaults).toEqual(defaults);
    for (const check of report.checks) expect(Object.keys(check)).toEqual(['name', 'status', 'found', 'remedy']);
  });

  it('accepts any answer of a model server, and neither sends nor prints the key', async () => {
    const keys: unknown[] = [];
    const server = createServer((request, response) => {
      keys.push(request.headers['x-api-key'] ?? request.headers.authorization);
      response.writeHead(404).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const { named, report } = await checks({
      LONGHAND_MODEL_URL: url,
      ANTHROPIC_API_KEY: 'sk-secret',
      LONGHAND_MODEL: 'm-1',
    });
    server.close();
    expect(named('Model')).toEqual({
      name: 'Model',
      status: 'ok',
      found: `Messages API at ${url}, default model m-1`,
      remedy: null,
    });
    expect(keys).toEqual([undefined]);
    expect(JSON.stringify(report)).not.toContain('sk-secret');
  });

  it('reports why a model server is unreachable, and the form of an address', async () => {
    const silent = await checks({ LONGHAND_MODEL_URL: `http://127.0.0.1:${await findFreePort()}` });
    expect(silent.named('Model')?.found).toMatch(/unreachable: connect ECONNREFUSED/);
    const wrong = await checks({ LONGHAND_MODEL_URL: 'localhost' });
    expect(wrong.named('Model')?.remedy).toContain('Use the form http://127.0.0.1:4000');
  });

  it('rejects an older Node', () => {
    expect(checkNode('20.18.3')).toMatchObject({ status: 'missing', remedy: expect.stringContaining('Node 20.19') });
    expect(checkNode('20.19.0').status).toBe('ok');
    expect(checkNode('22.0.0').status).toBe('ok');
  });
});

describe('colour', () => {
  it('is printed on terminals, unless the user disables it', async () => {
    const [terminal, pipe] = [{ isTTY: true }, {}];
    expect(shouldUseColor({ stream: terminal, env: {} })).toBe(true);
    expect(shouldUseColor({ stream: pipe, env: { CI: 'true' } })).toBe(false);
    expect(shouldUseColor({ stream: terminal, env: { NO_COLOR: '1' } })).toBe(false);
    expect(shouldUseColor({ stream: terminal, env: {}, wanted: false })).toBe(false);
    expect(shouldUseColor({ stream: pipe, env: { FORCE_COLOR: '1' } })).toBe(true);
    expect(cleanText((await runWith({}, { color: true })).text)).toContain('\x1b[32m✓\x1b[39m Node');
    expect((await runWith({}, { color: false })).text).not.toContain('\x1b');
  });
});

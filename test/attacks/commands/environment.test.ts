/** Attacks on the environment of commands: variables of the worker, under names that no list of secrets contains. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { codeTools } from '../../../src/presets/code/code-tools.js';
import { callOf } from '../../support/call-tool.js';

const canary = 'canary-7f3a91';
const names = [
  ...[
    'SESSION',
    'OTP',
    'PIN_CODE',
    'ACCESS_CODE',
    'KUBECONFIG',
    'PGPASSFILE',
    'DOCKER_HOST',
    'NETRC',
    'CODE',
    'LICENSE',
  ],
  ...['LONGHAND_MODEL_URL', 'TEMPORAL_ADDRESS', 'GOOGLE_APPLICATION_CREDENTIALS', 'AWS_PROFILE', 'XDG_RUNTIME_DIR'],
  ...[
    'GPG_AGENT_INFO',
    'GIT_ASKPASS',
    'GIT_SSH_COMMAND',
    'NODE_OPTIONS',
    'LD_PRELOAD',
    'BASH_ENV',
    'ENV',
    'A_NEW_NAME',
  ],
];
const before = Object.fromEntries(names.map((name) => [name, process.env[name]]));
let root: string;
beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'longhand-attack-'));
  for (const name of names) process.env[name] = canary;
  process.env.HTTPS_PROXY = `http://ann:${canary}@proxy.example:8080`;
});
afterAll(() => {
  for (const name of names) {
    if (before[name] === undefined) delete process.env[name];
    else process.env[name] = before[name];
  }
  delete process.env.HTTPS_PROXY;
  rmSync(root, { recursive: true, force: true });
});

describe('a command', () => {
  it.each(['shell_exec', 'run_tests'])('of %s has only the usual variables', async (name) => {
    const { call } = callOf(() => codeTools({ root, tests: 'env' }));
    const input = name === 'shell_exec' ? { command: 'env' } : {};
    const { output } = (await call(name, input)) as { output: string };
    expect(output).toMatch(/^PATH=/m);
    expect(output).toMatch(/^HOME=/m);
    expect(output).not.toContain(canary);
  });

  it('has a variable that passEnv names, and its secret value is masked in the output', async () => {
    const passEnv = ['KUBECONFIG', 'OTP', 'NOT_SET'];
    const { call } = callOf(() => codeTools({ root, passEnv }));
    const { output } = (await call('shell_exec', { command: 'env' })) as { output: string };
    expect(output).toContain(`KUBECONFIG=`);
    expect(output).toContain('OTP=[redacted:secret]');
    expect(output).not.toContain('NOT_SET');
    expect(output).not.toContain('SESSION=');
  });

  it('has a value of env rather than that of passEnv', async () => {
    const { call } = callOf(() => codeTools({ root, passEnv: ['CODE'], env: { CODE: 'given' } }));
    expect(await call('shell_exec', { command: 'echo $CODE' })).toMatchObject({ output: 'given\n' });
  });

  it('has the given Git settings in addition to those of the tools', async () => {
    const env = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'user.name', GIT_CONFIG_VALUE_0: 'Bo' };
    const { call } = callOf(() => codeTools({ root, env }));
    const command = 'git config user.name; git config safe.bareRepository';
    expect(await call('shell_exec', { command })).toMatchObject({ output: 'Bo\nexplicit\n' });
  });
});

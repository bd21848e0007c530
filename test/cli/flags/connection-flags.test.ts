/** Flags of the connection are the values of Temporal's variables for one command. */

import { Command } from 'commander';
import { expect, it } from 'vitest';
import { addConnectionFlags, toConnectionVariables } from '../../../src/cli/flags/connection-flags.js';
import { longhandHere } from '../../support/command-here.js';

function toVariables(...args: readonly string[]): Readonly<Record<string, string | undefined>> {
  return toConnectionVariables(addConnectionFlags(new Command()).parse(args, { from: 'user' }));
}

it('each flag sets its variable', () => {
  expect(toVariables('--profile', 'prod', '--address', 'a:1', '--namespace', 'n', '--api-key', 'k', '--tls')).toEqual({
    ...{ TEMPORAL_PROFILE: 'prod', TEMPORAL_ADDRESS: 'a:1', TEMPORAL_NAMESPACE: 'n', TEMPORAL_API_KEY: 'k' },
    TEMPORAL_TLS: 'true',
  });
  expect(toVariables('--tls-server-name', 'temporal.test')).toEqual({ TEMPORAL_TLS_SERVER_NAME: 'temporal.test' });
});

it('the path of a certificate replaces its data in the environment', () => {
  expect(toVariables('--tls-ca-path', 'a', '--tls-cert-path', 'b', '--tls-key-path', 'c')).toEqual({
    ...{ TEMPORAL_TLS_SERVER_CA_CERT_PATH: 'a', TEMPORAL_TLS_SERVER_CA_CERT_DATA: undefined },
    ...{ TEMPORAL_TLS_CLIENT_CERT_PATH: 'b', TEMPORAL_TLS_CLIENT_CERT_DATA: undefined },
    ...{ TEMPORAL_TLS_CLIENT_KEY_PATH: 'c', TEMPORAL_TLS_CLIENT_KEY_DATA: undefined },
  });
});

it('flags may follow the command, are listed once, and hold for this command alone', async () => {
  const { code, stderr } = await longhandHere(['chain', 'list', '--address', 'no-such-host.invalid']);
  expect([code, stderr]).toEqual([1, expect.stringContaining('Host no-such-host.invalid not found')]);
  expect((await longhandHere(['chain', 'list', '--address', 'https://x'])).stderr).toContain(
    'Invalid address https://x',
  );
  expect((await longhandHere(['chain', 'list', '--api-key', ''])).stderr).toContain('--api-key is empty');
  const help = await longhandHere(['chain', 'list', '--help']);
  expect(help.stdout).toContain('Flags of the connection to Temporal, such as --address: longhand --help');
  expect(help.stdout).not.toContain('--tls-ca-path');
  expect((await longhandHere(['--help'])).stdout).toContain('--tls-ca-path <file>');
  expect(process.env.TEMPORAL_API_KEY).toBeUndefined();
});

it('a read command fails within 2 seconds at a refused port, with one message', async () => {
  const started = Date.now();
  const { code, stderr } = await longhandHere(['chain', 'show', 'box-1', '--address', '127.0.0.1:1']);
  expect(Date.now() - started).toBeLessThan(2_000);
  expect([code, stderr]).toEqual([
    1,
    'longhand: No Temporal server answers at 127.0.0.1:1. Start it, or correct TEMPORAL_ADDRESS or --address.\n',
  ]);
});

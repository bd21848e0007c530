/** The settings of the connection to Temporal: options, variables, profiles, and what is wrong with them. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConnectionSettings, readNamespace } from '../../src/connection/settings.js';
import { type Certificates, createCertificates } from '../support/certificates.js';
import { matchError } from '../support/match-error.js';

let folder: string;
let files: Certificates;
let toml: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-settings-'));
  files = createCertificates();
  toml = write(
    'temporal.toml',
    `[profile.default]
address = "default.example:7000"
[profile.prod]
address = "prod.example:7233"
namespace = "orders"
api_key = "key-of-prod"
[profile.prod.tls]
server_name = "temporal.internal"
server_ca_cert_path = "${files.ca.certPath}"
[profile.prod.grpc_meta]
region = "eu"
`,
  );
});
afterAll(() => {
  files.remove();
  rmSync(folder, { recursive: true, force: true });
});

function write(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

const read = (env: NodeJS.ProcessEnv, options: Parameters<typeof readConnectionSettings>[0] = {}) =>
  readConnectionSettings(options, env);

describe('settings', () => {
  it('are the default address without TLS when nothing is configured', () => {
    const expected = { address: '127.0.0.1:7233', isConfigured: false, namespace: 'default', apiKey: null, tls: null };
    expect(read({})).toMatchObject(expected);
    expect(read({ TEMPORAL_ADDRESS: '', TEMPORAL_API_KEY: '', TEMPORAL_PROFILE: '' })).toMatchObject(expected);
  });

  it('come from the profile of temporal.toml, then from variables, then from options', () => {
    const env = { TEMPORAL_CONFIG_FILE: toml, TEMPORAL_PROFILE: 'prod' };
    const profile = read(env);
    expect(profile).toMatchObject({
      ...{ address: 'prod.example:7233', namespace: 'orders', apiKey: 'key-of-prod', isConfigured: true },
      ...{ tls: { serverNameOverride: 'temporal.internal' }, metadata: { region: 'eu' } },
    });
    expect(Buffer.from(profile.tls?.serverRootCACertificate ?? [])).toEqual(files.ca.cert);
    expect(readNamespace(env)).toBe('orders');
    const variables = { ...env, TEMPORAL_NAMESPACE: 'billing', TEMPORAL_TLS: 'false' };
    expect(read(variables)).toMatchObject({ address: 'prod.example:7233', namespace: 'billing', tls: null });
    expect(read(variables, { address: 'other', namespace: 'mine', apiKey: 'k' })).toMatchObject({
      ...{ address: 'other:7233', namespace: 'mine', apiKey: 'k', tls: null },
    });
    expect(read({ TEMPORAL_CONFIG_FILE: toml })).toMatchObject({ address: 'default.example:7000', tls: null });
    expect(read({ TEMPORAL_CONFIG_FILE: toml }, { profile: 'prod' })).toMatchObject({ namespace: 'orders' });
  });

  it('have TLS with public certificates when there is an API key', () => {
    expect(read({ TEMPORAL_API_KEY: 'k', TEMPORAL_ADDRESS: 'a.tmprl.cloud:7233' })).toMatchObject({ tls: {} });
    expect(read({}, { tls: true })).toMatchObject({ tls: {}, apiKey: null, isConfigured: true });
  });

  it('read the client certificate and its key from files', () => {
    const { certPath, keyPath, cert, key } = files.client;
    const tls = read({ TEMPORAL_TLS_CLIENT_CERT_PATH: certPath, TEMPORAL_TLS_CLIENT_KEY_PATH: keyPath }).tls;
    expect(Buffer.from(tls?.clientCertPair?.crt ?? [])).toEqual(cert);
    expect(Buffer.from(tls?.clientCertPair?.key ?? [])).toEqual(key);
  });
});

describe('invalid settings are rejected with the setting and the fix:', () => {
  const client = () => ({ TEMPORAL_TLS_CLIENT_CERT_PATH: files.client.certPath });
  const cases: readonly (readonly [string, () => NodeJS.ProcessEnv, string | RegExp])[] = [
    ['an address with a scheme', () => ({ TEMPORAL_ADDRESS: 'https://a.example:7233' }), 'expected host:port'],
    ['a port that does not exist', () => ({ TEMPORAL_ADDRESS: 'a.example:99999' }), 'Invalid address a.example:99999'],
    [
      'an unknown profile',
      () => ({ TEMPORAL_CONFIG_FILE: toml, TEMPORAL_PROFILE: 'nope' }),
      /Profile nope not found in .*temporal.toml/,
    ],
    [
      'a profile without a file',
      () => ({ TEMPORAL_PROFILE: 'prod', HOME: folder }),
      'Profile prod not found in temporal.toml',
    ],
    ['a missing file', () => ({ TEMPORAL_CONFIG_FILE: join(folder, 'none.toml') }), 'which does not exist'],
    [
      'a file that is not TOML',
      () => ({ TEMPORAL_CONFIG_FILE: write('bad.toml', 'api_key = secret-key') }),
      'cannot be read',
    ],
    [
      'a certificate that does not exist',
      () => ({ TEMPORAL_TLS_SERVER_CA_CERT_PATH: '/none.pem' }),
      'The TLS file /none.pem cannot be read',
    ],
    [
      'a CA that is not a certificate',
      () => ({ TEMPORAL_TLS_SERVER_CA_CERT_PATH: toml }),
      'The CA certificate is not a PEM certificate',
    ],
    ['a client certificate without its key', client, 'Set TEMPORAL_TLS_CLIENT_KEY_PATH'],
    [
      'the key of another certificate',
      () => ({ ...client(), TEMPORAL_TLS_CLIENT_KEY_PATH: files.server.keyPath }),
      'does not belong to the certificate of CN=client',
    ],
    [
      'a key that is not a PEM key',
      () => ({ ...client(), TEMPORAL_TLS_CLIENT_KEY_PATH: toml }),
      'is not an unencrypted PEM key',
    ],
    ['both a path and data', () => ({ ...client(), TEMPORAL_TLS_CLIENT_CERT_DATA: 'x' }), 'Both a path and data'],
    [
      'verification switched off',
      () => ({ TEMPORAL_TLS_DISABLE_HOST_VERIFICATION: 'true' }),
      'servers are always verified',
    ],
  ];

  it.each(cases)('%s', (_name, env, part) => {
    expect(() => read(env())).toThrow(matchError('invalid_connection', part));
  });

  it('an expired client certificate', () => {
    const { certPath, keyPath } = files.expired;
    const env = { TEMPORAL_TLS_CLIENT_CERT_PATH: certPath, TEMPORAL_TLS_CLIENT_KEY_PATH: keyPath };
    expect(() => read(env)).toThrow(matchError('invalid_connection', /CN=expired expired on \d{4}-\d\d-\d\d/));
  });

  it('never with the content of the file, which may have a key', () => {
    const env = { TEMPORAL_CONFIG_FILE: write('leak.toml', '[profile.default]\napi_key = "secret-key-1"\nx = = 1') };
    expect(() => read(env)).toThrow(expect.not.objectContaining({ message: expect.stringContaining('secret-key-1') }));
  });

  it('and an empty file has no profiles', () => {
    const env = { TEMPORAL_CONFIG_FILE: write('empty.toml', '') };
    expect(read(env)).toMatchObject({ address: '127.0.0.1:7233' });
    expect(() => read({ ...env, TEMPORAL_PROFILE: 'prod' })).toThrow(matchError('invalid_connection', 'Profile prod'));
  });
});

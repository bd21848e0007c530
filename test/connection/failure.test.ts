/** Real errors of sockets, TLS and gRPC become errors that name the wrong part, its value and the fix. */

import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findFreePort } from '../../src/cli/server/ports.js';
import { openConnection } from '../../src/connection/open.js';
import { readConnectionSettings, type TemporalOptions } from '../../src/connection/settings.js';
import { type Certificates, createCertificates } from '../support/certificates.js';
import { matchError } from '../support/match-error.js';
import { startTlsFront, type TlsFrontOptions } from '../support/tls-front.js';

let files: Certificates;
beforeAll(() => {
  files = createCertificates();
});
afterAll(() => files.remove());

const key = 'secret-key-of-the-test';

/** Connects and returns the error. No server is behind the front: each failure comes before its first answer. */
async function fail(front: Omit<TlsFrontOptions, 'behind'>, options: TemporalOptions): Promise<unknown> {
  const { address, close } = await startTlsFront({ behind: '127.0.0.1:1', ...front });
  try {
    return await failAt(address, options);
  } finally {
    await close();
  }
}

async function failAt(address: string, options: TemporalOptions = {}): Promise<unknown> {
  const settings = readConnectionSettings({ address, ...options }, {});
  const error = await openConnection(settings).then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(String(error)).not.toContain(key);
  return error;
}

const trusting = () => ({ serverRootCACertificate: files.ca.cert });
const clientPair = ({ cert, key: ownKey } = files.client) => ({ clientCertPair: { crt: cert, key: ownKey } });

describe('the address is wrong:', () => {
  it('a refused port is reported within 2 seconds', async () => {
    const port = await findFreePort();
    const started = Date.now();
    const error = await failAt(`127.0.0.1:${port}`);
    expect(Date.now() - started).toBeLessThan(2_000);
    expect(error).toEqual(
      matchError('server_unreachable', `No Temporal server answers at 127.0.0.1:${port}. Start it`),
    );
  });

  it('a host that does not exist', async () => {
    const error = await failAt('no-such-host.invalid:7233');
    expect(error).toEqual(matchError('server_unreachable', 'Host no-such-host.invalid not found'));
  });

  it('a program that is not a Temporal server', async () => {
    await withServer(createHttpServer(), async (address) => {
      expect(await failAt(address)).toEqual(matchError('server_unreachable', `The program at ${address} is not`));
    });
  });

  it('a program that never answers', async () => {
    await withServer(
      createTcpServer(() => {}),
      async (address) => {
        expect(await failAt(address)).toEqual(
          matchError('server_unreachable', `No Temporal server answers at ${address}`),
        );
      },
    );
  });
});

describe('TLS is wrong:', () => {
  it('the server requires it', async () => {
    const error = await fail({ tls: files.server }, {});
    expect(error).toEqual(matchError('tls_mismatch', /requires TLS. Set TEMPORAL_TLS=true or --tls/));
  });

  it('the server does not have it', async () => {
    const error = await fail({ tls: null }, { tls: true });
    expect(error).toEqual(matchError('tls_mismatch', 'set TEMPORAL_TLS=false'));
    const byKey = await fail({ tls: null }, { apiKey: key });
    expect(byKey).toEqual(matchError('tls_mismatch', 'An API key switches TLS on.'));
  });
});

describe("the server's certificate is wrong:", () => {
  it('its CA is not public', async () => {
    const error = await fail({ tls: files.server }, { tls: true });
    expect(error).toEqual(matchError('certificate_untrusted', 'is not issued by a public CA'));
  });

  it('its CA is not the configured one', async () => {
    const error = await fail({ tls: files.server }, { tls: { serverRootCACertificate: files.selfSigned.cert } });
    expect(error).toEqual(matchError('certificate_untrusted', 'is not issued by the configured CA'));
  });

  it('it has expired', async () => {
    const error = await fail({ tls: files.expired }, { tls: trusting() });
    expect(error).toEqual(matchError('certificate_untrusted', 'CERT_HAS_EXPIRED'));
  });

  it('it is for another name', async () => {
    const error = await fail({ tls: files.named }, { tls: trusting() });
    expect(error).toEqual(matchError('server_name_mismatch', 'is for temporal.test, not for 127.0.0.1'));
    const named = await fail({ tls: files.named }, { tls: { ...trusting(), serverNameOverride: 'else.test' } });
    expect(named).toEqual(matchError('server_name_mismatch', 'is for temporal.test, not for else.test'));
  });
});

describe('the client certificate is wrong:', () => {
  const asking = () => ({ ...files.server, ca: files.ca.cert, requestCert: true, rejectUnauthorized: true });

  it.each(['TLSv1.2', 'TLSv1.3'] as const)('it is missing (%s)', async (maxVersion) => {
    const error = await fail({ tls: { ...asking(), maxVersion } }, { tls: trusting() });
    expect(error).toEqual(matchError('client_certificate_rejected', 'requires a client certificate'));
  });

  it('the server does not trust it', async () => {
    const error = await fail({ tls: asking() }, { tls: { ...trusting(), ...clientPair(files.selfSigned) } });
    expect(error).toEqual(matchError('client_certificate_rejected', 'rejected the client certificate of CN=other'));
  });
});

describe('the API key is wrong:', () => {
  it('it is missing', async () => {
    const error = await fail({ tls: files.server, apiKey: key }, { tls: trusting() });
    expect(error).toEqual(matchError('api_key_rejected', 'requires an API key. Set TEMPORAL_API_KEY or --api-key'));
  });

  it('it is another one, which the message does not repeat', async () => {
    const error = await fail({ tls: files.server, apiKey: 'another' }, { tls: trusting(), apiKey: key });
    expect(error).toEqual(matchError('api_key_rejected', 'rejected the API key'));
  });
});

async function withServer(
  server: Server | ReturnType<typeof createHttpServer>,
  use: (address: string) => Promise<void>,
) {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    await use(`127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.close();
  }
}

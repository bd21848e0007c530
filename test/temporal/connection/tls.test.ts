/** Client, worker and commands reach a Temporal server behind TLS, with an own CA, a client certificate and an API key. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkServer } from '../../../src/cli/doctor/temporal-server.js';
import { type ConnectOptions, connect } from '../../../src/entries/client.js';
import { anthropicProvider } from '../../../src/entries/models.js';
import { createWorker } from '../../../src/entries/worker.js';
import { defineAgent } from '../../../src/index.js';
import { createWorkerWithBundle } from '../../../src/worker/open-worker.js';
import { type Certificates, createCertificates } from '../../support/certificates.js';
import { longhand } from '../../support/command.js';
import { longhandHere } from '../../support/command-here.js';
import { matchError } from '../../support/match-error.js';
import { startMessagesServer } from '../../support/messages-server.js';
import { answers } from '../../support/react-reply.js';
import { getTemporalAddress, getWorkflowBundlePath } from '../../support/temporal.js';
import '../../support/runtime.js';
import { startTlsFront, type TlsFront } from '../../support/tls-front.js';

const apiKey = 'secret-key-of-the-test';
const agent = defineAgent({ name: 'clerk', instructions: 'Answer.', model: 'claude-sonnet-5-5', strategy: 'tools' });

let folder: string;
let files: Certificates;
/** Accepts API keys, and has no operator service, as Temporal Cloud. */
let cloud: TlsFront;
/** Accepts client certificates. */
let mutual: TlsFront;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-tls-test-'));
  files = createCertificates();
  const behind = getTemporalAddress();
  cloud = await startTlsFront({ behind, apiKey, tls: files.server, denied: ['OperatorService'] });
  const tls = { ...files.named, ca: files.ca.cert, requestCert: true, rejectUnauthorized: true };
  mutual = await startTlsFront({ behind, tls });
});
afterAll(async () => {
  await cloud.close();
  await mutual.close();
  files.remove();
  rmSync(folder, { recursive: true, force: true });
});

/** Variables for both fronts. */
const cloudVariables = () => ({
  TEMPORAL_ADDRESS: cloud.address,
  TEMPORAL_API_KEY: apiKey,
  TEMPORAL_TLS_SERVER_CA_CERT_PATH: files.ca.certPath,
});
const mutualFlags = () => [
  ...['--address', mutual.address, '--tls-ca-path', files.ca.certPath, '--tls-server-name', 'temporal.test'],
  ...['--tls-cert-path', files.client.certPath, '--tls-key-path', files.client.keyPath],
];

describe('a chain runs through the front', () => {
  async function runChain(options: Pick<ConnectOptions, 'address' | 'apiKey' | 'tls'>): Promise<string | undefined> {
    const models = await startMessagesServer([{ text: 'Done.' }]);
    const provider = anthropicProvider({ baseURL: models.url, apiKey: 'test' });
    const taskQueue = `tls-${Date.now()}-${Math.random()}`;
    const bundle = { codePath: getWorkflowBundlePath() };
    const worker = await createWorkerWithBundle(
      { agents: [agent], providers: [provider], taskQueue, ...options },
      async () => bundle,
    );
    const running = worker.run();
    const longhandClient = await connect({ ...options, taskQueue });
    try {
      const chain = await longhandClient.start(agent, 'Do it.');
      return String((await chain.result()).answer);
    } finally {
      worker.shutdown();
      await running;
      await longhandClient.close();
      await models.close();
    }
  }

  it('with an API key and an own CA', async () => {
    const tls = { serverRootCACertificate: files.ca.cert };
    expect(await runChain({ address: cloud.address, apiKey, tls })).toBe('Done.');
  });

  it('with a client certificate and another server name', async () => {
    const tls = {
      serverRootCACertificate: files.ca.cert,
      serverNameOverride: 'temporal.test',
      clientCertPair: { crt: files.client.cert, key: files.client.key },
    };
    expect(await runChain({ address: mutual.address, tls })).toBe('Done.');
  });
});

describe('commands connect', () => {
  it('with the variables of Temporal', async () => {
    const { code, stdout, stderr } = await longhandHere(['chain', 'list', '--json'], cloudVariables());
    expect([code, stderr]).toEqual([0, '']);
    expect(JSON.parse(stdout)).toBeInstanceOf(Array);
  });

  it("with the flags of Temporal's own command line", async () => {
    const { code, stderr } = await longhandHere(['chain', 'list', '--json', ...mutualFlags()]);
    expect([code, stderr]).toEqual([0, '']);
    const keyed = ['--address', cloud.address, '--api-key', apiKey, '--tls-ca-path', files.ca.certPath];
    // Of a tenant without chains: a chain of another test, whose key is missing here, would be reported.
    expect(await longhandHere(['inbox', '--json', '--tenant', 'nobody', ...keyed])).toMatchObject({
      code: 0,
      stderr: '',
    });
  });

  it('with the flags for the client and the worker of run, and starts no server', async () => {
    const models = await startMessagesServer([answers('I know it.', 'It rains in Paris.')]);
    const task = ['meteorologist', 'How is the weather?', '--module', 'examples/weather.ts', '--json'];
    const { code, stdout } = await longhandHere(['run', ...task, ...mutualFlags()], { LONGHAND_MODEL_URL: models.url });
    await models.close();
    expect([code, JSON.parse(stdout)]).toMatchObject([0, { outcome: 'success' }]);
    const { stderr } = await longhandHere(['run', ...task, '--address', mutual.address], {
      LONGHAND_MODEL_URL: 'http://127.0.0.1:1',
    });
    expect(stderr).toContain(`The server at ${mutual.address} requires TLS.`);
  });

  it('with a profile of temporal.toml', async () => {
    const file = join(folder, 'temporal.toml');
    const tls = `[profile.staging.tls]\nserver_ca_cert_path = "${files.ca.certPath}"\n`;
    writeFileSync(file, `[profile.staging]\naddress = "${cloud.address}"\napi_key = "${apiKey}"\n${tls}`);
    const env = { TEMPORAL_CONFIG_FILE: file };
    expect(await longhandHere(['chain', 'list', '--json', '--profile', 'staging'], env)).toMatchObject({ code: 0 });
    const started = await longhandHere(['start', 'clerk', 'x', '--task-queue', 'nobody'], {
      ...env,
      TEMPORAL_PROFILE: 'staging',
    });
    expect(started).toMatchObject({ code: 0, stdout: expect.stringMatching(/^clerk-/) });
  });

  it("with certificates that the system's roots trust", async () => {
    const { TEMPORAL_TLS_SERVER_CA_CERT_PATH: path, ...env } = cloudVariables();
    // Node warns about TLS to an IP address.
    const address = cloud.address.replace('127.0.0.1', 'localhost');
    const trusted = { ...env, TEMPORAL_ADDRESS: address, NODE_EXTRA_CA_CERTS: path, SSL_CERT_FILE: path };
    const listed = await longhand(['chain', 'list', '--json'], trusted).end;
    expect(listed).toMatchObject({ code: 0, stderr: '' });
    const worker = longhand(['worker', '--module', 'examples/weather.ts'], {
      ...{ ...trusted, LONGHAND_MODEL_URL: 'http://127.0.0.1:1' },
    });
    await expect.poll(worker.readStderr).toContain('Worker started for');
    worker.process.kill('SIGINT');
    expect((await worker.end).stderr).not.toContain(apiKey);
  });

  it('and doctor names TLS, the key, and the search attributes of a server without operator service', async () => {
    const [server, namespace, attributes] = await checkServer(cloudVariables());
    expect(server).toMatchObject({
      status: 'ok',
      found: expect.stringContaining(`${cloud.address}, TLS with an API key`),
    });
    expect(namespace).toMatchObject({ status: 'ok' });
    expect(attributes).toMatchObject({ status: 'ok', found: expect.stringContaining('created in the namespace') });
  });
});

describe('the error of client, worker and command names what is wrong:', () => {
  const wrongKey = () => ({ address: cloud.address, apiKey: 'wrong', tls: { serverRootCACertificate: files.ca.cert } });
  const provider = anthropicProvider({ baseURL: 'http://127.0.0.1:1', apiKey: 'test' });

  it('the key', async () => {
    const error = matchError('api_key_rejected', `The server at ${cloud.address} rejected the API key.`);
    await expect(connect(wrongKey())).rejects.toThrow(error);
    await expect(createWorker({ agents: [agent], providers: [provider], ...wrongKey() })).rejects.toThrow(error);
    const { code, stderr } = await longhandHere(['chain', 'list'], { ...cloudVariables(), TEMPORAL_API_KEY: 'wrong' });
    expect([code, stderr]).toEqual([2, expect.stringContaining(`${cloud.address} rejected the API key.`)]);
  });

  it('the certificate', async () => {
    const options = { address: cloud.address, apiKey };
    const error = matchError('certificate_untrusted', 'is not issued by a public CA');
    await expect(connect(options)).rejects.toThrow(error);
    await expect(createWorker({ agents: [agent], providers: [provider], ...options })).rejects.toThrow(error);
  });

  it('the client certificate', async () => {
    const tls = { serverRootCACertificate: files.ca.cert, serverNameOverride: 'temporal.test' };
    const error = matchError('client_certificate_rejected', 'requires a client certificate');
    await expect(connect({ address: mutual.address, tls })).rejects.toThrow(error);
    await expect(
      createWorker({ agents: [agent], providers: [provider], address: mutual.address, tls }),
    ).rejects.toThrow(error);
  });

  it('the namespace, which does not exist or to which the key has no access', async () => {
    const tls = { serverRootCACertificate: files.ca.cert };
    const missing = connect({ address: cloud.address, apiKey, tls, namespace: 'nope' });
    await expect(missing).rejects.toThrow(
      matchError('namespace_not_found', 'Namespace nope not found on this server.'),
    );
    const front = await startTlsFront({
      behind: getTemporalAddress(),
      tls: files.server,
      denied: ['/DescribeNamespace'],
    });
    try {
      const options = { address: front.address, apiKey, tls, namespace: 'theirs' };
      const error = matchError('namespace_denied', 'The API key has no access to namespace theirs.');
      await expect(connect(options)).rejects.toThrow(error);
      await expect(createWorker({ agents: [agent], providers: [provider], ...options })).rejects.toThrow(error);
      // Without credentials, a client that may not describe the namespace may still run chains.
      const open = await startTlsFront({ behind: getTemporalAddress(), tls: null, denied: ['/DescribeNamespace'] });
      await (await connect({ address: open.address })).close();
      await open.close();
    } finally {
      await front.close();
    }
  });

  it("the copy of Temporal's SDK that a connection is from", async () => {
    const connection = Object.create(Object.getPrototypeOf(Connection.prototype) as object) as Connection;
    await expect(connect({ connection })).rejects.toThrow(matchError('sdk_loaded_twice', 'npm ls @temporalio/client'));
    const native = connection as unknown as NonNullable<Parameters<typeof createWorker>[0]['connection']>;
    await expect(createWorker({ agents: [agent], providers: [provider], connection: native })).rejects.toThrow(
      matchError('sdk_loaded_twice', 'npm ls @temporalio/worker'),
    );
  });
});

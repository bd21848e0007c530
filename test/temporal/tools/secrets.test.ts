/**
 * Secrets that were planted in every source of a worker are in none of its outputs, although its tools and its model emit
 * them in many ways. A plain word beside each of them is in all outputs, so the search works.
 */

import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { connect, type Longhand } from '../../../src/entries/client.js';
import { visible, ways } from '../../support/blabbing-agent.js';
import { isLong } from '../../support/budget.js';
import { type Ended, longhand, type Running } from '../../support/command.js';
import { longhandHere } from '../../support/command-here.js';
import { type MessagesServer, startMessagesServer } from '../../support/messages-server.js';
import { decryptWithin } from '../../support/opened.js';
import { sendCommand, waitForRequests } from '../../support/people.js';
import { findLeaks, type Planted } from '../../support/planted.js';
import { listTexts, readRawPlaces } from '../../support/raw-temporal.js';
import type { ScriptedReply } from '../../support/scripted-reply.js';
import { getTemporalAddress } from '../../support/temporal.js';
import { type OtlpReceiver, startOtlpReceiver } from '../../telemetry/otlp-receiver.js';

/** The word that each planted secret contains. */
const planted: Planted = {
  environment: 'zyxenvironmentqv81',
  file: 'zyxsecretfileqv82',
  fileLine: 'zyxsecondlineqv83',
  model: 'zyxmodelkeyqv84',
  configured: 'zyxtoolconfigqv85',
  store: 'zyxstorepasswordqv86',
  telemetry: 'zyxtelemetrykeyqv87',
};
const keys = {
  file: `${planted.file} "quoted" & 50%/é\n${planted.fileLine}-0123456789\n`,
  model: `sk-${planted.model}`,
};

const folder = mkdtempSync(join(tmpdir(), 'longhand-planted-'));
const queue = `test-${randomUUID()}`;
const chainId = `chain-${randomUUID()}`;
let models: MessagesServer;
let telemetry: OtlpReceiver;
let client: Longhand;
let worker: Running;

const createSettings = (more: Readonly<Record<string, string>> = {}) => ({
  TEMPORAL_ADDRESS: getTemporalAddress(),
  LONGHAND_SECRETS: join(folder, 'secrets'),
  LONGHAND_MODEL_URL: models.url,
  FROM_ENVIRONMENT: `${planted.environment}`,
  ANTHROPIC_API_KEY: keys.model,
  ANTHROPIC_LOG: 'debug',
  CONFIGURED: `npm_${planted.configured}`,
  LONGHAND_STORE: `postgres://longhand:${planted.store}@127.0.0.1:9/longhand`,
  LONGHAND_LOG_LEVEL: 'debug',
  OTEL_EXPORTER_OTLP_ENDPOINT: telemetry.url,
  OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  OTEL_EXPORTER_OTLP_HEADERS: `authorization=Bearer ${planted.telemetry}`,
  OTEL_METRIC_EXPORT_INTERVAL: '500',
  OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: 'true',
  ...more,
});
const module = ['--module', 'test/support/blabbing-agent.ts'];
const getGatePath = (how: string) => join(folder, `held-${how}`);
const calls = ways.filter((how) => how !== 'crashes');
const echo = 'echo "$NPM_TOKEN" zyxvisibleqv; printf %s "$NPM_TOKEN" | base64';

const script: readonly ScriptedReply[] = [
  ...calls.map((how) => ({ text: 'I try.', calls: [{ name: 'blab', input: { how, while: getGatePath(how) } }] })),
  { text: 'And the shell.', calls: [{ name: 'shell_exec', input: { command: echo } }] },
  { text: 'And a risk.', calls: [{ name: 'risk', input: {} }] },
  { status: 529, error: { type: 'overloaded_error', message: `${visible}: x-api-key: ${keys.model}` } },
  { text: `${visible}: you sent ${keys.model}`, calls: [{ name: 'risk_not', input: { key: `Bearer ${keys.model}` } }] },
  { status: 401, error: { type: 'authentication_error', message: `${visible}: Bearer ${keys.model} is not known` } },
];

/** Expects the texts to contain no secret, and the plain word, which proves that the right place was searched. */
function expectClean(where: string, texts: string | readonly string[]): void {
  const all = typeof texts === 'string' ? texts : texts.join('\n');
  expect({ where, leaked: findLeaks(all, planted), visible: all.includes(visible) }).toEqual({
    where,
    leaked: [],
    visible: true,
  });
}

async function expectCleanServer(places: readonly string[]): Promise<void> {
  const raw = await readRawPlaces(client.client, chainId);
  for (const [place, value] of Object.entries(raw)) {
    // Also the content that a reader with the keys decrypts.
    const texts = [...listTexts(value), ...listTexts(decryptWithin(value))];
    expect([place, findLeaks(texts.join('\n'), planted)]).toEqual([place, []]);
    if (places.includes(place)) expectClean(place, texts);
  }
}

beforeAll(async () => {
  mkdirSync(join(folder, 'secrets'));
  writeFileSync(join(folder, 'secrets', 'FROM_FILE'), keys.file);
  models = await startMessagesServer(script);
  telemetry = await startOtlpReceiver();
  client = await connect({ address: getTemporalAddress(), taskQueue: queue });
  worker = longhand(['worker', ...module, '--task-queue', queue], createSettings());
});
afterAll(async () => {
  worker.process.kill('SIGKILL');
  await worker.end;
  await client.close();
  await telemetry.close();
  rmSync(folder, { recursive: true });
});

it('secrets are in no data of the Temporal server while a chain runs', async () => {
  for (const how of ['throws', 'beats']) writeFileSync(getGatePath(how), '');
  await client.start('blabber', `Write ${visible}`, { chainId, tenant: 'acme' });
  const pending = async () => (await client.client.workflow.getHandle(chainId).describe()).raw.pendingActivities ?? [];
  // The first attempt has failed, and its failure can be read until the second attempt has ended.
  await vi.waitFor(async () => expect((await pending())[0]?.lastFailure).toBeTruthy(), {
    timeout: 30_000,
    interval: 50,
  });
  await expectCleanServer(['history', 'description', 'metadata']);
  rmSync(getGatePath('throws'));
  await vi.waitFor(async () => expect((await pending())[0]?.heartbeatDetails).toBeTruthy(), {
    timeout: 30_000,
    interval: 50,
  });
  await expectCleanServer(['history', 'description', 'metadata']);
  rmSync(getGatePath('beats'));
  await waitForRequests(client, chainId, `${calls.length + 2}.1`);
  await expectCleanServer(['history', 'metadata']);
  await sendCommand(client, chainId, 'outcome', {
    call: `${calls.length + 2}.1`,
    outcome: 'happened',
    observation: 'It did.',
  });
  await client.getHandle(chainId).result();
  await expectCleanServer(['history', 'metadata']);
});

it('secrets were used by the model provider and the tools', async () => {
  expect(models.requests[0]?.headers.authorization).toBe(`Bearer ${keys.model}`);
  const chain = await client.getHandle(chainId).read();
  const settled = chain.steps.flatMap((step) => step.calls).map(({ tool, status }) => `${tool} ${status}`);
  expect(settled).toEqual([
    ...[
      'blab ok',
      'blab error',
      'blab error',
      'blab error',
      'blab error',
      'blab ok',
      'blab error',
      'blab ok',
      'blab ok',
    ],
    ...['shell_exec ok', 'risk answered', 'risk_not error'],
  ]);
  expect(telemetry.headers()[0]).toMatchObject({ authorization: `Bearer ${planted.telemetry}` });
});

/**
 * In this process, which knows no planted secret but those of the command's environment, or in the long form in one of its own.
 * Without telemetry here: a process has one SDK, which must be that of the test file about telemetry.
 */
function runCommand(args: readonly string[], settings: Readonly<Record<string, string>>): Promise<Ended> {
  return isLong ? longhand(args, settings).end : longhandHere(args, { ...settings, OTEL_SDK_DISABLED: 'true' });
}

describe('a command', () => {
  const whole = ['--as', 'auditor', '--json'];
  it.each([
    [['chain', 'show', chainId, '--all', ...whole]],
    [['chain', 'show', chainId, '--all', '--as', 'auditor']],
    [['chain', 'watch', chainId, ...whole]],
    [['chain', 'at', chainId, '3', ...whole]],
    [['chain', 'explain', chainId, ...whole]],
    [['chain', 'export', chainId]],
    [['chain', 'export', chainId, '--format', 'markdown', '--as', 'auditor']],
    [['chain', 'list', '--root', chainId, '--json']],
  ])('prints no secret: longhand %j', async (args) => {
    const { stdout, stderr } = await runCommand(args, createSettings({ LONGHAND_STORE: 'none' }));
    expectClean(args.join(' '), stdout);
    expect(findLeaks(stderr, planted)).toEqual([]);
  });

  it('prints no secret of a history when it debugs it', async () => {
    const file = join(folder, 'history.json');
    const alone = createSettings({ LONGHAND_STORE: 'none' });
    await runCommand(['chain', 'export', chainId, '--format', 'history', '--out', file], alone);
    const { stdout, stderr, code } = await runCommand(['chain', 'debug', file, '--json'], alone);
    expect([code, findLeaks(stdout + stderr, planted)]).toEqual([0, []]);
  });

  it('prints no secret when the store fails', async () => {
    const { stdout, stderr } = await runCommand(['chain', 'export', chainId], createSettings());
    expect([stdout + stderr === '', findLeaks(stdout + stderr, planted)]).toEqual([false, []]);
  });

  it('prints no secret of the environment in doctor', async () => {
    const { stdout } = await runCommand(['doctor', '--json'], createSettings());
    expect(stdout).toContain(models.url);
    expect(findLeaks(stdout, planted)).toEqual([]);
  });

  it.each([
    ['LONGHAND_MODEL_URL', `http://me:${planted.store}@127.0.0.1:1`, '127.0.0.1:1'],
    ['LONGHAND_MODEL_URL', `me:${planted.store}@127.0.0.1:1`, '127.0.0.1:1'],
    ['LONGHAND_MODEL_URL', `ftp://127.0.0.1:1?key=${planted.store}`, '127.0.0.1:1'],
    ['TEMPORAL_ADDRESS', `me:${planted.store}@127.0.0.1:1`, '127.0.0.1:1'],
    ['LONGHAND_STORE', `mysql://me:${planted.store}@127.0.0.1:1`, 'mysql:'],
    ['LONGHAND_STORE', `postgres://me:${planted.store}@127.0.0.1:99999`, 'postgres://user:password@'],
  ])('prints no secret of an invalid %s: %s', async (name, value, shownPart) => {
    const wrong = createSettings({ [name]: value });
    const started = longhand(['worker', ...module, '--task-queue', `${queue}-none`], wrong);
    // A worker with an optional setting starts anyway.
    const stop = setInterval(
      () => started.readStderr().includes('Worker started for') && started.process.kill('SIGTERM'),
      100,
    );
    const [{ stderr }, doctor] = await Promise.all([started.end, runCommand(['doctor'], wrong)]);
    clearInterval(stop);
    expect(stderr).toContain(shownPart);
    expect(findLeaks(stderr + doctor.stdout + doctor.stderr, planted)).toEqual([]);
  });
});

it('secrets are neither in telemetry nor in the log of the worker', async () => {
  await vi.waitFor(() => expectClean('spans', JSON.stringify(telemetry.spans())), { timeout: 60_000, interval: 200 });
  worker.process.kill('SIGTERM');
  const { stdout, stderr } = await worker.end;
  expect(telemetry.points().length).toBeGreaterThan(0);
  expect(findLeaks(telemetry.raw(), planted)).toEqual([]);
  expectClean('log', stdout + stderr);
  for (const level of ['debug', 'info', 'warn', 'error']) {
    const lines = stderr
      .split('\n')
      .filter((line) => line.includes(`"level":"${level}"`) && line.includes('as a name'));
    expectClean(level, lines);
  }
});

it('secrets are not in the output of a worker that a tool crashes', async () => {
  models.push({ text: 'I crash.', calls: [{ name: 'blab', input: { how: 'crashes' } }] });
  const own = `${queue}-crash`;
  const other = await connect({ address: getTemporalAddress(), taskQueue: own });
  const { chainId: crashed } = await other.start('blabber', 'Crash');
  const { code, stdout, stderr } = await longhand(['worker', ...module, '--task-queue', own], createSettings()).end;
  await other.client.workflow.getHandle(crashed).terminate();
  await other.close();
  expect(code).toBe(1);
  expectClean(
    'crash',
    stdout +
      stderr
        .split('\n')
        .filter((line) => !line.startsWith('{'))
        .join('\n'),
  );
});

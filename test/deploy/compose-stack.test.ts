/**
 * The stack of docker-compose.yml as plain processes, with the image of Longhand as its Dockerfile makes it: a chain through all of
 * it. In the long form only: the image takes a minute or two.
 */

import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { longhand } from '../support/command.js';
import { type MessagesServer, startMessagesServer } from '../support/messages-server.js';
import { acts, answers } from '../support/react-reply.js';

/** Plain JavaScript without types: the members that this test uses. */
interface Stack {
  readonly secretsFolder: string;
  readonly getAddress: (publishedPort: number) => string;
  readonly getPids: () => readonly number[];
  readonly readLog: (service: string, index?: number) => string;
  readonly exec: (service: string, command: readonly string[]) => Promise<{ readonly stdout: string }>;
  readonly restart: (service: string, index: number) => Promise<End>;
  readonly checkHealth: () => Promise<{ readonly checked: number; readonly failed: readonly object[] }>;
  readonly stop: () => Promise<readonly (End & { readonly name: string })[]>;
}

interface End {
  readonly code: number | null;
  readonly signal: string | null;
  readonly killed: boolean;
}

interface Scripts {
  readonly findLack: () => string | null;
  readonly startStack: (options: object) => Promise<Stack>;
  readonly buildImage: (options: object) => Promise<string>;
}

const checkout = fileURLToPath(new URL('../..', import.meta.url));
const load = (name: string) => import(new URL(`../../scripts/compose/${name}.mjs`, import.meta.url).href);
const { findLack, startStack } = (await load('stack')) as Scripts;
const { buildImage } = (await load('build-image')) as Scripts;
const { canIsolate } = (await load('isolation')) as { readonly canIsolate: () => boolean };
const lack = findLack();
/** Only root can restrict services as the file does. */
const isIsolated = lack === null && canIsolate();
const execute = promisify(execFile);
const program = ['node', '/opt/longhand/bin/longhand.js'];

describe.skipIf(lack !== null)(`the stack without containers${lack === null ? '' : ` (skipped: ${lack})`}`, () => {
  let folder: string;
  let model: MessagesServer;
  let stack: Stack;
  let stopped = false;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'longhand-image-'));
    // Slow enough that both workers are restarted while the chain runs.
    const act = (city: string) => ({ ...acts(`I look at ${city}.`, 'get_weather', { city }), chunkDelayMs: 150 });
    const cities = ['Paris', 'Nairobi', 'Paris', 'San Francisco', 'Nairobi', 'Paris'];
    const replies = [...cities.map(act), answers('I have seen enough.', 'Nairobi is the warmest, with 24 °C.')];
    // A call that a restart aborts is made again: each request gets the reply to its own conversation.
    model = await startMessagesServer(({ body }) => replies[countObservations(body.messages)]!);
    const image = await buildImage({ checkout, folder });
    stack = await startStack({
      image,
      env: { ANTHROPIC_API_KEY: 'sk-upstream' },
      // The provider is outside of the stack.
      variables: { litellm: { ANTHROPIC_API_BASE: model.url, NO_PROXY: '127.0.0.1' } },
    });
  }, 1_200_000);

  afterAll(async () => {
    if (!stopped) await stack?.stop();
    await model?.close();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
  });

  it('every health check succeeds as it is written, and the published ports answer', async () => {
    expect(await stack.checkHealth()).toEqual({ checked: 8, failed: [] });
    const ui = await fetch(`http://${stack.getAddress(8233)}/`);
    expect([ui.status, await ui.text()]).toEqual([200, expect.stringContaining('<!doctype html>')]);
    const gateway = await fetch(`http://${stack.getAddress(7700)}/v1/chains`);
    expect(gateway.status).toBe(401);
    const codec = await fetch(`http://${stack.getAddress(8234)}/decode`, { method: 'POST', body: '{"payloads":[]}' });
    expect(codec.status).toBe(401);
  });

  it.runIf(isIsolated)(
    'every service runs without root, without capabilities, on a read-only file system',
    async () => {
      const pids = stack.getPids();
      expect(pids).toHaveLength(8);
      for (const pid of pids) {
        const status = await readFile(`/proc/${pid}/status`, 'utf8');
        const [, user] = /^Uid:\t(\d+)/m.exec(status) ?? [];
        const [, capabilities] = /^CapBnd:\t(\w+)/m.exec(status) ?? [];
        const mounts = await readFile(`/proc/${pid}/mounts`, 'utf8');
        expect([Number(user) > 0, Number(`0x${capabilities}`), /^NoNewPrivs:\t1/m.test(status)]).toEqual([
          true,
          0,
          true,
        ]);
        expect(
          mounts
            .split('\n')
            .find((line) => line.split(' ')[1] === '/')
            ?.split(' ')[3],
        ).toMatch(/^ro/);
      }
    },
  );

  it('a chain that the host starts runs through all services, while both workers are restarted one after the other', async () => {
    const address = stack.getAddress(7233);
    const started = await longhand([
      ...[
        'start',
        'meteorologist',
        'Compare the weather in Paris and Nairobi',
        '--id',
        'compare-1',
        '--address',
        address,
      ],
    ]).end;
    expect([started.code, started.stderr]).toEqual([0, expect.any(String)]);
    await expect.poll(() => model.requests.length).toBeGreaterThan(1);
    expect(await stack.restart('worker', 0)).toMatchObject({ code: 0, killed: false });
    expect(await stack.restart('worker', 1)).toMatchObject({ code: 0, killed: false });

    const { stdout } = await stack.exec('gateway', [
      ...[...program, 'gateway', 'keys', 'create', 'test', '--all-tenants', '--service', '--scope', 'read', '--json'],
    ]);
    const headers = { authorization: `Bearer ${findKey(stdout)}` };
    const gateway = `http://${stack.getAddress(7700)}`;
    await expect
      .poll(async () => (await fetch(`${gateway}/v1/chains/compare-1/result?wait=20`, { headers })).json())
      .toMatchObject({ status: 'ended', outcome: 'success', answer: 'Nairobi is the warmest, with 24 °C.', steps: 7 });
    expect(model.rejected).toEqual([]);

    const events = await fetch(`${gateway}/v1/chains/compare-1/events`, { headers });
    expect(await events.text()).toContain('Nairobi is the warmest');
    await expect
      .poll(async () => JSON.parse((await stack.exec('worker', [...program, 'archive', 'list', '--json'])).stdout))
      .toEqual([expect.objectContaining({ chainId: 'compare-1' })]);
  });

  it('Temporal has the content encrypted, and the codec server decrypts it for a client with the token', async () => {
    const show = (...flags: readonly string[]) =>
      stack.exec('temporal-namespace', [
        'temporal',
        'workflow',
        'show',
        '--workflow-id',
        'compare-1',
        '--output',
        'json',
        ...flags,
      ]);
    const sealed = readPayloads((await show()).stdout);
    expect(sealed).not.toContain('24 °C');
    const token = await readFile(join(stack.secretsFolder, 'codec_token'), 'utf8');
    const codec = ['--codec-endpoint', `http://${stack.getAddress(8234)}`, '--codec-auth', `Bearer ${token}`];
    expect(readPayloads((await show(...codec)).stdout)).toContain('24 °C');
  });

  it('the tasks that prepare databases and namespace change nothing when the stack is started again', async () => {
    await stack.exec('temporal-schema', ['/bin/sh', '/scripts/create-schema.sh']);
    await stack.exec('temporal-namespace', ['/bin/sh', '/scripts/create-namespace.sh']);
    const { stdout } = await stack.exec('temporal-namespace', ['temporal', 'workflow', 'count']);
    expect(stdout).toContain('Total: 1');
  });

  it('no secret is in the environment of a command, in a log or in the arguments of a process', async () => {
    const names = [
      'postgres_password',
      'longhand_db_password',
      'temporal_db_password',
      'codec_token',
      'litellm_master_key',
    ];
    const secrets = await Promise.all(names.map((name) => readFile(join(stack.secretsFolder, name), 'utf8')));
    const services = ['postgres', 'temporal', 'temporal-ui', 'litellm', 'worker', 'gateway', 'codec'];
    const { stdout: processes } = await execute('ps', ['-ww', '-o', 'args=', '-p', stack.getPids().join(',')]);
    const logs = services.map((name) => stack.readLog(name)).join('\n');
    const { stdout: environment } = await stack.exec('worker', ['env']);
    for (const secret of secrets)
      expect([processes, logs, environment].some((text) => text.includes(secret))).toBe(false);
  });

  it('every service ends by its own signal within its time, in reverse order', async () => {
    stopped = true;
    const ends = await stack.stop();
    expect(ends.filter(({ killed }) => killed)).toEqual([]);
    const order = ends.map(({ name }) => name);
    expect(order.indexOf('worker')).toBeLessThan(order.indexOf('temporal'));
    expect(order.indexOf('temporal')).toBeLessThan(order.indexOf('postgres'));
    const own = ends.filter(({ name }) => ['worker', 'gateway', 'codec', 'temporal', 'postgres'].includes(name));
    expect(own.map(({ code }) => code)).toEqual(own.map(() => 0));
  });
});

/** Counts the results of calls in a conversation: the step that its next reply is. */
function countObservations(messages: readonly { readonly role: string; readonly content: unknown }[]): number {
  return [...JSON.stringify(messages).matchAll(/Observation:/g)].length;
}

/** Returns the text of all payloads of a history in JSON. */
function readPayloads(history: string): string {
  const data = [...history.matchAll(/"data": "([^"]*)"/g)].map(([, text = '']) =>
    Buffer.from(text, 'base64').toString(),
  );
  expect(data.length).toBeGreaterThan(10);
  return data.join('\n');
}

function findKey(output: string): string {
  const [key] = /lh_[\w.-]+/.exec(output) ?? [];
  if (key === undefined) throw new Error(`No key in ${output}.`);
  return key;
}

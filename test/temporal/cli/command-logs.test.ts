/** The logs of the built commands: none in `longhand run` by default, one line per entry in `longhand worker`, and no secrets. */

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeLong } from '../../support/budget.js';
import { longhand } from '../../support/command.js';
import { longhandHere } from '../../support/command-here.js';
import { type MessagesServer, startMessagesServer } from '../../support/messages-server.js';
import { slipped } from '../../support/slipped.js';
import { getTemporalAddress } from '../../support/temporal.js';

const opens = { text: 'I open it.', calls: [{ name: 'open_database', input: { name: 'orders' } }] };
const module = ['--module', 'test/support/leaky-agent.ts'];

let models: MessagesServer;
beforeAll(async () => {
  models = await startMessagesServer([]);
});
afterAll(() => models.close());

const createEnv = (more: Readonly<Record<string, string>> = {}) => ({
  TEMPORAL_ADDRESS: getTemporalAddress(),
  LONGHAND_MODEL_URL: models.url,
  ...more,
});
const createQueueFlag = () => ['--task-queue', `test-${randomUUID()}`];

function expectNoSecret(text: string): void {
  for (const secret of Object.values(slipped)) expect(text).not.toContain(secret);
}

const rejected = { status: 401, error: { type: 'authentication_error', message: 'invalid key' } };

// In the short form, the unreachable collector below shows that nothing else is logged.
describeLong('longhand run without a log level', () => {
  it('logs nothing when a chain fails', async () => {
    models.push(opens, rejected);
    const { code, stdout, stderr } = await longhand(
      ['run', 'clerk', 'Open it', ...module, ...createQueueFlag()],
      createEnv(),
    ).end;
    expect(code).toBe(1);
    expect(stdout).toContain('open_database');
    // A busy machine adds lines of its own.
    const lines = stderr.split('\n').filter((line) => !line.includes('The event loop was blocked'));
    expect(lines.join('\n')).toMatch(/^Chain clerk-[-0-9a-f]+\n$/);
  });
});

describe('longhand run', () => {
  it('prints the masked log of tools at log level info', async () => {
    models.push(opens, rejected);
    const environment = createEnv({ LONGHAND_LOG_LEVEL: 'info' });
    const { stderr } = await longhand(['run', 'clerk', 'Open it', ...module, ...createQueueFlag()], environment).end;
    expect(stderr).toMatch(
      /INFO {2}Opening \(chain clerk-[-0-9a-f]+, step 1, call 1\.1, open_database\) \{"name":"orders",/,
    );
    expectNoSecret(stderr);
  });
});

describe('a collector that does not answer', () => {
  it('is reported in one line and does not affect the chain', async () => {
    models.push({ text: 'Nothing to open.' });
    const environment = createEnv({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' });
    const { code, stderr } = await longhand(['run', 'clerk', 'Open it', ...module, ...createQueueFlag()], environment)
      .end;
    expect(code).toBe(0);
    expect(stderr).toMatch(/^Chain clerk-[-0-9a-f]+\n[\d:]+ WARN {2}OpenTelemetry: The collector does not answer.*\n$/);
  });
});

describe('longhand worker', () => {
  it('logs one line of JSON per entry, with chain, step and call and without secrets', async () => {
    const busy = { status: 503, error: { type: 'api_error', message: `No room for ${slipped.key}` } };
    models.push(opens, busy, { text: 'It cannot be opened.' });
    const queue = createQueueFlag();
    const id = `chain-${randomUUID()}`;
    const worker = longhand(['worker', ...module, ...queue], createEnv());
    const start = ['start', 'clerk', 'Open it', '--id', id, '--wait', '--json', ...queue];
    expect(JSON.parse((await longhandHere(start, createEnv())).stdout)).toMatchObject({ outcome: 'success' });
    worker.process.kill('SIGTERM');
    const { stderr } = await worker.end;
    expectNoSecret(stderr);
    const lines: Record<string, unknown>[] = stderr
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const place = { chainId: id, step: 1, call: '1.1', activity: 'open_database' };
    expect(lines.find(({ msg }) => msg === 'Opening')).toMatchObject({
      level: 'info',
      ...place,
      name: 'orders',
      password: '[redacted:secret]',
    });
    expect(lines.find(({ msg }) => msg === 'Activity failed')).toMatchObject({
      level: 'warn',
      ...place,
      error: { type: 'ToolError', message: 'Refused: the key [redacted:api-key] is not known' },
    });
    expect(lines.find(({ msg }) => msg === 'Call of the model failed')).toMatchObject({
      level: 'warn',
      chainId: id,
      step: 2,
      activity: 'longhand.callModel',
      error: { type: 'server_error', message: expect.stringContaining('No room for [redacted:api-key]') },
    });
    expect(lines.every(({ time, level }) => typeof time === 'string' && typeof level === 'string')).toBe(true);
    expect(stderr).not.toContain('"stack"');
  });
});

/** Invalid input is a usage error; other errors are thrown unchanged. */

import { once } from 'node:events';
import { createServer } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UsageError } from '../../../src/cli/flags/usage-error.js';
import { startReply } from '../../../src/cli/run/reply.js';
import { startWithUsageErrors } from '../../../src/cli/run/start.js';
import { connect, type Longhand } from '../../../src/client/connect.js';
import {
  ChainExistsError,
  ChainRunningError,
  ForkError,
  InvalidInputError,
} from '../../../src/client/errors/errors.js';
import type { StartOptions } from '../../../src/entries/client.js';
import { matchError } from '../../support/match-error.js';

/** A server that has no method: a start that reaches it fails with another error. */
const server = createServer().on('stream', (stream) => {
  stream.respond({ 'content-type': 'application/grpc', 'grpc-status': '12' }, { endStream: true });
});
let connection: Connection;
let longhand: Longhand;
beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  connection = Connection.lazy({ address: `127.0.0.1:${(server.address() as AddressInfo).port}` });
  longhand = await connect({ connection });
});
afterAll(async () => {
  await longhand.close();
  await connection.close();
  server.close();
});

function startNamed(agent: string, task: string, options: StartOptions = {}): Promise<unknown> {
  return startWithUsageErrors(() => longhand.start(agent, task, options));
}

describe('invalid input is a usage error', () => {
  it.each<[string, string, StartOptions, string]>([
    ['', 'Find it', {}, "The agent's name is empty."],
    ['clerk@2.0.0', 'Find it', {}, 'a start names no version'],
    ['clerk', ' ', {}, 'The task is empty'],
    ['clerk', 'x'.repeat(3_000_000), {}, 'Store long content where a tool can read it.'],
    ['clerk', 'Find it', { chainId: 'x'.repeat(2_000) }, "has 2000 bytes; Temporal's limit is 1000."],
    ['clerk', 'Find it', { limits: { steps: 0 } }, 'limits.steps must be a whole number from 1.'],
  ])('%j', async (agent, task, options, message) => {
    const start = startNamed(agent, task, options);
    await expect(start).rejects.toThrow(matchError('usage', message));
  });

  it('an impossible fork', async () => {
    const error = new ForkError('There is no such step.');
    await expect(startWithUsageErrors(() => Promise.reject(error))).rejects.toEqual(new UsageError(error.message));
  });
});

it('a taken id is no usage error: the error names the flag and keeps its code', async () => {
  const start = startWithUsageErrors(() => Promise.reject(new ChainExistsError('order-7')));
  const message = 'Chain order-7 already exists. Choose another --id.';
  await expect(start).rejects.toThrow(matchError('chain_exists', message));
});

it('a reply that another message preceded is rejected without advice about an id that no person chose', async () => {
  const error = new ChainExistsError('chat-7~2', 'Another message was sent first. Wait for its end, then send again.');
  await expect(startReply(() => Promise.reject(error))).rejects.toBe(error);
});

it('a reply to a chain that runs is rejected with commands that contain its id', async () => {
  await expect(startReply(() => Promise.reject(new ChainRunningError('chat-7~2')))).rejects.toThrow(
    matchError('chain_running', 'Commands: longhand steer chat-7~2 "…", longhand chain watch chat-7~2.'),
  );
});

it('an invalid reply is a usage error', async () => {
  const start = startReply(() => Promise.reject(new InvalidInputError('Invalid limit.')));
  await expect(start).rejects.toEqual(new UsageError('Invalid limit.'));
});

it.each([
  new TypeError("Cannot read properties of undefined (reading 'name')"),
  new RangeError('Maximum call stack size exceeded'),
  new Error('14 UNAVAILABLE'),
])('another error is thrown unchanged: %s', async (fault) => {
  await expect(startWithUsageErrors(() => Promise.reject(fault))).rejects.toBe(fault);
});

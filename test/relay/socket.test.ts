/** The relay through local sockets: real processes publish, and are killed. */

import { once } from 'node:events';
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { isInterimPiece, type TokenPiece } from '../../src/contract/tokens.js';
import { formatRequest } from '../../src/relay/piece-frame.js';
import { openSocketPublisher, type SocketPublisher } from '../../src/relay/socket-publisher.js';
import { createSocketSubscriber } from '../../src/relay/socket-subscriber.js';
import { startProcess } from '../support/store-process.js';

const publisherModule = new URL('./socket-process.ts', import.meta.url);
const subscriberModule = new URL('./follower-process.ts', import.meta.url);

let folder: string;
const closers: (() => unknown)[] = [];
beforeEach(() => {
  folder = join(mkdtempSync(join(tmpdir(), 'longhand-relay-')), 'sockets');
});
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
  rmSync(join(folder, '..'), { recursive: true, force: true });
});

const piece = (chainId: string, offset: number, text: string): TokenPiece => {
  return { chainId, runId: 'r', step: 1, call: 'model-1', offset, text };
};

async function publisher(): Promise<SocketPublisher> {
  const opened = await openSocketPublisher(folder);
  closers.push(opened.close);
  return opened;
}

function subscribe(chainId: string): TokenPiece[] {
  const received: TokenPiece[] = [];
  closers.push(
    createSocketSubscriber(folder).subscribe(chainId, (each) => isInterimPiece(each) || received.push(each)),
  );
  return received;
}

/** Publishes to the chain until the follower receives a piece: then it is connected. */
async function waitUntilConnected(from: SocketPublisher, chainId: string, received: readonly TokenPiece[]) {
  await vi.waitFor(() => {
    from.publish(piece(chainId, 0, '.'));
    expect(received).not.toHaveLength(0);
  });
}

/** Starts a process that publishes to the chain, again and again. */
async function startPublisher(chainId: string, text: string) {
  const child = await startProcess(publisherModule, [folder, chainId, text]);
  closers.push(() => child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

describe('the socket of a worker', () => {
  it('carries the pieces of a chain to the followers of that chain only', async () => {
    const worker = await publisher();
    const [one, again, other] = [subscribe('chain\n1'), subscribe('chain\n1'), subscribe('chain-2')];
    await waitUntilConnected(worker, 'chain\n1', one);
    await waitUntilConnected(worker, 'chain\n1', again);
    await waitUntilConnected(worker, 'chain-2', other);
    worker.publish(piece('chain\n1', 1, 'Über\nzwei Zeilen'));
    for (const received of [one, again])
      await vi.waitFor(() => expect(received.at(-1)).toEqual(piece('chain\n1', 1, 'Über\nzwei Zeilen')));
    expect(other.every(({ chainId }) => chainId === 'chain-2')).toBe(true);
  });

  it('admits only the user of the worker, also in a folder that others could enter before', async () => {
    await (await openSocketPublisher(folder)).close();
    chmodSync(folder, 0o777);
    await publisher();
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    const [name = ''] = readdirSync(folder);
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
  });

  it('is removed when the worker closes', async () => {
    await (await openSocketPublisher(folder)).close();
    expect(readdirSync(folder)).toEqual([]);
  });

  it('drops pieces for a follower that does not read, which sees the gap, and never waits for it', async () => {
    const worker = await publisher();
    const [name = ''] = readdirSync(folder);
    const slow = connect(join(folder, name));
    closers.push(() => slow.destroy());
    await once(slow, 'connect');
    slow.write(formatRequest('chain-1'));
    const fast = subscribe('chain-1');
    await waitUntilConnected(worker, 'chain-1', fast);
    const text = 'x'.repeat(10_000);
    const count = 400;
    for (let at = 0; at < count; at += 1) {
      worker.publish(piece('chain-1', 1 + at * text.length, text));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await vi.waitFor(() => expect(fast.at(-1)?.offset).toBe(1 + (count - 1) * text.length));
    let bytes = 0;
    slow.on('data', (data) => (bytes += data.length));
    await vi.waitFor(() => expect(bytes).toBeGreaterThan(100_000));
    await new Promise((resolve) => setTimeout(resolve, 200));
    expect(bytes).toBeLessThan((count * text.length) / 2);
    // The follower is served again once it reads.
    const before = bytes;
    worker.publish(piece('chain-1', 1 + count * text.length, 'end'));
    await vi.waitFor(() => expect(bytes).toBeGreaterThan(before));
  });

  it('closes a connection that requests no chain', async () => {
    await publisher();
    const [name = ''] = readdirSync(folder);
    for (const request of ['no request\n', 'x'.repeat(100_000)]) {
      const socket = connect(join(folder, name));
      const closed = new Promise((resolve) => socket.on('error', () => {}).on('close', resolve));
      socket.resume().write(request);
      await closed;
    }
  });
});

describe('followers in other processes than the workers', () => {
  it('receive the pieces of two workers at once', async () => {
    const received = subscribe('chain-1');
    await startPublisher('chain-1', 'first');
    await startPublisher('chain-1', 'second');
    await vi.waitFor(() => {
      expect(new Set(received.map(({ text }) => text))).toEqual(new Set(['first', 'second']));
    });
  });

  it('receive the pieces of the next worker after a worker was killed, whose socket is removed', async () => {
    const received = subscribe('chain-1');
    const doomed = await startPublisher('chain-1', 'first');
    await vi.waitFor(() => expect(received.at(-1)?.text).toBe('first'));
    const [stale = ''] = readdirSync(folder);
    doomed.kill('SIGKILL');
    await once(doomed, 'exit');
    expect(readdirSync(folder)).toEqual([stale]);
    await startPublisher('chain-1', 'second');
    await vi.waitFor(() => expect(received.at(-1)?.text).toBe('second'));
    expect(readdirSync(folder)).toHaveLength(1);
    expect(readdirSync(folder)).not.toContain(stale);
  });

  it('do not harm a worker when they are killed', async () => {
    const worker = await publisher();
    const survivor = subscribe('chain-1');
    await waitUntilConnected(worker, 'chain-1', survivor);
    const doomed = await startProcess(subscriberModule, [folder, 'chain-1']);
    const output = once(doomed.stdout, 'data');
    const timer = setInterval(() => worker.publish(piece('chain-1', 1, 'on ')), 5);
    closers.push(() => clearInterval(timer));
    await output;
    doomed.kill('SIGKILL');
    await once(doomed, 'exit');
    const before = survivor.length;
    await vi.waitFor(() => expect(survivor.length).toBeGreaterThan(before + 10));
  });
});

it('ignores a file that is no socket, and lines that are no pieces of the chain', async () => {
  const worker = await publisher();
  writeFileSync(join(folder, '99999999-file.sock'), 'no socket');
  const received = subscribe('chain-1');
  await waitUntilConnected(worker, 'chain-1', received);
  worker.publish({ ...piece('chain-1', 1, 'x'), offset: -1 });
  worker.publish(piece('chain-1', 1, 'good'));
  await vi.waitFor(() => expect(received.at(-1)?.text).toBe('good'));
  expect(received.every(({ offset }) => offset >= 0)).toBe(true);
});

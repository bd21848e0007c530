/** The relay as a whole: what switches it off, and what a worker does without a socket. */

import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createTokenChannel, isInterimPiece, type TokenPiece } from '../../src/contract/tokens.js';
import { openTokenPublisher } from '../../src/relay/publisher.js';
import { getSocketFolder } from '../../src/relay/socket-folder.js';
import { openSocketPublisher } from '../../src/relay/socket-publisher.js';
import { createSocketSubscriber } from '../../src/relay/socket-subscriber.js';
import { createTokenSubscriber } from '../../src/relay/subscriber.js';

const piece: TokenPiece = { chainId: 'c', runId: 'r', step: 1, call: 'model-1', offset: 0, text: 'It rains' };
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-relay-'));
});
afterEach(() => {
  rmSync(folder, { recursive: true, force: true });
});

const worker = { encryption: null, namespaceId: 'space', store: null };
const follower = { encryption: null, store: null, findNamespaceId: async () => 'space' };

it('carries pieces to a follower without a channel, and to the channel of the same process', async () => {
  const env = { XDG_DATA_HOME: folder };
  const tokens = createTokenChannel();
  const warn = vi.fn();
  const publisher = await openTokenPublisher({ ...worker, tokens, env, warn });
  const received: string[] = [];
  const stops = [tokens, createTokenSubscriber({ ...follower, tokens: undefined, env })].map((each, at) =>
    each?.subscribe('c', () => received.push(`${at}`)),
  );
  await vi.waitFor(() => {
    publisher?.publish(piece);
    expect(new Set(received)).toEqual(new Set(['0', '1']));
  });
  for (const stop of stops) stop?.();
  await publisher?.close();
  expect(warn).not.toHaveBeenCalled();
});

it('is switched off by `tokens: false` and by LONGHAND_TOKENS=off, which leaves a channel in this process', async () => {
  const on = { XDG_DATA_HOME: folder };
  const off = { ...on, LONGHAND_TOKENS: 'off' };
  const tokens = createTokenChannel();
  const warn = vi.fn();
  expect(await openTokenPublisher({ ...worker, tokens: false, env: on, warn })).toBeNull();
  expect(await openTokenPublisher({ ...worker, tokens: undefined, env: off, warn })).toBeNull();
  expect(createTokenSubscriber({ ...follower, tokens: false, env: on })).toBeNull();
  expect(createTokenSubscriber({ ...follower, tokens, env: off })).toBe(tokens);
  const received: TokenPiece[] = [];
  tokens.subscribe('c', (each) => isInterimPiece(each) || received.push(each));
  (await openTokenPublisher({ ...worker, tokens, env: off, warn }))?.publish(piece);
  expect(received).toEqual([piece]);
  expect(readdirSync(folder)).toEqual([]);
});

it('rejects another value of LONGHAND_TOKENS', () => {
  expect(() => createTokenSubscriber({ ...follower, tokens: undefined, env: { LONGHAND_TOKENS: 'no' } })).toThrow(
    'Invalid LONGHAND_TOKENS "no". Use on or off.',
  );
});

it('warns where the socket cannot be created, and the worker runs', async () => {
  writeFileSync(join(folder, 'file'), '');
  const warn = vi.fn();
  const env = { XDG_DATA_HOME: join(folder, 'file') };
  const publisher = await openTokenPublisher({ ...worker, tokens: undefined, env, warn });
  publisher?.publish(piece);
  await publisher?.close();
  expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('LONGHAND_TOKENS=off'));
});

/** A data folder whose path is longer than that of a socket may be. */
function createLongFolder() {
  const env = { XDG_DATA_HOME: join(folder, 'x'.repeat(120)) };
  const sockets = getSocketFolder('space', env);
  rmSync(sockets, { recursive: true, force: true });
  return { env, sockets };
}

it('carries pieces in a data folder of any length, through a short folder that only the user may enter', async () => {
  const { env, sockets } = createLongFolder();
  const warn = vi.fn();
  const publisher = await openTokenPublisher({ ...worker, tokens: undefined, env, warn });
  const received: TokenPiece[] = [];
  const stop = createTokenSubscriber({ ...follower, tokens: undefined, env })?.subscribe(
    'c',
    (each) => isInterimPiece(each) || received.push(each),
  );
  await vi.waitFor(() => {
    publisher?.publish(piece);
    expect(received[0]).toEqual(piece);
  });
  expect(warn).not.toHaveBeenCalled();
  expect(statSync(sockets).mode & 0o777).toBe(0o700);
  expect(getSocketFolder('other', env)).not.toBe(sockets);
  expect(getSocketFolder('space', { XDG_DATA_HOME: `${env.XDG_DATA_HOME}y` })).not.toBe(sockets);
  stop?.();
  await publisher?.close();
  rmSync(sockets, { recursive: true });
});

it('uses no folder among the temporary files that another user could control', async () => {
  const { env, sockets } = createLongFolder();
  const theirs = join(folder, 'theirs');
  mkdirSync(theirs);
  symlinkSync(theirs, sockets);
  const warn = vi.fn();
  const publisher = await openTokenPublisher({ ...worker, tokens: undefined, env, warn });
  expect(warn).toHaveBeenCalledExactlyOnceWith(expect.stringContaining('belongs to another user, or is a link'));
  await publisher?.close();
  expect(readdirSync(theirs)).toEqual([]);
  const forger = await openSocketPublisher(theirs);
  const received: unknown[] = [];
  const stops = [sockets, theirs].map((each, at) =>
    createSocketSubscriber(each).subscribe('c', () => received.push(at)),
  );
  await vi.waitFor(() => {
    forger.publish(piece);
    expect(received.length).toBeGreaterThan(3);
  });
  expect(new Set(received)).toEqual(new Set([1]));
  for (const stop of stops) stop();
  await forger.close();
  rmSync(sockets);
});

/** Streams end when their credential is no longer valid, and not when it cannot be checked. */

import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { Authenticate } from '../../../src/gateway/identity/authenticate.js';
import { localIdentity } from '../../../src/gateway/identity/local.js';
import { createCredentialWatch } from '../../../src/gateway/identity/watch-credential.js';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const ana = { ...localIdentity, id: 'key ana' };

function watch(answer: () => ReturnType<Authenticate>) {
  const gone = new AbortController();
  const closed = new AbortController();
  let checks = 0;
  const identify: Authenticate = async () => {
    checks += 1;
    return answer();
  };
  const request = new Request('http://localhost/', { signal: gone.signal });
  const signal = createCredentialWatch({ identify })(request, ana, closed.signal);
  return { signal, gone, closed, countChecks: () => checks };
}

it.each([
  ['revoked', { reason: 'revoked' }],
  ['expired', { reason: 'expired' }],
  ['missing, as a session that ended', null],
  ['that of another caller', { ...ana, id: 'key bob' }],
] as const)('ends a stream whose credential is %s', async (_, answer) => {
  let found: Awaited<ReturnType<Authenticate>> = ana;
  const { signal, countChecks } = watch(async () => found);
  await vi.advanceTimersByTimeAsync(90_000);
  expect([signal.aborted, countChecks()]).toEqual([false, 3]);
  found = answer;
  await vi.advanceTimersByTimeAsync(30_000);
  expect(signal.aborted).toBe(true);
  await vi.advanceTimersByTimeAsync(90_000);
  expect(countChecks()).toBe(4);
});

it('keeps a stream while the credential cannot be checked', async () => {
  const failing = watch(async () => {
    throw new Error('no store');
  });
  const unavailable = watch(async () => ({ reason: 'unavailable' }));
  await vi.advanceTimersByTimeAsync(300_000);
  expect([failing.signal.aborted, unavailable.signal.aborted]).toEqual([false, false]);
});

it.each(['gone', 'closed'] as const)('checks no more when the client or the stream is %s', async (end) => {
  // Work of another file in this process may have timers too.
  const timers = vi.getTimerCount();
  const { signal, countChecks, ...ends } = watch(async () => ana);
  expect(vi.getTimerCount()).toBe(timers + 1);
  ends[end].abort();
  expect(vi.getTimerCount()).toBe(timers);
  expect(signal.aborted).toBe(end === 'gone');
  await vi.advanceTimersByTimeAsync(90_000);
  expect(countChecks()).toBe(0);
});

it('keeps nothing of a stream that has ended', async () => {
  vi.useRealTimers();
  const identify: Authenticate = async () => ana;
  const watchCredential = createCredentialWatch({ identify });
  const watchAndClose = () => {
    const request = new Request('http://localhost/', { signal: new AbortController().signal });
    const closed = new AbortController();
    const signal = watchCredential(request, ana, closed.signal);
    const leave = () => {};
    signal.addEventListener('abort', leave);
    closed.abort();
    signal.removeEventListener('abort', leave);
    return new WeakRef(request);
  };
  const requests = Array.from({ length: 1_000 }, watchAndClose);
  const countKept = async () => {
    // A WeakRef keeps its target until the end of the turn that read it.
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
    return requests.filter((request) => request.deref() !== undefined).length;
  };
  await expect.poll(countKept).toBe(0);
});

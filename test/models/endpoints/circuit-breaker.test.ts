/** Circuits over the real wire: an endpoint that fails is left alone, and called again when its probe succeeds. */

import { expect, it } from 'vitest';
import { anthropicProvider } from '../../../src/models/anthropic/provider.js';
import { breakCircuits, Circuits } from '../../../src/models/endpoints/circuit-breaker.js';
import { callProvider, serve, toFailure, toReply } from '../call.js';

const rules = { failures: 2, pauseMs: 5_000, longestPauseMs: 60_000 };
const overload = { status: 529, error: { type: 'overloaded_error', message: 'Overloaded' } };

it('an endpoint that is out of order gets no requests until its pause is over, and then one', async () => {
  let now = 0;
  const server = await serve([overload, overload, overload, { text: 'It rains.' }, { text: 'It pours.' }]);
  const circuits = new Circuits(rules, () => now);
  const provider = breakCircuits(anthropicProvider({ baseURL: server.url, apiKey: 'test' }), circuits);
  const call = () => callProvider(provider);
  for (let failed = 0; failed < 2; failed += 1) expect(toFailure(await call()).kind).toBe('overloaded');
  now = 1_000;
  const refused = toFailure(await call());
  expect(refused).toMatchObject({ kind: 'circuit_open', settle: 'nothing', retryAfterMs: 4_000 });
  expect(refused.message).toContain('in a row (Overloaded): no call is made for 4 s');
  expect(server.requests).toHaveLength(2);
  now = 5_000;
  const [probe, other] = await Promise.all([call(), call()]);
  expect([toFailure(probe).kind, toFailure(other).kind].sort()).toEqual(['circuit_open', 'overloaded']);
  expect(server.requests).toHaveLength(3);
  now = 15_000;
  expect(toReply(await call()).content).toEqual([{ type: 'text', text: 'It rains.' }]);
  expect(toReply(await call()).content).toEqual([{ type: 'text', text: 'It pours.' }]);
});

it('an outage of one model leaves the others of its provider alone', async () => {
  const server = await serve((request) => (request.body.model === 'slow' ? overload : { text: 'It rains.' }));
  const circuits = new Circuits(rules, () => 0);
  const provider = breakCircuits(anthropicProvider({ baseURL: server.url, apiKey: 'test' }), circuits);
  const call = (id: string) => callProvider(provider, { model: { id } });
  for (let failed = 0; failed < 2; failed += 1) await call('slow');
  expect(toFailure(await call('slow')).kind).toBe('circuit_open');
  expect(toReply(await call('fast')).content).toEqual([{ type: 'text', text: 'It rains.' }]);
});

it('a rejected key or request opens no circuit', async () => {
  const rejected = { status: 401, error: { type: 'authentication_error', message: 'invalid x-api-key' } };
  const server = await serve(Array.from({ length: 4 }, () => rejected));
  const circuits = new Circuits(rules, () => 0);
  const provider = breakCircuits(anthropicProvider({ baseURL: server.url, apiKey: 'test' }), circuits);
  for (let call = 0; call < 4; call += 1) expect(toFailure(await callProvider(provider)).kind).toBe('authentication');
});

/** The fact of an operation whose worker lacked the agent or the tool. */

import { expect, it } from 'vitest';
import { toActivityFact } from '../../src/contract/facts.js';
import { failureTypes } from '../../src/contract/names.js';
import type { Json } from '../../src/index.js';

const toFact = (details: Json) => {
  const failure = { type: failureTypes.unknownAgent, message: 'This worker has no agent.', timeoutType: null, details };
  return toActivityFact('prepare', 5, { ok: false, failure });
};

it('a worker without the agent reports that the server knows the search attributes, so that the chain sets them', () => {
  const requeued = { type: 'requeued', at: 5, activity: 'prepare' };
  expect(toFact({ searchAttributes: 'registered' })).toEqual({ ...requeued, searchAttributes: 'registered' });
  expect(toFact({ provider: 'openai' })).toEqual({ ...requeued, provider: 'openai' });
  expect(toFact({ agents: ['clerk', 'cook'], nowhere: true })).toEqual({
    ...requeued,
    agents: ['clerk', 'cook'],
    nowhere: true,
  });
  expect(toFact({ agents: Array.from({ length: 50 }, (_, at) => `a${at}`) })).toMatchObject({
    agents: Array.from({ length: 10 }, (_, at) => `a${at}`),
  });
  expect(toFact({ agents: ['clerk', 7], nowhere: 'true' })).toEqual(requeued);
  expect(toFact({ source: 'files' })).toEqual({ ...requeued, source: 'files' });
});

it.each([null, 'registered', { searchAttributes: 'x'.repeat(9_000) }, ['registered']])(
  'the fact contains no other details of the failure: %j',
  (details) => {
    expect(toFact(details)).toEqual({ type: 'requeued', at: 5, activity: 'prepare' });
  },
);

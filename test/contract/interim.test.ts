/** Interim results in the details of heartbeats, beside what a tool sends of its own. */

import { expect, it } from 'vitest';
import { formatHeartbeatDetails, parseHeartbeatDetails, parseInterimResult } from '../../src/contract/interim.js';

it('the details of a heartbeat are those of the tool until it emits, and then both', () => {
  expect(formatHeartbeatDetails({ progress: { pages: 5 }, interim: null })).toEqual({ pages: 5 });
  const interim = { attempt: 2, interim: { value: ['a'] } };
  const both = formatHeartbeatDetails({ progress: { pages: 5 }, interim });
  expect(parseHeartbeatDetails(JSON.parse(JSON.stringify(both)))).toEqual({ progress: { pages: 5 }, interim });
  expect(parseHeartbeatDetails(formatHeartbeatDetails({ progress: undefined, interim }))).toMatchObject({ interim });
});

it.each([undefined, null, 'text', 7, [1], { longhandInterim: 'text' }, { pages: 5 }])(
  'details of a tool, %j, are no interim result',
  (details) => {
    expect(parseHeartbeatDetails(details)).toEqual({ progress: details, interim: null });
  },
);

it('an interim result that is too large, too deep or no object is rejected, and an unknown level hides', () => {
  expect(parseInterimResult('text')).toBeNull();
  expect(parseInterimResult({})).toBeNull();
  expect(parseInterimResult({ value: 'x'.repeat(5_000) })).toBeNull();
  expect(parseInterimResult({ value: JSON.parse('['.repeat(900) + ']'.repeat(900)) })).toBeNull();
  expect(parseInterimResult({ value: 1, visibility: { level: 'full' } })).toEqual({
    value: 1,
    visibility: { level: 'hidden' },
  });
  expect(parseInterimResult({ value: null, visibility: { level: 'summary', summary: 'x' } })).toEqual({
    value: null,
    visibility: { level: 'summary' },
  });
});

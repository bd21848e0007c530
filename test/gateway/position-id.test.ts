/** Ids of events: a position there and back, and nothing else. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { formatPositionId, parsePositionId } from '../../src/gateway/streams/position-id.js';

const runId = '0193a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b';

it('is parsed to the same position', () => {
  const number = fc.nat({ max: 999_999_999_999_999 });
  fc.assert(
    fc.property(fc.uuid(), number, number, (run, eventId, item) => {
      const position = { runId: run, eventId, item };
      expect(parsePositionId(formatPositionId(position))).toEqual(position);
    }),
  );
});

it.each([
  '',
  runId,
  `${runId}.1`,
  `${runId}.1.2.3`,
  `${runId}.01.2`,
  `${runId}.-1.2`,
  `${runId}.1e3.2`,
  `${runId}.1.2\n`,
  ` ${runId}.1.2`,
  `${runId}.9999999999999999.0`,
  `${runId.toUpperCase()}.1.2`,
  'x.1.2',
])('rejects %j', (id) => {
  expect(() => parsePositionId(id)).toThrow(expect.objectContaining({ code: 'invalid_cursor' }));
});

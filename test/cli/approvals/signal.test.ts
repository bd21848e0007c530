/** A signal that no call waits for is kept: the sender sees what the chain waits for. */

import { expect, it } from 'vitest';
import { formatKept } from '../../../src/cli/approvals/signal.js';

const until = 0;

it.each([
  ['the signals that it waits for', [{ call: '1.1', kind: 'signal', signal: 'build-done', until }], 'build-done'],
  ['no name that the reader may not see', [{ call: '1.1', kind: 'signal', signal: null, until }], 'another signal'],
] as const)('a kept signal is reported with %s', (_, waits, named) => {
  expect(formatKept(waits)).toBe(`kept: the chain waits for ${named}`);
});

it('a kept signal is reported without a name while no call waits for a signal', () => {
  expect(formatKept([{ call: '1.1', kind: 'time', signal: null, until }])).toBe(
    'kept: no call of the chain waits for a signal yet',
  );
});

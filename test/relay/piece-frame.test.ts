/** Pieces as JSON: other programs may send anything to a socket or as a notification. */

import { describe, expect, it } from 'vitest';
import type { InterimPiece, LivePiece } from '../../src/contract/tokens.js';
import { createFixedKeySource, createMasterKeys } from '../../src/encryption/master-keys.js';
import { createSealer } from '../../src/encryption/sealer.js';
import { formatPiece, parsePiece } from '../../src/relay/piece-frame.js';
import { formatPayload } from '../../src/relay/postgres-channel.js';

const token: LivePiece = { chainId: 'c', runId: 'r', step: 1, call: 'model-1', offset: 0, text: 'It rains' };
const piece: InterimPiece = {
  ...{ chainId: 'c', runId: 'r', step: 3, call: '3.1', tool: 'count', attempt: 2, sequence: 7 },
  interim: { value: { rows: [1, null, 'ü\n'] }, visibility: { level: 'summary' } },
};

describe('a piece', () => {
  it.each<LivePiece>([token, piece, { ...piece, interim: null }, { ...piece, interim: { value: null } }])(
    'is the same after its way as JSON: %j',
    (each) => {
      expect(parsePiece(formatPiece(each), 'c')).toEqual(each);
      expect(parsePiece(formatPiece(each), 'other')).toBeNull();
    },
  );

  it.each([
    { ...piece, interim: 'text' },
    { ...piece, interim: { value: 'x'.repeat(10_000) } },
    { ...piece, attempt: -1 },
    { ...piece, sequence: 'one' },
    { ...piece, tool: null },
    { ...token, offset: undefined },
    { ...token, text: 7 },
  ])('is rejected if it is invalid: %#', (value) => {
    expect(parsePiece(JSON.stringify(value), 'c')).toBeNull();
  });

  it('with the largest interim result fits into a notification of Postgres, also sealed', () => {
    const sealer = createSealer(createFixedKeySource(createMasterKeys(new Date())), Date.now, 'tokens');
    const largest: InterimPiece = {
      ...piece,
      ...{ runId: 'r'.repeat(36), call: '1000.200', tool: 't'.repeat(64), sequence: 1_000_000_000 },
      interim: { value: 'x'.repeat(2_046), visibility: { level: 'summary' } },
    };
    expect(formatPayload(largest, null).length).toBeLessThan(8_000);
    expect(formatPayload(largest, sealer).length).toBeLessThan(8_000);
  });
});

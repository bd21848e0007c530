/** L7: bytes that no converter reads are a value like any other, the same for the workflow and for readers (L1). */

import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import { describe, expect, it } from 'vitest';
import { undecodable } from '../../../src/contract/lenient-payloads.js';
import { readMessage } from '../../../src/contract/messages.js';
import { messageNames } from '../../../src/contract/names.js';
import { firstValue } from '../../../src/history/payload.js';
import { payloadConverter } from '../../../src/workflows/payload-converter.js';

const payload = (encoding: string, data: string): Payload => ({
  metadata: { encoding: Buffer.from(encoding) },
  data: Buffer.from(data),
});
const converter = loadDataConverter({});

describe('a payload that cannot be decoded', () => {
  it.each([
    ['an unknown encoding', payload('foo/bar', '1')],
    ['JSON that is none', payload('json/plain', '{')],
    ['no encoding', { data: Buffer.from('1') } as Payload],
  ])('is the same text for the workflow and for its readers (%s)', async (_what, given) => {
    expect(payloadConverter.fromPayload(given)).toBe(undecodable);
    expect(await firstValue(converter, [given])).toBe(undecodable);
  });

  it('is still an error where it is sealed: the key may come', async () => {
    const sealed = payload('binary/longhand-sealed', '1');
    expect(() => payloadConverter.fromPayload(sealed)).toThrow();
    await expect((async () => firstValue(converter, [sealed]))()).rejects.toThrow('LONGHAND_ENCRYPTION_KEYS');
  });

  it('is no message to a chain', () => {
    expect(readMessage(messageNames.steer, undecodable, null)).toMatchObject({ direction: { kind: 'unreadable' } });
  });

  it('changes nothing for what can be decoded', () => {
    const value = { a: [1, null, 'ü'] };
    expect(payloadConverter.fromPayload(payloadConverter.toPayload(value))).toEqual(value);
    expect(payloadConverter.toPayload(value)).toEqual(defaultPayloadConverter.toPayload(value));
  });
});

/** L7: bytes that no converter decodes are replaced by one value, the same for the workflow and for readers (L1). */

import { defaultPayloadConverter, type Payload, type ProtoFailure } from '@temporalio/common';
import { loadDataConverter } from '@temporalio/common/lib/internal-non-workflow/index.js';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toFailure } from '../../../src/contract/failure.js';
import { parseMessage } from '../../../src/contract/messages.js';
import { messageNames } from '../../../src/contract/names.js';
import { undecodable } from '../../../src/contract/payloads.js';
import { decodeFirstValue, toLenientConverter } from '../../../src/history/payload.js';
import { failureConverter } from '../../../src/workflows/failure-converter.js';
import { payloadConverter } from '../../../src/workflows/payload-converter.js';
import { budget } from '../../support/budget.js';
import { matchError } from '../../support/match-error.js';

const payload = (encoding: string, data: string): Payload => ({
  metadata: { encoding: Buffer.from(encoding) },
  data: Buffer.from(data),
});
const converter = loadDataConverter({});

describe('a failure that cannot be decoded', () => {
  const failure = {
    message: 'x',
    applicationFailureInfo: { type: 'x' },
    cause: { activityFailureInfo: {} },
  } as unknown as ProtoFailure;

  it('is the same for the workflow and for its readers', () => {
    const { failureConverter: readers, payloadConverter: readersPayloads } = toLenientConverter(converter);
    const facts = [
      toFailure(failureConverter.failureToError(failure, payloadConverter)),
      toFailure(readers.failureToError(failure, readersPayloads)),
    ];
    expect(facts).toEqual([
      { type: 'Undecodable', message: undecodable, timeoutType: null, details: null },
      { type: 'Undecodable', message: undecodable, timeoutType: null, details: null },
    ]);
  });

  it('is still an error if a part of it is sealed', () => {
    const sealed = payload('binary/longhand-sealed', '1');
    const unopened = { ...failure, cause: { ...failure.cause, encodedAttributes: sealed } } as ProtoFailure;
    expect(() => failureConverter.failureToError(unopened, payloadConverter)).toThrow();
  });
});

it('readers decode ill-formed UTF-8 as the workflow does', async () => {
  const pieces = fc.oneof(
    fc.uint8Array({ maxLength: 6 }),
    fc.constantFrom(...['é', '😀', 'a'].map((text) => Buffer.from(text))),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(pieces), async (bytes) => {
      const data = Buffer.concat([Buffer.from('"'), ...bytes, Buffer.from('"')]);
      const given = { metadata: { encoding: Buffer.from('json/plain') }, data };
      expect(await decodeFirstValue(converter, [given])).toEqual(payloadConverter.fromPayload(given));
    }),
    { numRuns: budget(125, 500) },
  );
});

describe('a payload that cannot be decoded', () => {
  it.each([
    ['an unknown encoding', payload('foo/bar', '1')],
    ['invalid JSON', payload('json/plain', '{')],
    ['bytes', payload('binary/plain', 'x'.repeat(2_000_000))],
    ['no encoding', { data: Buffer.from('1') } as Payload],
  ])('is the same text for the workflow and for its readers (%s)', async (_what, given) => {
    expect(payloadConverter.fromPayload(given)).toBe(undecodable);
    expect(await decodeFirstValue(converter, [given])).toBe(undecodable);
  });

  it('is still an error if it is sealed, because the key may be added', async () => {
    const sealed = payload('binary/longhand-sealed', '1');
    expect(() => payloadConverter.fromPayload(sealed)).toThrow();
    await expect((async () => decodeFirstValue(converter, [sealed]))()).rejects.toMatchObject(
      matchError('encryption_no_key'),
    );
  });

  it('is an unreadable command', () => {
    expect(parseMessage(messageNames.steer, undecodable, null)).toMatchObject({ command: { kind: 'unreadable' } });
  });

  it('does not change decodable payloads', () => {
    const value = { a: [1, null, 'ü'] };
    expect(payloadConverter.fromPayload(payloadConverter.toPayload(value))).toEqual(value);
    expect(payloadConverter.toPayload(value)).toEqual(defaultPayloadConverter.toPayload(value));
  });
});

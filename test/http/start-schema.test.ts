/** Options of a start as the gateway reads them. */

import { describe, expect, it } from 'vitest';
import { startOptionsSchema, taskSchema } from '../../src/http/schemas/start.js';
import { growth } from '../support/cpu-cost.js';

const parse = (bytes: Uint8Array) =>
  startOptionsSchema.parse({ context: { file: { base64: Buffer.from(bytes).toString('base64') } } }).context;

describe('a task', () => {
  it('is a text, or messages with parts: the bytes of a file are base64', () => {
    const raw = Buffer.from([1, 2, 3]);
    const messages = [
      { role: 'user', parts: [{ text: 'Read it.' }, { raw: raw.toString('base64') }, { data: { a: 1 } }] },
    ];
    const parts = [{ text: 'Read it.' }, { raw: new Uint8Array(raw) }, { data: { a: 1 } }];
    expect(taskSchema.parse({ messages })).toEqual({ messages: [{ role: 'user', parts }] });
    expect(taskSchema.parse(' Read it. ')).toBe('Read it.');
    for (const part of [{ text: 'a', url: 'b' }, { raw: 'no base64' }, {}])
      expect(taskSchema.safeParse({ messages: [{ role: 'user', parts: [part] }] }).success).toBe(false);
  });
});

describe('a file of the task', () => {
  it.each([0, 1, 2, 3, 256])('of %d bytes is read as it was sent', (length) => {
    const bytes = Uint8Array.from({ length }, (_, at) => at);
    expect(parse(bytes)).toEqual({ file: bytes });
  });

  it('of some megabytes costs little more than its text', () => {
    const base64 = Buffer.alloc(6 << 20, 7).toString('base64');
    const allowed = 30;
    expect(
      growth(
        allowed,
        () => atob(base64),
        () => startOptionsSchema.parse({ context: { file: { base64 } } }),
      ),
    ).toBeLessThan(allowed);
  });
});

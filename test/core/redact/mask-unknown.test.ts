/** Values of any kind become plain data without secrets, even if their getters throw. */

import { expect, it } from 'vitest';
import { createSecretMasker } from '../../../src/core/redact/known-secrets.js';
import { maskUnknown, toSafeErrorMessage } from '../../../src/core/redact/mask-unknown.js';

const masker = createSecretMasker(['hunter2-hunter2']);
const shown = (value: unknown) => maskUnknown(value, masker);

it('masks the members of an error and all its causes', () => {
  const cause = new RangeError('inner hunter2-hunter2');
  const error = Object.assign(new Error('outer hunter2-hunter2', { cause }), { request: { key: 'hunter2-hunter2' } });
  const masked = shown({ error }) as { error: Record<string, unknown> };
  expect(masked.error).toMatchObject({
    name: 'Error',
    message: 'outer [redacted:secret]',
    stack: expect.stringContaining('Error: outer [redacted:secret]'),
    cause: { name: 'RangeError', message: 'inner [redacted:secret]' },
    request: { key: '[redacted:secret]' },
  });
  expect(JSON.stringify(masked)).not.toContain('hunter2');
});

it('leaves plain values unchanged', () => {
  const plain = { a: [1, true, null, 'x'], b: { c: 'd' } };
  expect(shown(plain)).toEqual(plain);
  expect(shown({ at: new Date(0), none: undefined })).toEqual({ at: '1970-01-01T00:00:00.000Z' });
});

it('ends for circular values and never throws', () => {
  const loop: Record<string, unknown> = { key: 'hunter2-hunter2' };
  loop.self = loop;
  const trap = new Proxy(
    {},
    {
      get: () => {
        throw new Error('hunter2-hunter2');
      },
      ownKeys: () => {
        throw new Error();
      },
    },
  );
  const bad = {
    toJSON: () => {
      throw new Error('hunter2-hunter2');
    },
  };
  for (const value of [loop, trap, bad, Object.create(null), Symbol('hunter2-hunter2'), 10n, () => 'hunter2-hunter2']) {
    expect(JSON.stringify(shown({ value }))).not.toContain('hunter2');
  }
  expect(toSafeErrorMessage(trap)).toBe('a value that cannot be written');
  expect(toSafeErrorMessage(Object.create(null))).toBe('a value that cannot be written');
});

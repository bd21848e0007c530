/** Names, characters and links that differ from their appearance are shown as they are. */

import { createRequire } from 'node:module';
import { ApplicationFailure, defaultPayloadConverter } from '@temporalio/common';
import { describe, expect, it } from 'vitest';
import { findErrorName } from '../../../src/core/lib/error-name.js';
import { showAddresses, showInvisible, toPlainJson } from '../../../src/core/lib/plain-text.js';
import { getErrorType } from '../../../src/telemetry/conventions.js';

const { failureConverter } = createRequire(import.meta.url)('../../../src/encryption/failure-converter.cjs');

class PaymentDeclined extends Error {
  override readonly name = 'PaymentDeclined';
}

class Unnamed extends Error {
  override get name() {
    return 'Anna4711';
  }
}

describe('the name of an error', () => {
  it.each<[string, Error, string | null]>([
    ['a built-in class', new TypeError('x'), 'TypeError'],
    ['an abort', new DOMException('x', 'AbortError'), 'AbortError'],
    ['a class of the tool', new PaymentDeclined('x'), 'PaymentDeclined'],
    ['data in an instance', Object.assign(new Error('x'), { name: 'sk-ant-1234' }), null],
    ['data that looks like a class', Object.assign(new Error('x'), { name: 'AnnaMuster' }), null],
    ['data of a getter', new Unnamed('x'), null],
    ['no text at all', Object.assign(new Error('x'), { name: 7 }), null],
  ])('is emitted only if it cannot be data: %s', (_, error, name) => {
    expect(findErrorName(error)).toBe(name);
    expect(getErrorType(error)).toBe(name ?? 'Error');
  });

  it('is not taken from a member `type`', () => {
    expect(getErrorType(Object.assign(new Error('x'), { type: 'iban-4711' }))).toBe('Error');
    expect(getErrorType(ApplicationFailure.create({ type: 'NotDone' }))).toBe('NotDone');
  });

  it('is readable in an encrypted failure only if it is a known type', () => {
    const cause = ApplicationFailure.create({ type: 'iban-4711', message: 'secret' });
    const thrown = ApplicationFailure.create({ type: 'sk-ant-1234', message: 'secret', cause });
    const failure = failureConverter.errorToFailure(thrown, defaultPayloadConverter);
    expect([failure.applicationFailureInfo.type, failure.cause.applicationFailureInfo.type]).toEqual([
      'Error',
      'Error',
    ]);
    expect(JSON.stringify({ ...failure, encodedAttributes: null })).not.toMatch(/iban|sk-ant/);
    const own = failureConverter.errorToFailure(
      ApplicationFailure.create({ type: 'longhand.ChainFailed' }),
      defaultPayloadConverter,
    );
    expect(own.applicationFailureInfo.type).toBe('longhand.ChainFailed');
  });
});

describe('an invisible character', () => {
  it.each([
    ['pay\u200bload', 'pay\\u{200b}load'],
    ['a\u{e0041}\u{e007f}b', 'a\\u{e0041}\\u{e007f}b'],
    ['\u202etxt.exe\u202c', '\\u{202e}txt.exe\\u{202c}'],
    ['a\u2066b\u2069', 'a\\u{2066}b\\u{2069}'],
    ['so\u00adft \u3164 \u2800', 'so\\u{ad}ft \\u{3164} \\u{2800}'],
    ['a\ufe0f\u{e0100}', 'a\\u{fe0f}\\u{e0100}'],
    ['a\u2028b', 'a\\u{2028}b'],
    ['echo a\u001b]0;:; rm x; : \u0007\r', 'echo a\\u{1b}]0;:; rm x; : \\u{7}\\u{d}'],
    ['a\r\nb\tc\n', 'a\r\nb\tc\n'],
    ['👩‍🚒 ❤️ 👍🏽 é 漢字', '👩‍🚒 ❤️ 👍🏽 é 漢字'],
    ['👩\u200b‍🚒', '👩\\u{200b}\\u{200d}🚒'],
  ])('is shown as an escape: %j', (text, shown) => {
    expect(showInvisible(text)).toBe(shown);
  });

  it('is an escape in JSON with the same value', () => {
    const value = { 'to\u200b': 'a\u{e0041}b', plain: '👩‍🚒' };
    const json = toPlainJson(JSON.stringify(value));
    expect(json).not.toMatch(/\u200b|\u200d|\u{e0041}/u);
    expect(JSON.parse(json)).toEqual(value);
  });
});

describe('a Markdown link', () => {
  it.each([
    ['[a](https://x.example)', '[a]\\(https://x.example)'],
    ['![a](https://x.example)', '![a]\\(https://x.example)'],
    ['[![a](b)](c)', '[![a]\\(b)]\\(c)'],
    ['[a][b]\n\n[b]: https://x.example', '[a][b]\n\n[b]\\: https://x.example'],
    ['<a href="x">', '&lt;a href="x">'],
    ['\\<a href="x">', '\\&lt;a href="x">'],
    ['<https://x.example>', '&lt;https://x.example>'],
    ['1 < 2, list[0] and **bold**', '1 < 2, list[0] and **bold**'],
  ])('is shown with its address: %j', (text, shown) => {
    expect(showAddresses(text)).toBe(shown);
  });
});

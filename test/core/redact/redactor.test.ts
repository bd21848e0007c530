/** The marks, the policy, and the properties of every masked text and value. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/core/lib/json.js';
import { mergePolicies } from '../../../src/core/redact/policy.js';
import { createRedactor } from '../../../src/core/redact/redactor.js';
import { budget } from '../../support/budget.js';
import { matchError } from '../../support/match-error.js';
import { keys } from './corpus-keys.js';
import { cards, emails, ibans, phones, ssns } from './corpus-persons.js';
import { jwts, otherSecrets, passwords, privateKeys, tokens } from './corpus-secrets.js';
import { caseOf, mask } from './expand.js';

const known = [keys, cards, emails, ibans, phones, ssns, jwts, otherSecrets, passwords, privateKeys, tokens].flat();
const pieces = fc.oneof(
  fc.tuple(fc.constantFrom(...known), fc.nat(1000)).map(([written, seed]) => caseOf('', written, seed).text),
  fc.string(),
  fc.string({ unit: fc.constantFrom(...'ab1 @.:="\'\\/-+_[]{}#\n') }),
  fc.constantFrom('[redacted:email]', '[redacted:', '[redacted:email#7]', 'Bearer ', 'password=', '://', '-----BEGIN '),
);
const texts = fc
  .array(pieces, { maxLength: 6 })
  .chain((parts) => fc.constantFrom('', ' ', '\n', '"').map((by) => parts.join(by)));
const values = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    texts,
    fc.integer(),
    fc.constantFrom(true, null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.constantFrom('password', 'email', 'n', 'note'), fc.string()), tie('value'), {
      maxKeys: 4,
    }),
  ),
})).value;

describe('marks', () => {
  it('are equal for equal values and differ for others, in the order in which they are first seen', () => {
    const redactor = createRedactor();
    expect(redactor.text('a@x.com wrote to b@x.com and A@x.com')).toBe(
      '[redacted:email] wrote to [redacted:email#2] and [redacted:email]',
    );
    expect(redactor.value({ from: 'b@x.com', to: ['c@x.com'] })).toEqual({
      from: '[redacted:email#2]',
      to: ['[redacted:email#3]'],
    });
    expect(createRedactor().text('c@x.com')).toBe('[redacted:email]');
  });

  it('are equal for two spellings of a card, account or number', () => {
    expect(mask('card 4111 1111 1111 1111 = 4111-1111-1111-1111')).toBe('card [redacted:card] = [redacted:card]');
    expect(mask('DE89370400440532013000 or DE89 3704 0044 0532 0130 00')).toBe('[redacted:iban] or [redacted:iban]');
    expect(mask('+1 415-555-2671 or +14155552671')).toBe('[redacted:phone] or [redacted:phone]');
  });

  it('in a text are never assigned to another value', () => {
    expect(mask('[redacted:email] and a@x.com')).toBe('[redacted:email] and [redacted:email#2]');
  });
});

describe('a number in JSON', () => {
  it('is replaced by a text, so JSON remains valid', () => {
    expect(mask('{"card": 4242424242424242, "n":1}')).toBe('{"card": "[redacted:card]", "n":1}');
    expect(mask('{"cvv":123}')).toBe('{"cvv":"[redacted:secret]"}');
  });
});

describe('a private key without its end', () => {
  const start =
    '-----BEGIN PRIVATE KEY----- 0174zc96tHDmJ11OdN4/zUkS0nA4fF0O0HmePhcuuJiz1KPzJDlQ6On1au5Nd6ad 9L7hpcS3L';

  it.each(['a/', 'aVeryLongNameOfAMember', 'name='])('leaves the next member its name: %s', (name) => {
    const masked = mask(JSON.stringify({ held: start, [name]: [] }));
    expect(JSON.parse(masked)).toEqual({ held: '[redacted:private-key]', [name]: [] });
  });
});

describe('properties', () => {
  it('masking twice is masking once', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const once = mask(text);
        expect(mask(once)).toBe(once);
      }),
      { numRuns: budget(50, 600) },
    );
  });

  it('values keep their shape, and masking them twice is masking them once', () => {
    fc.assert(
      fc.property(values, (value) => {
        const once = createRedactor().value(value);
        expect(shapeOf(once)).toEqual(shapeOf(value));
        expect(createRedactor().value(once)).toEqual(once);
      }),
      { numRuns: budget(35, 400) },
    );
  });

  it('JSON with masked texts is JSON', () => {
    fc.assert(
      fc.property(values, (value) => {
        expect(() => JSON.parse(mask(JSON.stringify(value)))).not.toThrow();
      }),
      { numRuns: budget(35, 400) },
    );
  });
});

describe('values', () => {
  it('are masked at a path, of any type', () => {
    const value = {
      users: [
        { ssn: 1, name: 'x' },
        { ssn: { a: 2 }, name: 'y' },
      ],
      n: null,
    };
    const paths = ['users.*.ssn', 'n', 'not.there'];
    expect(createRedactor().value(value, paths)).toEqual({
      users: [
        { ssn: '[redacted:field]', name: 'x' },
        { ssn: '[redacted:field#2]', name: 'y' },
      ],
      n: null,
    });
    for (const path of ['users[*].ssn', '$.users[*].ssn', 'users[].ssn', ['users', '*', 'ssn']]) {
      expect(JSON.stringify(createRedactor().value(value, [path]))).not.toMatch(/"ssn":(?!"\[redacted)/);
    }
    expect(createRedactor().value(value, ['users[0].name'])).toMatchObject({
      users: [{ name: '[redacted:field]' }, { name: 'y' }],
    });
  });

  it('are masked under names of secrets, and elsewhere by their form', () => {
    expect(
      createRedactor().value({
        password: 'x',
        apiKey: 'abc',
        max_tokens: 4096,
        token: 'the',
        env: [{ name: 'DB_PASSWORD', value: 'pw' }],
        phone: '4155552671',
        card: 4242424242424242,
        note: 'from a@x.com',
        'b@x.com': 1,
      }),
    ).toEqual({
      password: '[redacted:secret]',
      apiKey: '[redacted:secret#2]',
      max_tokens: 4096,
      token: 'the',
      env: [{ name: 'DB_PASSWORD', value: '[redacted:secret#3]' }],
      phone: '[redacted:phone]',
      card: '[redacted:card]',
      note: 'from [redacted:email]',
      '[redacted:email#2]': 1,
    });
  });

  it.each([
    [{ token: 'abcdef' }, { token: '*' }],
    [{ secret: { v: 'abc123' } }, { secret: { v: '*' } }],
    [{ secret: { v: ['a', { c: 'a' }] } }, { secret: { v: ['*', { c: '*' }] } }],
    [{ tokens: ['abc123def456'] }, { tokens: ['*'] }],
    [{ auth: 'abc' }, { auth: '*' }],
    [{ otp: '482913' }, { otp: '*' }],
    [{ pin: 4821 }, { pin: '*' }],
    [{ credit_card: '1234' }, { credit_card: '*' }],
    [{ api_key: { value: 'abc' } }, { api_key: { value: '*' } }],
    [{ azure_openai_key: 'abc' }, { azure_openai_key: '*' }],
    [{ pass: 'y1z2' }, { pass: '*' }],
  ])('below the name of a secret are secrets: %j', (value, masked) => {
    const shown = JSON.stringify(createRedactor().value(value));
    expect(shown.replace(/\[redacted:secret(?:#\d)?\]/g, '*')).toBe(JSON.stringify(masked));
  });

  it.each<Json>([
    { max_tokens: 4096, tokens: { prompt: 12, completion: 30 }, token: 7 },
    {
      properties: {
        password: { type: 'string', description: 'of the user', default: 'none' },
        pin: { type: 'number' },
      },
    },
    {
      password: { anyOf: [{ type: 'string', title: 'A' }, { type: 'null' }] },
      secret: { $ref: '#/definitions/secret' },
    },
    { secret: { name: 'db-credentials', key: 'url', version: 3, expires_at: '2027-01-01' } },
    { apiKey: { present: true, label: 'Key of the service' } },
    { auth: 'basic' },
    { auth: '/login' },
    { pin: 13, tokens: ['the', 'weatherman'], token: 'Hello' },
    { token: 'weather', logprob: -0.1 },
    { credit_card: 'visa', otp: 'sms' },
  ])('that describe a secret are not masked: %j', (value) => {
    expect(createRedactor().value(value)).toEqual(value);
  });

  it('may have any depth and any names', () => {
    let deep: Json = 'a@x.com';
    for (let i = 0; i < 50_000; i++) deep = [deep];
    let masked = createRedactor().value(deep);
    while (Array.isArray(masked)) masked = masked[0] as Json;
    expect(masked).toBe('[redacted:email]');
    const odd = JSON.parse('{"__proto__":{"password":"x"},"constructor":1}') as Json;
    expect(JSON.stringify(createRedactor().value(odd))).toBe(
      '{"__proto__":{"password":"[redacted:secret]"},"constructor":1}',
    );
  });
});

describe('a policy', () => {
  it('selects the kinds to find', () => {
    const redactor = createRedactor({ kinds: ['card'] });
    expect(redactor.text('a@x.com paid with 4111 1111 1111 1111')).toBe('a@x.com paid with [redacted:card]');
    expect(redactor.value({ password: 'x' }, [])).toEqual({ password: 'x' });
  });

  it('adds names, paths and patterns', () => {
    const redactor = createRedactor({
      keys: ['client pin'],
      paths: ['deep.field'],
      patterns: [{ kind: 'ticket', source: 'TICKET-\\d+' }],
    });
    expect(redactor.value({ clientPin: '1', deep: { field: true }, note: 'see TICKET-42' })).toEqual({
      clientPin: '[redacted:secret]',
      deep: { field: '[redacted:field]' },
      note: 'see [redacted:ticket]',
    });
    expect(redactor.text('client_pin=1234567')).toBe('client_pin=[redacted:secret#2]');
  });

  it('is rejected for an invalid pattern', () => {
    expect(() => createRedactor({ patterns: [{ kind: 'Ticket!', source: 'x' }] })).toThrow(
      matchError('invalid_policy', '"Ticket!"'),
    );
    expect(() => createRedactor({ patterns: [{ kind: 'ticket', source: '(' }] })).toThrow(
      matchError('invalid_policy', '"ticket" is not a regular expression'),
    );
  });

  it('of a tool and one of a tenant are merged', () => {
    const both = mergePolicies(
      { kinds: ['card'], paths: ['a'] },
      { kinds: ['email'], paths: ['a', 'b'] },
      { keys: ['k'], optionalKinds: ['ip-address'] },
    );
    expect(both).toEqual({
      kinds: ['card', 'email'],
      optionalKinds: ['ip-address'],
      keys: ['k'],
      paths: ['a', 'b'],
      patterns: [],
    });
  });
});

/** The structure of a value, without names and contents. */
function shapeOf(value: Json): unknown {
  if (Array.isArray(value)) return value.map(shapeOf);
  if (typeof value !== 'object' || value === null) return '.';
  return Object.values(value as Record<string, Json>).length;
}

describe('an encoded text that is cut inside a character', () => {
  it.each([
    'password: Xk29vbQr7Lm4',
    'пароль: Xk29vbQr7Lm4 и ещё',
    '{"contraseña":"Xk29vbQr7Lm4"',
    'password: пароль123секрет tail tail',
  ])('is masked: %s', (text) => {
    const bytes = Buffer.concat([Buffer.from(text), Buffer.of(0xd0)]);
    const encoded = bytes.toString('base64');
    expect(createRedactor({ optionalKinds: ['encoded'] }).text(`sent ${encoded}`)).not.toContain(encoded);
  });
});

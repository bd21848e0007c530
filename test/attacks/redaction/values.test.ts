/** Attacks on values and policies: arguments in lists, kinds that a policy switches on, input in pieces. */

import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { redact } from '../../../src/cli/redact.js';
import { createRedactor } from '../../../src/core/redact/redactor.js';
import { validateVisibility } from '../../../src/core/view/validate-visibility.js';
import { buildRedactionPolicy } from '../../../src/core/view/visibility.js';
import type { Json } from '../../../src/index.js';
import { attack, byDefault } from './attack-corpus.js';

type Tree = Parameters<typeof buildRedactionPolicy>[0];

describe('arguments of a command in a list', () => {
  it.each<[Json, Json]>([
    [{ args: ['--password', 'swordfish'] }, { args: ['--password', '*'] }],
    [{ args: ['-v', '--token=Ab3dEf9hIjKl'] }, { args: ['-v', '--token=*'] }],
    [{ cmd: ['curl', '-u', 'ada:pass word'] }, { cmd: ['curl', '-u', 'ada:*'] }],
    [
      ['mysql', '-pswordfish', 'shop'],
      ['mysql', '-p*', 'shop'],
    ],
    [{ argv: [['sshpass', '-p', 'open "it"', 'ssh', 'a1']] }, { argv: [['sshpass', '-p', '*', 'ssh', 'a1']] }],
    [{ run: ['htpasswd', '-b', 'file', 'ada', 'swordfish'] }, { run: ['htpasswd', '-b', 'file', 'ada', '*'] }],
  ])('are masked after the flag of a secret: %j', (value, masked) => {
    const shown = JSON.stringify(createRedactor().value(value)).replace(/\[redacted:[a-z-]+\]/g, '*');
    expect(JSON.parse(shown)).toEqual(masked);
  });

  it('are also masked at the path of a schema', () => {
    const shown = createRedactor().value({ args: ['--password', 'swordfish', '--name', 'Maria'] }, ['args[3]']);
    expect(shown).toEqual({ args: ['--password', '[redacted:password]', '--name', '[redacted:field]'] });
  });

  it.each<Json>([
    ['--password-file', '/run/x', '--user', 'ada'],
    ['-p', '80:80', '--name', 'web'],
    ['--key', 'name', '--sort', 'asc'],
    ['--password', '--user'],
    ['git', 'log', '--author', 'ada'],
  ])('are kept if no flag names a secret: %j', (value) => {
    expect(createRedactor().value(value)).toEqual(value);
  });
});

describe('optional kinds of patterns', () => {
  const personal = { dob: '1980-01-02', from: '10.1.1.1', passportNumber: 'C01X00T47', n: 1 };
  const tree = (tenant: string) => ({ tenant, tools: {}, children: {} }) as unknown as Tree;

  it('can be switched on by the platform, and by a tenant for its own chains', () => {
    const config = {
      redact: { optionalKinds: ['birth-date'] },
      tenants: { bank: { optionalKinds: ['ip-address', 'national-id'] } },
    } as const;
    const shown = (tenant: string) => createRedactor(buildRedactionPolicy(tree(tenant), config)).value(personal);
    expect(shown('shop')).toEqual({ ...personal, dob: '[redacted:birth-date]' });
    expect(shown('bank')).toEqual({
      dob: '[redacted:birth-date]',
      from: '[redacted:ip-address]',
      passportNumber: '[redacted:national-id]',
      n: 1,
    });
  });

  it('do not affect the default kinds', () => {
    const { text } = createRedactor({ optionalKinds: ['mac-address'] });
    expect(text('password: hunter2 of 00:1B:44:11:3A:B7')).toBe(
      'password: [redacted:password] of [redacted:mac-address]',
    );
    expect(createRedactor({ kinds: [], optionalKinds: ['mac-address'] }).text('password: hunter2')).toBe(
      'password: hunter2',
    );
  });

  it('are rejected if they are unknown', () => {
    expect(validateVisibility({ redact: { optionalKinds: ['ip'] } })).toMatch(/optionalKinds\.0 must be ip-address/);
    expect(validateVisibility({ redact: { optionalKinds: ['ip-address'] } })).toBeNull();
  });
});

it('the command masks its input in pieces of any size', async () => {
  const text = byDefault.map((written) => attack(written, 2).text).join('\n\nMeanwhile, 42 rows later:\n\n');
  const bytes = Buffer.from(text);
  const masked = createRedactor().text(text);
  for (const size of [7, 4096]) {
    const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    );
    let written = '';
    const write = (piece: string) => {
      written += piece;
    };
    await redact({ jsonl: false }, { input: Readable.from(pieces), write, writeError: () => {} });
    expect(written).toBe(masked);
  }
});

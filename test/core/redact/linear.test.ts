/** No text, however large or hostile, takes more than linear time: eight times the text, about eight times the time. */

import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/core/json.js';
import { createRedactor } from '../../../src/core/redact/redactor.js';
import { cpuCost } from '../../support/cpu-cost.js';
import { mask } from './expand.js';

const units = [
  'a',
  '0',
  '4',
  '1 ',
  '4111 ',
  '4111-',
  '@',
  'a@',
  'a@b.c',
  '%40',
  '.',
  '-',
  '_',
  '/',
  ' ',
  '\n',
  '"',
  "'",
  '\\',
  '\\"',
  '=',
  'a=',
  'a:',
  '||',
  'a, ',
  '","',
  'password=',
  'password: ',
  'password="',
  'password is ',
  'password for a',
  'password for ',
  'password ',
  'password "',
  'api key you ',
  'token "',
  'otp ',
  'pin: ',
  'cvv ',
  'your ',
  'your code ',
  '123456 is your ',
  'sqlcmd ',
  'PWD={',
  'PWD={a',
  '---- BEGIN SSH2 PRIVATE KEY ----',
  '-----BEGIN PRIVATE KEY-----\nAAAAAAAAAAAAAAAAAAAA\naB',
  '"a',
  '"a"@',
  '0044 ',
  '(020) ',
  '415 ',
  '4111.',
  'visa',
  'my social ',
  'api key ',
  '--token ',
  '<password>',
  '<a>',
  'Bearer ',
  'Basic ',
  'Cookie: ',
  'cookie: a=b',
  'Authorization: ',
  'Authorization: Digest ',
  '://',
  'a://',
  'http://a:',
  'http://a:b/',
  'http://u:p@h/',
  'curl ',
  'curl -u ',
  'mysql -p',
  'redis-cli ',
  'login a password ',
  'identified by ',
  'jdbc:oracle:thin:a/',
  '-----BEGIN ',
  '-----BEGIN PRIVATE KEY-----',
  '-----END ',
  '-----BEGIN PRIVATE KEY-----\nAAAAAAAAAAAAAAAAAAAA\n',
  'eyJ',
  'eyJhbGciOi.',
  'SG.',
  'sk-',
  's.aB1',
  '8Q~',
  'dp.pt.',
  'AKIA',
  'AKIAIOSFODNN7EXAMPLE ',
  'DE89',
  'DE89 3704 ',
  '+1 ',
  '+44 20 ',
  '(',
  '415-',
  '415-555-',
  'tel ',
  'ssn ',
  '123-45-6789 ',
  '[redacted:',
  '[redacted:email]',
  '{"a":',
  '[',
  '\uFFFF',
  'é',
  '😀',
]; // prettier-ignore

const kilobytes = 5;

describe('time', () => {
  it.each(units)('is linear for %j, many times', (unit) => {
    const of = (size: number) => unit.repeat(Math.ceil(size / unit.length));
    const [small, large] = [of(kilobytes * 1024), of(8 * kilobytes * 1024)];
    expect(cpuCost(() => mask(large))).toBeLessThan(
      24 *
        Math.max(
          cpuCost(() => mask(small)),
          4,
        ),
    );
  });

  it('is linear in the number of values and names', () => {
    const of = (items: number): Json =>
      Array.from({ length: items }, (_, at) => ({ [`a${at}@x.com`]: `b${at}@x.com`, password: `p${at}` }));
    const cost = (items: number) => cpuCost(() => createRedactor().value(of(items)));
    expect(cost(8_000)).toBeLessThan(24 * Math.max(cost(1_000), 4));
  });
});

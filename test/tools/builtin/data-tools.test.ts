/** The tools for data: what they compute, and that no input takes them long or leads them elsewhere. */

import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { calculator, csvQuery, jsonQuery, now } from '../../../src/entries/tools.js';
import { callOf } from '../../support/call-tool.js';
import { matchError } from '../../support/match-error.js';

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'longhand-data-'));
  writeFileSync(
    join(folder, 'sales.csv'),
    '\ufeffcity,amount,note\nParis,10.1,"a, b"\nRome,9,\nParis,0.2,x\nOslo,n/a,y\n',
  );
  writeFileSync(join(folder, 'orders.json'), '{"orders":[{"id":1,"total":50},{"id":2,"total":150}]}');
  writeFileSync(join(folder, 'broken.csv'), 'a,b\n"1,2\n');
  writeFileSync(join(folder, 'empty.csv'), '');
  symlinkSync('/etc/passwd', join(folder, 'link.csv'));
});
afterAll(() => rmSync(folder, { recursive: true }));

const { call, failure, find } = callOf(() => [
  calculator(),
  now({ timezone: 'Europe/Berlin' }),
  csvQuery({ root: folder }),
  { ...csvQuery({ name: 'csv_text' }) },
  jsonQuery({ root: folder }),
  { ...jsonQuery({ name: 'json_value' }) },
]);

describe('calculator', () => {
  const compute = async (formula: string) => ((await call('calculator', { formula })) as { result: string }).result;

  it.each([
    ['0.1 + 0.2', '0.3'],
    ['2 + 3 * 4 - 6 / 4', '12.5'],
    ['-2^2', '-4'],
    ['(-2)^2', '4'],
    ['2^3^2', '512'],
    ['2**-1', '0.5'],
    ['7 % 3 + mod(-7, 3)', '0'],
    ['1/3', '0.33333333333333333333333333333333333333333333333333'],
    ['2^100', '1267650600228229401496703205376'],
    ['round(2.345, 2)', '2.35'],
    ['round(-2.5) + floor(2.7) + ceil(2.1) + trunc(-2.7)', '0'],
    ['factorial(20)', '2432902008176640000'],
    ['sum(1, 2, 3) + mean(2, 4) + max(1, 9) - min(3, 2)', '16'],
    ['round(1250 * (1 + 0.035)^10, 2)', '1763.25'],
    ['round(sin(pi / 2) + ln(e) + log(8, 2) + log10(1000), 10)', '8'],
    ['1e3 + .5', '1000.5'],
    ['cos(pi) + 1', '0'],
  ])('%s = %s', async (formula, result) => {
    expect(await compute(formula)).toBe(result);
  });

  it.each([
    ['9**9**9', /too large/],
    ['factorial(1000)^1000', /too large/],
    ['factorial(100000)', /whole number from 0 to 1000/],
    ['exp(exp(100))', /too large/],
    ['10^-9999999', /too large/],
    ['1e999999999', /too large/],
    ['sin(1e30)', /over 1000000 radians/],
    ['1/0', /divides by zero/],
    ['0^-1', /divides by zero/],
    ['1e60 % 7', /too many digits/],
    ['sqrt(-1)', /not a real number/],
    ['ln(0)', /too large|not a real/],
    ['(-8)^(1/3)', /not a real number/],
    ['process.exit(1)', /"\."/],
    ['constructor("return 1")', /"\\""/],
    ['constructor(1)', /function constructor .*unknown/],
    ['__proto__', /name __proto__ .*unknown/],
    ['squareroot(4)', /unknown/],
    ['sqr(4)', /You may mean sqrt/],
    ['1,250 * 2', /expected an operator, found ","/],
    ['2 (3)', /expected an operator/],
    ['(1 + 2', /expected "\)", found its end/],
    ['sqrt()', /takes 1 arguments, not 0/],
    ['5 €', /"€" at position 3/],
    ['('.repeat(2_000), /more than 100 levels/],
    ['-'.repeat(3_000), /more than (100 levels|2000 parts)/],
    [`1${'^1'.repeat(900)}`, /more than 100 levels/],
  ])('rejects %s at once', async (formula, reason) => {
    const started = performance.now();
    expect(await failure('calculator', { formula })).toMatch(reason);
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  it.each(['sqrt(2)', 'asin(0.5)', '2^0.5', 'pow(3, 7)', 'ln(2)', 'sin(1)', 'factorial(1000)'])(
    'bounds the work of a formula of many %s, and computes a few of them',
    async (part) => {
      expect(await compute(Array(10).fill(part).join(' + '))).toMatch(/^\d/);
      expect(await failure('calculator', { formula: Array(250).fill(part).join(' + ') })).toMatch(/too much work/);
    },
  );

  it('computes a long sum', async () => {
    expect(await compute(`0${' + 1'.repeat(900)}`)).toBe('900');
  });

  it('is pure, and takes formulas of 5,000 characters', () => {
    expect(find('calculator').snapshot).toMatchObject({ effects: 'pure', waits: false });
    expect(find('calculator').validateInput({ formula: '1'.repeat(5_001) })).not.toBeNull();
  });
});

describe('now', () => {
  it('returns the time in a time zone', async () => {
    const berlin = (await call('now', {})) as Record<string, string>;
    expect(berlin.time).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+0[12]:00$/);
    expect(Date.parse(berlin.time!)).toBe(Date.parse(berlin.utc!));
    const utc = (await call('now', { timezone: 'UTC' })) as Record<string, string>;
    expect(utc.time).toMatch(/\+00:00$/);
    const weekday = new Date(utc.utc!).toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' });
    expect(utc).toMatchObject({ weekday, timezone: 'UTC', date: utc.utc?.slice(0, 10) });
  });

  it('rejects an unknown zone', async () => {
    expect(await failure('now', { timezone: 'Mars/Olympus' })).toMatch(/^ToolError: .*IANA/);
    expect(() => now({ timezone: 'Mars' })).toThrow(matchError('invalid_options', /IANA time zone/));
  });
});

describe('csv_query', () => {
  const query = async (given: object) => await call('csv_query', { path: 'sales.csv', ...given });

  it('selects, filters and sorts', async () => {
    expect(
      await query({ select: ['amount', 'city'], order_by: [{ column: 'amount', descending: true }], limit: 2 }),
    ).toEqual({
      ...{
        columns: ['amount', 'city'],
        rows: [
          ['n/a', 'Oslo'],
          ['10.1', 'Paris'],
        ],
        rowCount: 4,
      },
    });
    expect(
      await query({
        where: [
          { column: 'amount', is: '>', value: 9 },
          { column: 'city', is: 'contains', value: 'PAR' },
        ],
      }),
    ).toEqual({
      ...{ columns: ['city', 'amount', 'note'], rows: [['Paris', '10.1', 'a, b']], rowCount: 1 },
    });
    expect(await query({ where: [{ column: 'note', is: 'empty' }] })).toMatchObject({ rows: [['Rome', '9', '']] });
    expect(await query({ where: [{ column: 'city', is: 'in', value: ['Rome', 'Oslo'] }] })).toMatchObject({
      rowCount: 2,
    });
  });

  it('groups and computes exactly; it counts cells that are no numbers', async () => {
    const aggregate = [
      { compute: 'count' },
      { compute: 'sum', column: 'amount' },
      { compute: 'max', column: 'amount' },
    ];
    expect(
      await query({ group_by: ['city'], aggregate, order_by: [{ column: 'sum(amount)', descending: true }] }),
    ).toEqual({
      columns: ['city', 'count', 'sum(amount)', 'max(amount)'],
      rows: [
        ['Paris', 2, 10.3, 10.1],
        ['Rome', 1, 9, 9],
        ['Oslo', 1, 0, 'n/a'],
      ],
      ...{ rowCount: 3, skippedCells: 1 },
    });
    expect(
      await query({
        aggregate: [{ compute: 'avg', column: 'amount' }],
        where: [{ column: 'city', is: '=', value: 'x' }],
      }),
    ).toEqual({
      ...{ columns: ['avg(amount)'], rows: [[null]], rowCount: 1 },
    });
  });

  it('of a text is pure', async () => {
    expect(find('csv_text').snapshot.effects).toBe('pure');
    expect(find('csv_query').snapshot.effects).toBe('read');
    expect(await call('csv_text', { text: 'a;b\n1;2', delimiter: ';' })).toMatchObject({
      columns: ['a', 'b'],
      rows: [['1', '2']],
    });
  });

  it.each([
    [{ path: '../sales.csv' }, /outside of the folder/],
    [{ path: '/etc/passwd' }, /outside of the folder/],
    [{ path: 'link.csv' }, /outside of the folder/],
    [{ path: 'sale.csv' }, /Did you mean sales.csv/],
    [{ path: 'broken.csv' }, /no valid CSV/],
    [{ path: 'empty.csv' }, /is empty/],
    [{ select: ['citi'] }, /You may mean city/],
    [{ where: [{ column: '__proto__', is: '=', value: 1 }] }, /no column/],
    [{ where: [{ column: 'city', is: '=' }] }, /needs a value/],
    [{ where: [{ column: 'city', is: '<', value: ['a'] }] }, /takes one value/],
    [{ aggregate: [{ compute: 'sum' }] }, /needs a column/],
    [{ group_by: ['city'], order_by: [{ column: 'amount' }] }, /no column "amount"/],
  ])('rejects %j', async (given, reason) => {
    expect(await failure('csv_query', { path: 'sales.csv', ...given })).toMatch(reason);
  });

  it('reads files of any length, and keeps what it needs', async () => {
    writeFileSync(join(folder, 'long.csv'), `n\n${Array.from({ length: 120_000 }, (_, at) => at).join('\n')}\n`);
    expect(await query({ path: 'long.csv', aggregate: [{ compute: 'sum', column: 'n' }] })).toMatchObject({
      rows: [[7_199_940_000]],
    });
    const sorted = failure('csv_query', { path: 'long.csv', order_by: [{ column: 'n' }] });
    expect(await sorted).toMatch(/More than 100000 rows cannot be sorted/);
    expect(await failure('csv_query', { path: 'long.csv', group_by: ['n'] })).toMatch(/more than 100000 groups/);
    const many = {
      group_by: ['n'],
      aggregate: ['count', 'min', 'max', 'sum'].map((compute) => ({ compute, column: 'n' })),
    };
    expect(await failure('csv_query', { path: 'long.csv', ...many })).toMatch(/more than 50000 groups/);
  });

  it('compares cells of many digits without delay', async () => {
    const text = `n\n${`${'1'.repeat(100_000)}x\n`.repeat(4)}`;
    const started = performance.now();
    await call('csv_text', {
      text,
      where: [{ column: 'n', is: '>', value: 1 }],
      aggregate: [{ compute: 'sum', column: 'n' }],
    });
    expect(performance.now() - started).toBeLessThan(2_000);
  });

  it('lets other work of the process continue', async () => {
    let turns = 0;
    let isDone = false;
    const turn = () => {
      turns += 1;
      if (!isDone) setImmediate(turn);
    };
    setImmediate(turn);
    const where = Array.from({ length: 50 }, () => ({
      column: 'n',
      is: 'in',
      value: Array.from({ length: 100 }, (_, at) => at),
    }));
    expect(await call('csv_text', { text: `n\n${'1.0\n'.repeat(20_000)}`, where, limit: 1 })).toMatchObject({
      rowCount: 20_000,
    });
    isDone = true;
    expect(turns).toBeGreaterThan(100);
  });
});

describe('json_query', () => {
  const data = {
    orders: [
      { id: 1, total: 50 },
      { id: 2, total: 150 },
    ],
    'a b': null,
  };
  const select = async (expression: string, value: unknown = data) =>
    ((await call('json_value', { data: value, expression })) as { result: unknown }).result;

  it.each([
    ['orders[?total > `100`].id', [2]],
    ['sum(orders[].total)', 200],
    ['max_by(orders, &total).id', 2],
    ['keys(@)', ['orders', 'a b']],
    ['"a b"', null],
    ['missing.member', null],
    ['constructor', null],
    ['orders[0].__proto__', null],
    ['toString', null],
  ])('%s', async (expression, result) => {
    expect(await select(expression)).toEqual(result);
  });

  it('reads a text, and a file below its folder', async () => {
    expect(await select('[1]', '[1,2]')).toBe(2);
    expect(await call('json_query', { path: 'orders.json', expression: 'length(orders)' })).toEqual({ result: 2 });
    expect(find('json_value').snapshot.effects).toBe('pure');
    expect(await failure('json_query', { path: '../a.json', expression: '@' })).toMatch(/outside of the folder/);
    expect(await failure('json_query', { path: 'sales.csv', expression: '@' })).toMatch(/no valid JSON/);
  });

  it.each([
    ['orders[', /cannot be evaluated/],
    ['unknown(@)', /cannot be evaluated/],
    ['sum(`"a"`)', /cannot be evaluated/],
    [Array(60).fill('{a: @, b: @}').join(' | '), /larger than 1 MB|too much memory|within 5 seconds/],
    [Array(100).fill('[@, @][]').join(' | '), /larger than 1 MB|too much memory|within 5 seconds|cannot be evaluated/],
    ['['.repeat(1_900), /cannot be evaluated|too much memory/],
  ])(
    'ends %s',
    async (expression, reason) => {
      expect(await failure('json_value', { data, expression })).toMatch(reason);
    },
    20_000,
  );

  it('ends when its call is cancelled', async () => {
    const controller = new AbortController();
    controller.abort(new Error('cancelled'));
    await expect(call('json_value', { data, expression: '@' }, { signal: controller.signal })).rejects.toThrow(
      'cancelled',
    );
  });
});

it.each([
  [() => calculator({ names: 'a' } as object), /names is unknown/],
  [() => csvQuery({ root: '' }), /root must be a folder/],
  [() => jsonQuery({ root: 'a', ignore: ['*.json'] }), /ignore must list names/],
])('an invalid option is rejected with the fix (%#)', (create, reason) => {
  expect(create).toThrow(matchError('invalid_options', reason));
});

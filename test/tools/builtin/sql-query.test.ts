/** `sqlQuery` on an SQLite file and a real Postgres: values, limits, changes, cancellation, and the errors of a definition. */

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type SqlQueryOptions, sqlQuery } from '../../../src/entries/tools.js';
import { contextOf } from '../../support/call-tool.js';
import { createShopFile, createShopServer, type ShopFile, type ShopServer } from '../../support/sql-databases.js';

let file: ShopFile;
let server: ShopServer;
beforeAll(async () => {
  [file, server] = await Promise.all([createShopFile(), createShopServer()]);
});
afterAll(async () => {
  await Promise.all([file.remove(), server.remove()]);
});

type Input = { readonly sql: string; readonly params?: readonly unknown[] };

async function call(options: SqlQueryOptions, input: Input, context = {}): Promise<unknown> {
  return await sqlQuery(options).parse(input)(contextOf(context));
}

const reading = [
  ['SQLite', (more: object = {}): SqlQueryOptions => ({ file: file.file, ...more }), '?'],
  ['Postgres', (more: object = {}): SqlQueryOptions => ({ url: server.reader, ...more }), '$1'],
] as const;

describe.each(reading)('on %s', (_name, options, one) => {
  it('reads rows with parameters', async () => {
    const sql = `select customer, total from orders where total > ${one} order by id`;
    expect(await call(options(), { sql, params: [900] })).toEqual({
      ...{
        columns: ['customer', 'total'],
        rows: [
          ['Ada', 1200],
          ['Cyd', 5000],
        ],
        rowCount: 2,
        truncated: false,
      },
    });
    expect(await call(options(), { sql: `${sql}; -- done`, params: [9_000] })).toMatchObject({ rows: [], rowCount: 0 });
    const hostile = "x' or '1'='1";
    expect(
      await call(options(), { sql: `select id from orders where customer = ${one}`, params: [hostile] }),
    ).toMatchObject({
      rows: [],
    });
  });

  it('keeps both columns of one name, and whole numbers that a JSON number cannot hold', async () => {
    const big = '9007199254740993';
    expect(
      await call(options(), { sql: `select 1 as a, 2 as a, ${big} as big, null as n, 'select; drop' as s` }),
    ).toEqual({
      ...{ columns: ['a', 'a', 'big', 'n', 's'], rows: [[1, 2, big, null, 'select; drop']] },
      ...{ rowCount: 1, truncated: false },
    });
  });

  it('cuts at the limits of rows and bytes, and reports it', async () => {
    const sql = 'select id, customer from orders order by id';
    expect(await call(options({ maxRows: 2 }), { sql })).toMatchObject({ rowCount: 2, truncated: true });
    expect(await call(options({ maxRows: 3 }), { sql })).toMatchObject({ rowCount: 3, truncated: false });
    const wide =
      'with recursive n(x) as (select 1 union all select x + 1 from n where x < 50) select x, replace(customer, customer, ' +
      `'${'y'.repeat(300)}') from n, orders`;
    const cut = (await call(options({ maxBytes: 1_000 }), { sql: wide })) as { rowCount: number; truncated: boolean };
    expect(cut).toMatchObject({ rowCount: 3, truncated: true });
  });

  it('reports an error of the statement to the model, with its place', async () => {
    await expect(call(options(), { sql: 'select nothing from orders' })).rejects.toThrow(
      /rejected the statement.*nothing/,
    );
    await expect(call(options(), { sql: `select ${one}` })).rejects.toMatchObject({ name: 'ToolError' });
  });
});

it('converts the types of Postgres to JSON', async () => {
  const sql = `select 1.10::numeric, 'NaN'::float8, true, '{"a":[1]}'::jsonb, '\\xff00'::bytea, '2026-01-02'::date,
    '2026-01-02 03:04:05.123456'::timestamp, array[1,2], '1 day'::interval, 5::int8, null::text,
    array['{"a":"]"}', '[1]', null]::json[]`;
  const { rows } = (await call({ url: server.reader }, { sql })) as { rows: unknown[][] };
  expect(rows[0]).toEqual([
    ...['1.10', 'NaN', true, { a: [1] }, { base64: '/wA=' }, '2026-01-02', '2026-01-02 03:04:05.123456'],
    ...[[1, 2], 'P1D', 5, null, [{ a: ']' }, [1], null]],
  ]);
});

it('returns the bytes of SQLite, and stores whole numbers and truth values as such', async () => {
  const sql = "select x'ff00', 1.5, typeof(?), typeof(?), ?";
  expect(await call({ file: file.file }, { sql, params: [7, true, null] })).toMatchObject({
    rows: [[{ base64: '/wA=' }, 1.5, 'integer', 'integer', null]],
  });
});

it('changes rows only as an unsafe tool, and reports what certainly was not changed', async () => {
  const insert = { sql: "insert into orders values (4, 'Dan', 1)" };
  for (const options of [{ file: file.file }, { url: server.writer }] as const) {
    await expect(call(options, insert)).rejects.toThrow('INSERT is not allowed');
    const tool = sqlQuery({ ...options, effects: 'unsafe' });
    expect(tool.snapshot).toMatchObject({ effects: 'unsafe', attempts: 1, kind: 'database' });
    expect(await call({ ...options, effects: 'unsafe' }, insert)).toMatchObject({ rowCount: 1, rows: [] });
    await expect(call({ ...options, effects: 'unsafe' }, insert)).rejects.toMatchObject({
      ...{ name: 'NotDone', message: expect.stringContaining('Nothing was changed') },
    });
    // All rows are changed, though only one is returned.
    const raise = { sql: 'update orders set total = total + 1 returning id' };
    expect(await call({ ...options, effects: 'unsafe', maxRows: 1 }, raise)).toMatchObject({ truncated: true });
    const sum = { sql: 'select sum(total) from orders' };
    expect(await call(options, sum)).toMatchObject({ rows: [[7_005]] });
  }
  expect(file.count()).toBe(4);
});

it('rejects a Postgres user with powers beyond data, unless it is permitted', async () => {
  const sql = 'select 1 as one';
  await expect(call({ url: server.owner }, { sql })).rejects.toThrow(/powers beyond data \(.*superuser/);
  expect(await call({ url: server.owner, allowSuperuser: true }, { sql })).toMatchObject({ rows: [[1]] });
});

it('rejects a plan above the cost limit before it runs', async () => {
  const sql = 'select count(*) from generate_series(1, 1000000) a, generate_series(1, 1000000) b';
  await expect(call({ url: server.reader, maxCost: 10_000 }, { sql })).rejects.toThrow(/costs \d+; the limit is 10000/);
  expect(
    await call({ url: server.reader, maxCost: 10_000 }, { sql: 'select 1 where 1 = $1', params: [1] }),
  ).toMatchObject({
    rowCount: 1,
  });
});

const endless = 'with recursive n(x) as (select 1 union all select x + 1 - 1 from n) select max(x) from n';

it('ends a statement of SQLite that never ends, while the event loop continues', async () => {
  let turns = 0;
  const clock = setInterval(() => (turns += 1), 10);
  await expect(call({ file: file.file, timeout: 400 }, { sql: endless })).rejects.toThrow('longer than 0.4 s');
  clearInterval(clock);
  expect(turns).toBeGreaterThan(5);
});

it('cancels the statement in the database', async () => {
  const stop = new AbortController();
  const running = async () =>
    (
      await server.query(
        "select 1 from pg_stat_activity where application_name = 'longhand sql_query' and state = 'active' and query like '%x + 1 - 1%'",
      )
    ).length;
  const pending = call({ url: server.reader, timeout: '5 minutes' }, { sql: endless }, { signal: stop.signal });
  const ended = expect(pending).rejects.toThrow('by a person');
  await expect.poll(running).toBe(1);
  stop.abort(new Error('by a person'));
  await ended;
  await expect.poll(running).toBe(0);
});

it('a change that is cancelled before it is committed changed nothing', async () => {
  const stop = new AbortController();
  const slow = `insert into orders select 99, 'Eve', (${endless})`;
  const options = { url: server.writer, effects: 'unsafe', timeout: '5 minutes' } as const;
  const pending = call(options, { sql: slow.replace('1 - 1', '3 - 3') }, { signal: stop.signal });
  const ended = expect(pending).rejects.toMatchObject({ name: 'NotDone' });
  await expect
    .poll(
      async () => (await server.query("select 1 from pg_stat_activity where query like 'insert%x + 3 - 3%'")).length,
    )
    .toBe(1);
  stop.abort();
  await ended;
  expect(await server.query('select 1 from orders where id = 99')).toEqual([]);
  for (const before of [options, { file: file.file, effects: 'unsafe' } as const]) {
    const late = call(before, { sql: 'delete from orders' }, { signal: stop.signal });
    await expect(late).rejects.toMatchObject({ name: 'NotDone' });
  }
});

it.each([
  ['23514', 'NotDone'],
  ['40001', 'NotDone'],
  ['57P01', 'Error'],
  ['08006', 'Error'],
  ['P0001', 'Error'],
])('a commit that fails with %s is reported as %s', async (code, name) => {
  await server.query(`create or replace function fail() returns trigger language plpgsql as
    $$begin raise exception 'no' using errcode = '${code}'; end$$`);
  await server.query(`create constraint trigger fails after insert on orders deferrable initially deferred
    for each row execute function fail()`);
  try {
    const failed = call({ url: server.writer, effects: 'unsafe' }, { sql: "insert into orders values (50, 'Eve', 1)" });
    await expect(failed).rejects.toMatchObject({ name });
  } finally {
    await server.query('drop trigger fails on orders');
  }
});

it('rejects an invalid address without showing it', async () => {
  for (const [effects, name] of [
    ['read', 'ToolError'],
    ['unsafe', 'NotDone'],
  ] as const) {
    const secret = () => 'postgres://clerk:canary@[x/shop';
    const failed = call({ url: { secret: 'DB' }, effects }, { sql: 'select 1' }, { secret });
    await expect(failed).rejects.toMatchObject({ name, message: expect.not.stringContaining('canary') });
  }
});

it('tries again while the database does not answer, and never shows its address', async () => {
  const url = 'postgres://clerk@127.0.0.1:1/shop';
  const failed = call({ url }, { sql: 'select 1' });
  await expect(failed).rejects.toMatchObject({
    name: 'Error',
    message: 'The database does not answer (ECONNREFUSED).',
  });
  const secret = () => `${server.reader.replace('@', ':wrong-canary@')}_missing`;
  const rejected = call({ url: { secret: 'DB' } }, { sql: 'select 1' }, { secret });
  await expect(rejected).rejects.toThrow(/^The database rejected the login \(3D000\)/);
  const missing = call({ file: '/nowhere/canary.db' }, { sql: 'select 1' });
  await expect(missing).rejects.toThrow(/^The database file cannot be opened \(/);
});

it.each([
  [{}, 'set either url'],
  [{ file: 'a.db', url: 'postgres://a@b/c' }, 'set either url'],
  [{ url: 'postgres://a:canary@b/c' }, 'url has a password'],
  [{ url: 'postgres://a@b/c?password=canary' }, 'url has a password'],
  [{ url: 'mysql://a@b/c' }, 'url must be'],
  [{ url: { secret: '' } }, 'url.secret'],
  [{ file: 'a.db', maxCost: 1 }, 'for Postgres'],
  [{ file: 'a.db', maxRows: 0 }, 'maxRows'],
  [{ file: 'a.db', effects: 'idempotent' }, 'effects'],
  [{ file: 'a.db', tables: { orders: 1 } }, 'tables'],
  [{ file: 'a.db', effects: 'unsafe', cacheTtl: '1h' }, 'cacheTtl'],
])('the definition %j is rejected', (options, problem) => {
  const define = () => sqlQuery(options as SqlQueryOptions);
  expect(define).toThrow(problem);
  expect(define).not.toThrow('canary');
});

it('shows the model the tables that the definition lists', () => {
  const { snapshot } = sqlQuery({ file: 'a.db', description: 'The shop.', tables: { orders: 'id, total (cents)' } });
  expect(snapshot.description).toContain('The shop.\nReads from an SQLite database');
  expect(snapshot.description).toContain('orders: id, total (cents)');
});

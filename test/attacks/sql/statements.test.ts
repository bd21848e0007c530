/** Statements that try to change data, to leave the database or to exhaust the worker: each is blocked with its reason. */

import { afterAll, beforeAll, expect, it } from 'vitest';
import { sqlQuery } from '../../../src/entries/tools.js';
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

async function attack(database: 'sqlite' | 'postgres' | 'writer', sql: string, params: readonly unknown[] = []) {
  const limits = { timeout: 1_000, maxBytes: 10_000 };
  const tool =
    database === 'sqlite'
      ? sqlQuery({ file: file.file, ...limits })
      : // Also with the rights to change rows, the transaction only reads.
        sqlQuery({ url: database === 'writer' ? server.writer : server.reader, ...limits });
  return await Promise.resolve(tool.parse({ sql, params })(contextOf())).then(
    (value) => `returned ${JSON.stringify(value)}`,
    (error: Error) => `${error.name}: ${error.message}`,
  );
}

const oneStatement = /^ToolError: Only one statement/;
const notAllowed = /^ToolError: \S+( text)? is not allowed/;
const forbidden = /^ToolError: The function \S+ is not allowed/;
const onlyReads =
  /^ToolError: (The statement would change data; this tool only reads|.*(cannot execute|DECLARE|not allowed))/;
const tooLong = /^ToolError: The statement took longer than 1 s/;
const unreadable = /^ToolError: The statement cannot be read/;
const nameNotAllowed = /^ToolError: The name \S+ is not allowed/;
const rejected = /^ToolError: The database rejected the statement/;

it.each([
  ['two statements', 'select 1; drop table orders', oneStatement],
  ['a statement behind a comment', 'select 1 /* ; */ ; delete from orders', oneStatement],
  ['a comment that only SQLite ends', 'select 1 /* /* */ ; delete from orders -- */', oneStatement],
  ['a comment before the statement', '/* select */ delete from orders', notAllowed],
  ['a line comment before the statement', '-- select\ndelete from orders', notAllowed],
  ['an open comment', 'select 1 /* delete from orders', unreadable],
  ['an open text', "select '; delete from orders", unreadable],
  ['a null character', 'select 1\0; delete from orders', /U\+0000/],
  ['a change in a CTE', "with x as (select 4) insert into orders select 4, 'x', 1 from x", onlyReads],
  ['a delete after a CTE', 'with x as (select 1) delete from orders where id in (select * from x)', onlyReads],
  ['attach', "attach '/tmp/other.db' as other", notAllowed],
  ['attach in small steps', "/**/attach/**/'/tmp/other.db' as other", notAllowed],
  ['vacuum into a file', "vacuum into '/tmp/stolen.db'", notAllowed],
  ['pragma', 'pragma writable_schema = on', notAllowed],
  ['pragma that ends the reading', 'pragma query_only = off', notAllowed],
  ['a transaction', 'begin immediate', notAllowed],
  ['explain', 'explain select 1', notAllowed],
  ['an extension', "select load_extension('/tmp/x.so')", forbidden],
  ['an extension by a quoted name', `select "load_extension" ('/tmp/x.so')`, forbidden],
  ['an extension by a bracketed name', "select [load_extension]/**/('/tmp/x.so')", forbidden],
  ['a pragma as a function', "select * from pragma_table_info('orders')", nameNotAllowed],
  ['a pragma as a table', 'select * from pragma_database_list', nameNotAllowed],
  ['a pragma as a table with a quoted name', `select * from 'Pragma_database_list', "orders"`, nameNotAllowed],
  ['a comment that only Postgres ends', 'select 1 --\r/*\n; delete from orders --*/', oneStatement],
  ['a quote in a placeholder', "select $a('), load_extension($b(')", unreadable],
  ['a space of another kind', 'select\u00a01', unreadable],
  ['a file by a function of the shell', "select writefile('/tmp/x', 'y')", forbidden],
  [
    'a recursion without an end',
    'with recursive n(x) as (select 1 union all select 1 from n) select count(*) from n',
    tooLong,
  ],
  [
    'a product without an end',
    'with recursive n(x) as (select 1 union all select x + 1 from n where x < 9000) select count(*) from n a, n b, n c',
    tooLong,
  ],
  [
    'a recursion that fills memory',
    `with recursive n(x) as (select randomblob(40000000) union select randomblob(40000000) from n) select count(*) from n`,
    /too much memory|longer than|too big/,
  ],
  ['a huge text', 'select hex(zeroblob(3000000))', /The first row has/],
  ['a huge blob', 'select zeroblob(900000000)', /too much memory|The first row has|longer|too big/],
  ['nothing', '-- nothing', notAllowed],
])('SQLite: %s', async (_name, sql, reason) => {
  expect(await attack('sqlite', sql)).toMatch(reason);
  expect(file.count()).toBe(3);
});

const onPostgres: readonly (readonly [string, string, RegExp, (readonly unknown[])?])[] = [
  ['two statements', 'select 1; drop table orders', oneStatement],
  ['two statements with parameters', 'select $1::int; delete from orders', oneStatement, [1]],
  ['a nested comment', 'select 1 /* /* */ ; delete from orders */ ; delete from orders', oneStatement],
  ['a text with a backslash', "select E'\\'; delete from orders --'", /returned/],
  ['a text without escapes', "select '\\'; delete from orders --'", oneStatement],
  ['an open dollar quote', 'select $a$ ; $b$', unreadable],
  ['a statement in dollar quotes', 'select $a$ ; delete from orders; $a$', /returned/],
  ['escapes of Unicode in names', 'select U&"\\0070g_sleep"(9)', unreadable],
  ['a comment that ends at a carriage return', '--\rDO $$begin perform 1; end$$ /*\nselect 1 */', notAllowed],
  ['a statement behind a carriage return', 'select 1 --\r; delete from orders', oneStatement],
  ['a continued text with escapes', "select E'a'\n'\\' ', pg_sleep(5) --'", unreadable],
  ['a continued text behind a comment', "select E'a' -- b\n '\\' ', pg_sleep(5) --'", unreadable],
  ['a continued text without escapes', "select 'a'\n'b'", /returned/],
  ['a name that looks like a space', 'select 1 as \u00a0$$, pg_sleep(5) as \u00a0$$', unreadable],
  ['a name that looks like a sign', 'select 1 as \u{1f600}$$, pg_sleep(5) as \u{1f600}$$', unreadable],
  ['a control character', 'select 1\u0001', unreadable],
  ['a number before a dollar quote', 'select 0x1$$ /* $$, pg_sleep(5) -- */', unreadable],
  ['a name with letters of a language', 'select 1 as größe$$', /returned/],
  ['a statement in a text of a search', "select ts_rewrite('a'::tsquery, 'select pg_sleep(5)')", forbidden],
  ['a delete in a CTE', 'with x as (delete from orders returning *) select * from x', onlyReads],
  ['an update in a CTE', 'with x as (update orders set total = 0 returning *) select * from x', onlyReads],
  ['locks', 'select * from orders for update', onlyReads],
  ['a new table', 'select * into stolen from orders', onlyReads],
  ['a sequence', "select nextval('numbers')", onlyReads],
  ['copy to a program', "copy orders to program 'cat > /tmp/x'", notAllowed],
  ['copy to a file', "copy orders to '/tmp/x'", notAllowed],
  ['a block of code', 'do $$ begin delete from orders; end $$', notAllowed],
  ['a role', 'set role postgres', notAllowed],
  ['the end of the transaction', 'commit', notAllowed],
  ['a prepared statement', 'prepare x as delete from orders', notAllowed],
  ['its execution', 'execute x', notAllowed],
  ['explain that runs', 'explain analyze delete from orders', notAllowed],
  ['a listener', 'listen x', notAllowed],
  ['another role by a function', "select set_config('role', 'longhand', false)", forbidden],
  ['the transaction by a function', "select set_config('transaction_read_only', 'off', false)", forbidden],
  ['the time limit by a function', `select pg_catalog."set_config"('statement_timeout', '0', false)`, forbidden],
  ['a sleep', 'select pg_sleep(60)', forbidden],
  ['a sleep behind a comment', 'select pg_sleep/* */(60)', forbidden],
  ['a file', "select pg_read_file('/etc/passwd')", forbidden],
  ['a folder', "select pg_ls_dir('/')", forbidden],
  ['a large object from a file', "select lo_import('/etc/passwd')", forbidden],
  ['a large object', "select lo_from_bytea(0, 'x')", forbidden],
  ['other sessions', 'select pg_terminate_backend(pid) from pg_stat_activity', forbidden],
  ['another server', "select dblink_connect('host=127.0.0.1')", forbidden],
  ['a statement in a text', "select query_to_xml('select pg_sleep(60)', true, true, '')", forbidden],
  ['a lock of the session', 'select pg_advisory_lock(1)', forbidden],
  ['passwords', 'select * from pg_authid', rejected],
  [
    'a recursion without an end',
    'with recursive n(x) as (select 1 union all select 1 from n) select count(*) from n',
    tooLong,
  ],
  [
    'a product without an end',
    'select count(*) from generate_series(1, 1000000) a, generate_series(1, 1000000) b',
    tooLong,
  ],
  ['a huge value', "select repeat('x', 500000000)", /row is too large|The first row has|took longer/],
  ['a deep JSON value', "select (repeat('[', 4000) || repeat(']', 4000))::json", /returned .*"\[{4000}/],
  [
    'a deep JSON value with brackets in its texts',
    `select (repeat('["]",', 1000) || '1' || repeat(']', 1000))::json`,
    /returned .*"(?:\[\\"\]\\",){1000}1/,
  ],
  [
    'a list of deep JSON values',
    "select array[(repeat('[', 4000) || repeat(']', 4000))::jsonb]",
    /returned .*\[{4000}/,
  ],
  ['a parameter without a value', 'select $2::int', rejected, [1]],
];

it.each(onPostgres.map(([name, sql, reason, params = []]) => [name, sql, reason, params] as const))(
  'Postgres: %s',
  async (_name, sql, reason, params) => {
    for (const user of ['postgres', 'writer'] as const) expect(await attack(user, sql, params)).toMatch(reason);
    expect(await server.query('select count(*)::int as n from orders')).toEqual([{ n: 3 }]);
  },
);

it('rows without an end are cut, not collected', async () => {
  const endless = 'with recursive n(x) as (select 1 union all select 1 from n) select x from n';
  expect(await attack('postgres', endless)).toMatch(/"rowCount":100,"truncated":true/);
  expect(await attack('sqlite', endless)).toMatch(/"rowCount":100,"truncated":true/);
});

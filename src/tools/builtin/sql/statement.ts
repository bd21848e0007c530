/**
 * Checks a statement before the database sees it: one statement, of a kind that is allowed, without functions that act
 * outside of its data. The database's own rules are the barrier; these are a second one, with better messages.
 */

import { type SqlDialect, type SqlToken, splitSql } from './tokens.js';

export interface StatementRules {
  readonly dialect: SqlDialect;
  /** Whether statements may change rows. */
  readonly canWrite: boolean;
}

/** The statement without a closing semicolon, or what is wrong with it. */
export type CheckedStatement = { readonly sql: string } | { readonly problem: string };

const readWords = ['select', 'with', 'values'];
const writeWords = ['insert', 'update', 'delete'];

export function checkStatement(sql: string, { dialect, canWrite }: StatementRules): CheckedStatement {
  if (sql.includes('\0')) return { problem: 'The statement contains the character U+0000. Remove it.' };
  const tokens = splitSql(sql, dialect);
  if (typeof tokens === 'string') return { problem: `The statement cannot be read: ${tokens}.` };
  const end = tokens.findIndex(isSemicolon);
  if (end !== -1 && tokens.slice(end).some((token) => !isSemicolon(token))) {
    return { problem: 'Only one statement per call is allowed. Make a call for each statement.' };
  }
  const allowed = canWrite ? [...readWords, ...writeWords] : readWords;
  const [first] = tokens;
  if (first?.kind !== 'word' || !allowed.includes(first.text)) {
    const name = first?.kind === 'word' ? first.text.toUpperCase() : 'this text';
    return { problem: `${name} is not allowed. A statement begins with ${allowed.join(', ').toUpperCase()}.` };
  }
  const called = findForbiddenCall(tokens, forbiddenFunctions[dialect]);
  if (called !== null) return { problem: `The function ${called} is not allowed: it acts outside of the data.` };
  const pragma = dialect === 'sqlite' ? findPragma(tokens) : null;
  if (pragma !== null)
    return { problem: `The name ${pragma} is not allowed: it is no data. Write texts as placeholders.` };
  return { sql: end === -1 ? sql : removeEnd(sql) };
}

/** A comment may follow the semicolon: then both stay, which is one statement to the database too. */
function removeEnd(sql: string): string {
  return sql.replace(/[\s;]+$/, '');
}

function isSemicolon(token: SqlToken): boolean {
  return token.kind === 'sign' && token.text === ';';
}

/** By a part of the name, because versions of a database add functions. */
const forbiddenFunctions: { readonly [dialect in SqlDialect]: RegExp } = {
  sqlite: /^(?:load_extension|readfile|writefile|edit|fts3_tokenizer)$/,
  postgres: new RegExp(
    `^(?:${[
      'set_config|pg_sleep.*|setseed',
      // Files, other servers, large objects, other sessions and the server itself.
      'pg_read_.*|pg_ls_.*|pg_stat_file|pg_file_.*|lo_.*|loread|lowrite|dblink.*|postgres_fdw_.*|http_.*',
      'pg_cancel_backend|pg_terminate_backend|pg_reload_conf|pg_rotate_logfile.*|pg_log_backend_.*|pg_promote|pg_notify',
      'pg_switch_wal|pg_create_.*|pg_drop_.*|pg_logical_.*|pg_replication_.*|pg_advisory_.*|pg_try_advisory_.*|pg_backup_.*',
      'pg_wal_replay_.*|pg_import_.*|pg_export_snapshot|pg_stat_reset.*|pg_stat_statements_reset',
      // They execute a text as a statement.
      'query_to_xml.*|cursor_to_xml.*|table_to_xml.*|schema_to_xml.*|database_to_xml.*|ts_stat|ts_rewrite|crosstab.*|connectby|xpath_table',
    ].join('|')})$`,
  ),
};

function findForbiddenCall(tokens: readonly SqlToken[], forbidden: RegExp): string | null {
  for (const [at, token] of tokens.entries()) {
    if (token.kind !== 'word' && token.kind !== 'quoted') continue;
    const next = tokens[at + 1];
    if (next?.kind === 'sign' && next.text === '(' && forbidden.test(token.text)) return token.text;
  }
  return null;
}

/** SQLite has its pragmas as tables, also without parentheses and with a name in single quotes. */
function findPragma(tokens: readonly SqlToken[]): string | null {
  for (const token of tokens) if (token.kind !== 'sign' && /^pragma_\w*$/.test(token.text)) return token.text;
  return null;
}

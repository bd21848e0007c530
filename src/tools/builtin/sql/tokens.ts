/**
 * Splits a SQL statement into tokens, as far as its checks need them: what is text or a comment for the database must be so
 * here. An unknown form is a problem, never a guess.
 */

export type SqlDialect = 'sqlite' | 'postgres';

export type SqlToken =
  | { readonly kind: 'word'; readonly text: string }
  | { readonly kind: 'quoted'; readonly text: string }
  | { readonly kind: 'literal' }
  | { readonly kind: 'sign'; readonly text: string };

/** Returns the tokens without comments, or what is wrong. */
export function splitSql(sql: string, dialect: SqlDialect): readonly SqlToken[] | string {
  const tokens: SqlToken[] = [];
  for (let at = 0; at < sql.length; ) {
    const rest = sql.slice(at, at + 2);
    if (rest === '--') {
      const end = sql.indexOf('\n', at);
      at = end === -1 ? sql.length : end + 1;
    } else if (rest === '/*') {
      const end = findCommentEnd(sql, at, dialect);
      if (end === null) return 'a comment is not closed';
      at = end;
    } else if (/\s/.test(rest.charAt(0))) at += 1;
    else {
      const found = readToken(sql, at, dialect);
      if (typeof found === 'string') return found;
      tokens.push(found.token);
      at = found.end;
    }
  }
  return tokens;
}

/** Comments of Postgres may be within each other, those of SQLite end at the first end. */
function findCommentEnd(sql: string, start: number, dialect: SqlDialect): number | null {
  let depth = 0;
  for (let at = start; at < sql.length; ) {
    const pair = sql.slice(at, at + 2);
    if (pair === '*/') {
      depth -= 1;
      at += 2;
      if (depth === 0) return at;
    } else if (pair === '/*' && (depth === 0 || dialect === 'postgres')) {
      depth += 1;
      at += 2;
    } else at += 1;
  }
  return null;
}

type FoundToken = { readonly token: SqlToken; readonly end: number } | string;

const word = /[\p{L}_\u0080-\uffff][\p{L}\p{N}_$\u0080-\uffff]*/uy;
const dollarQuote = /\$(?:[\p{L}_\u0080-\uffff][\p{L}\p{N}_\u0080-\uffff]*)?\$/uy;

function readToken(sql: string, at: number, dialect: SqlDialect): FoundToken {
  const first = sql.charAt(at);
  if (dialect === 'postgres') {
    if (/^u&["']/i.test(sql.slice(at, at + 3))) return 'texts and names with U& are not allowed: write the characters';
    // Only here is a backslash more than a character.
    if (/^e'/i.test(sql.slice(at, at + 2))) return readQuoted(sql, at + 1, "'", true);
    const quote = matchAt(dollarQuote, sql, at);
    if (quote !== null) {
      const end = sql.indexOf(quote, at + quote.length);
      return end === -1 ? 'a text is not closed' : { token: { kind: 'literal' }, end: end + quote.length };
    }
  } else if (first === '[' || first === '`') return readQuoted(sql, at, first === '[' ? ']' : '`');
  if (first === "'" || first === '"') return readQuoted(sql, at, first);
  const name = matchAt(word, sql, at);
  if (name !== null) return { token: { kind: 'word', text: name.toLowerCase() }, end: at + name.length };
  return { token: { kind: 'sign', text: first }, end: at + 1 };
}

/** Reads to the closing sign, which counts as a character where it is doubled. */
function readQuoted(sql: string, start: number, close: string, hasEscapes = false): FoundToken {
  for (let at = start + 1; at < sql.length; at += 1) {
    const sign = sql.charAt(at);
    if (hasEscapes && sign === '\\') at += 1;
    else if (sign === close) {
      if (sql.charAt(at + 1) !== close || close === ']') {
        const text = sql.slice(start + 1, at).toLowerCase();
        return { token: close === "'" ? { kind: 'literal' } : { kind: 'quoted', text }, end: at + 1 };
      }
      at += 1;
    }
  }
  return 'a text or a name is not closed';
}

function matchAt(pattern: RegExp, text: string, at: number): string | null {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? null;
}

/**
 * Splits a SQL statement into tokens, as far as its checks need them: what is text or a comment for the database must be so
 * here. An unknown form is a problem, never a guess.
 */

export type SqlDialect = 'sqlite' | 'postgres';

export type SqlToken =
  | { readonly kind: 'word'; readonly text: string }
  | { readonly kind: 'quoted'; readonly text: string }
  | { readonly kind: 'literal'; readonly text: string; readonly hasEscapes: boolean }
  | { readonly kind: 'sign'; readonly text: string };

/** Returns the tokens without comments, or what is wrong. */
export function splitSql(sql: string, dialect: SqlDialect): readonly SqlToken[] | string {
  const tokens: SqlToken[] = [];
  for (let at = 0; at < sql.length; ) {
    const rest = sql.slice(at, at + 2);
    if (rest === '--') {
      at = findLineEnd(sql, at, dialect);
    } else if (rest === '/*') {
      const end = findCommentEnd(sql, at, dialect);
      if (end === null) return 'a comment is not closed';
      at = end;
    } else if (/[ \t\n\r\f\v]/.test(rest.charAt(0))) at += 1;
    else {
      const last = tokens.at(-1);
      // After a line break, Postgres continues the text before it, with its escapes.
      if (rest.startsWith("'") && last?.kind === 'literal' && last.hasEscapes) {
        return 'a text follows a text with escapes: join them by ||';
      }
      const token = readToken(sql, at, dialect);
      if (typeof token === 'string') return token;
      tokens.push(token.token);
      at = token.end;
    }
  }
  return tokens;
}

/** A carriage return ends a comment of Postgres too, but none of SQLite. */
function findLineEnd(sql: string, start: number, dialect: SqlDialect): number {
  const length = sql.slice(start).search(dialect === 'postgres' ? /[\r\n]/ : /\n/);
  return length === -1 ? sql.length : start + length + 1;
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

const word = /[\p{L}_][\p{L}\p{M}\p{N}_$]*/uy;
const dollarQuote = /\$(?:[\p{L}_][\p{L}\p{M}\p{N}_]*)?\$/uy;
/** Whether the dollar begins a text depends on the version of Postgres. */
const numberWithDollar = /\d[\w.]*\$/y;

function readToken(sql: string, at: number, dialect: SqlDialect): FoundToken {
  const first = sql.charAt(at);
  if (dialect === 'postgres') {
    if (/^u&["']/i.test(sql.slice(at, at + 3))) return 'texts and names with U& are not allowed: write the characters';
    // Only here is a backslash more than a character.
    if (/^e'/i.test(sql.slice(at, at + 2))) return readQuoted(sql, at + 1, "'", true);
    const quote = matchAt(dollarQuote, sql, at);
    if (quote !== null) {
      const end = sql.indexOf(quote, at + quote.length);
      if (end === -1) return 'a text is not closed';
      const text = sql.slice(at + quote.length, end);
      return { token: { kind: 'literal', text, hasEscapes: false }, end: end + quote.length };
    }
    if (matchAt(numberWithDollar, sql, at) !== null) return 'a number contains the character $';
  } else if (/[$@:#]/.test(first)) return `the placeholder ${first} is not allowed: write ?`;
  else if (first === '[' || first === '`') return readQuoted(sql, at, first === '[' ? ']' : '`');
  if (first === "'" || first === '"') return readQuoted(sql, at, first);
  const name = matchAt(word, sql, at);
  if (name !== null) return { token: { kind: 'word', text: name.toLowerCase() }, end: at + name.length };
  // Other characters are parts of names to the databases, and look like spaces or like nothing to people.
  if (!/[!-~]/.test(first)) {
    const code = sql.codePointAt(at)!.toString(16).toUpperCase().padStart(4, '0');
    return `the character U+${code} is outside of quotes`;
  }
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
        return { token: close === "'" ? { kind: 'literal', text, hasEscapes } : { kind: 'quoted', text }, end: at + 1 };
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

/**
 * Parses a formula to a tree. A grammar of its own, with numbers, operators and known functions only: nothing of it is code.
 *
 * `^` binds most tightly and to the right, then signs (`-2^2` is -4), then `* / %`, then `+ -`.
 */

export type Formula =
  | { readonly kind: 'number'; readonly text: string }
  | { readonly kind: 'name'; readonly name: string; readonly at: number }
  | { readonly kind: 'negate'; readonly operand: Formula }
  | { readonly kind: 'operation'; readonly operator: string; readonly left: Formula; readonly right: Formula }
  | { readonly kind: 'call'; readonly name: string; readonly at: number; readonly operands: readonly Formula[] };

/** A formula that cannot be computed; the message is for the model. */
export class FormulaError extends Error {
  override readonly name = 'FormulaError';
}

interface Token {
  readonly text: string;
  readonly kind: 'number' | 'name' | 'sign' | 'end';
  /** From 1. */
  readonly at: number;
}

const maxDepth = 100;
const maxTokens = 2_000;

const tokenPattern = /\s*(?:((?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)|([a-z_]\w*)|(\*\*|[-+*/%^(),]))/iy;

/** @throws {FormulaError} */
export function parseFormula(text: string): Formula {
  const tokens = readTokens(text);
  let next = 0;
  let depth = 0;
  const peek = () => tokens[next]!;
  const take = () => tokens[next++]!;

  const deeper = <T>(parse: () => T): T => {
    depth += 1;
    if (depth > maxDepth) throw new FormulaError(`It has more than ${maxDepth} levels. Compute parts of it first.`);
    const parsed = parse();
    depth -= 1;
    return parsed;
  };

  const expect = (text: string) => {
    const token = take();
    if (token.text !== text) throw createUnexpected(token, JSON.stringify(text));
  };

  const parseSum = (): Formula => parseLeft(['+', '-'], parseProduct);
  const parseProduct = (): Formula => parseLeft(['*', '/', '%'], parseSigned);

  function parseLeft(operators: readonly string[], parseOperand: () => Formula): Formula {
    let left = parseOperand();
    // A chain of operations is a tree as deep as it is long.
    let length = 0;
    while (operators.includes(peek().text)) {
      const operator = take().text;
      length += 1;
      if (length > maxTokens) throw new FormulaError('It is too long.');
      left = { kind: 'operation', operator, left, right: parseOperand() };
    }
    return left;
  }

  const parseSigned = (): Formula =>
    deeper(() => {
      if (peek().text === '-') {
        take();
        return { kind: 'negate', operand: parseSigned() };
      }
      if (peek().text !== '+') return parsePower();
      take();
      return parseSigned();
    });

  function parsePower(): Formula {
    const left = parseOperand();
    if (peek().text !== '^' && peek().text !== '**') return left;
    take();
    return { kind: 'operation', operator: '^', left, right: parseSigned() };
  }

  function parseOperand(): Formula {
    const token = take();
    if (token.kind === 'number') return { kind: 'number', text: token.text };
    if (token.text === '(') {
      const inner = deeper(parseSum);
      expect(')');
      return inner;
    }
    if (token.kind !== 'name') throw createUnexpected(token, 'a number');
    if (peek().text !== '(') return { kind: 'name', name: token.text, at: token.at };
    take();
    const operands: Formula[] = [];
    if (peek().text !== ')') {
      operands.push(deeper(parseSum));
      while (peek().text === ',') {
        take();
        operands.push(deeper(parseSum));
      }
    }
    expect(')');
    return { kind: 'call', name: token.text, at: token.at, operands };
  }

  const formula = parseSum();
  const rest = take();
  if (rest.kind !== 'end') throw createUnexpected(rest, 'an operator');
  return formula;
}

function readTokens(text: string): readonly Token[] {
  const tokens: Token[] = [];
  tokenPattern.lastIndex = 0;
  const end = text.trimEnd().length;
  while (tokenPattern.lastIndex < end) {
    const from = tokenPattern.lastIndex;
    const match = tokenPattern.exec(text);
    if (match === null) {
      const at = from + (text.slice(from).length - text.slice(from).trimStart().length);
      const character = JSON.stringify(String.fromCodePoint(text.codePointAt(at) ?? 32));
      throw new FormulaError(
        `It has ${character} at position ${at + 1}. Use numbers such as 1234.5, + - * / % ^, ( ) and functions.`,
      );
    }
    const [, number, name, sign = ''] = match;
    const kind = number !== undefined ? 'number' : name !== undefined ? 'name' : 'sign';
    const part = number ?? name ?? sign;
    tokens.push({ text: part, kind, at: tokenPattern.lastIndex - part.length + 1 });
    if (tokens.length > maxTokens) throw new FormulaError(`It has more than ${maxTokens} parts.`);
  }
  return [...tokens, { text: '', kind: 'end', at: end + 1 }];
}

function createUnexpected({ kind, text, at }: Token, expected: string): FormulaError {
  const token = kind === 'end' ? 'its end' : JSON.stringify(text);
  return new FormulaError(`At position ${at}, expected ${expected}, found ${token}.`);
}

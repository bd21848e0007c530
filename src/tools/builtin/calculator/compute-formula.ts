/** Computes a formula with decimal numbers: 0.1 + 0.2 is 0.3. Sizes and work are limited, so that no formula takes long. */

import { Decimal as AnyDecimal } from 'decimal.js';
import { findNearest, findOwn } from '../../../core/lib/index.js';
import { type Formula, FormulaError } from './parse-formula.js';

/** Digits of each intermediate result. */
const precision = 60;
/** Digits of the result: the others absorb rounding. */
const shownDigits = 50;
const maxExponent = 5_000;
/** Work of one formula, in units of about half a millisecond; sums and products take microseconds and are free. */
const maxWork = 100;
/** Products of a factorial that take one unit. */
const productsPerUnit = 100;

/** A class of its own: a setting of the application must not change results. */
const Decimal = AnyDecimal.clone({
  ...{ precision, rounding: AnyDecimal.ROUND_HALF_EVEN, maxE: maxExponent, minE: -maxExponent },
  ...{ toExpNeg: -20, toExpPos: shownDigits, modulo: AnyDecimal.ROUND_DOWN, crypto: false, defaults: true },
});

type Value = AnyDecimal;

/** Work of one formula so far. */
interface Work {
  units: number;
}

/** Counts the work of an operation before it is computed. @throws {FormulaError} */
function spend(work: Work, units: number): void {
  work.units += units;
  if (work.units <= maxWork) return;
  throw new FormulaError(
    'Its powers, roots, logarithms, angles and factorials are too much work. Compute parts of it first.',
  );
}

/** Returns the result as a text, exact to 50 digits. @throws {FormulaError} */
export function computeFormula(formula: Formula): string {
  const value = compute(formula, { units: 0 }).toSignificantDigits(shownDigits);
  return value.isZero() ? '0' : value.toString();
}

function compute(formula: Formula, work: Work): Value {
  switch (formula.kind) {
    case 'number':
      // Rounded: the time of each operation depends on the digits of its operands.
      return check(new Decimal(formula.text).toSignificantDigits(precision), formula.text);
    case 'name': {
      const constant = findOwn(constants, formula.name.toLowerCase());
      if (constant === undefined) throw createUnknown('name', formula.name, formula.at, Object.keys(constants));
      return constant;
    }
    case 'negate':
      return compute(formula.operand, work).negated();
    case 'operation':
      return computeOperation(formula, work);
    case 'call':
      return computeCall(formula, work);
  }
}

/** A chain of operations is computed without recursion to the left: it may have a thousand parts. */
function computeOperation(formula: Formula & { readonly kind: 'operation' }, work: Work): Value {
  const chain: (typeof formula)[] = [];
  let first: Formula = formula;
  while (first.kind === 'operation') {
    chain.push(first);
    first = first.left;
  }
  return chain.reduceRight(
    (left, { operator, right }) => operate(operator, left, compute(right, work), work),
    compute(first, work),
  );
}

function operate(operator: string, left: Value, right: Value, work: Work): Value {
  const term = `${show(left)} ${operator} ${show(right)}`;
  if ((operator === '/' || operator === '%') && right.isZero()) throw new FormulaError(`${term} divides by zero.`);
  if (operator === '^') {
    spend(work, measurePower(right));
    return power(left, right);
  }
  if (operator === '+') return check(left.plus(right), term);
  if (operator === '-') return check(left.minus(right), term);
  return check(operator === '*' ? left.times(right) : operator === '/' ? left.div(right) : modulo(left, right), term);
}

/** A power with a fraction takes a logarithm and an exponential function. */
function measurePower(exponent: Value): number {
  return exponent.isInteger() && exponent.abs().lte(10_000) ? 1 : 4;
}

function power(base: Value, exponent: Value): Value {
  const term = `${show(base)} ^ ${show(exponent)}`;
  if (base.isZero() && exponent.isNegative()) throw new FormulaError(`${term} divides by zero.`);
  // Before it is computed: how many digits the result has.
  const digits = base.isZero() ? 0 : base.abs().log(10).times(exponent).abs();
  if (typeof digits !== 'number' && digits.gt(maxExponent)) throw createTooLarge(term);
  return check(base.pow(exponent), term);
}

/** The quotient of a remainder has to be exact. */
function modulo(left: Value, right: Value): Value {
  if (left.div(right).abs().gt('1e40')) throw new FormulaError(`${show(left)} % ${show(right)} has too many digits.`);
  return left.mod(right);
}

function check(value: Value, term: string): Value {
  if (value.isNaN()) throw new FormulaError(`${term} is not a real number.`);
  if (!value.isFinite()) throw createTooLarge(term);
  return value;
}

function createTooLarge(term: string): FormulaError {
  return new FormulaError(`${term} is too large: numbers below 1e${maxExponent} can be computed.`);
}

function show(value: Value): string {
  return value.toSignificantDigits(20).toString();
}

const pi = Decimal.acos(-1);
const constants: { readonly [name: string]: Value } = { pi, tau: pi.times(2), e: Decimal.exp(1) };

interface KnownFunction {
  readonly least: number;
  readonly most: number;
  /** Units of work; none if it is omitted. */
  readonly cost?: (operands: readonly Value[]) => number;
  readonly compute: (operands: readonly Value[]) => Value;
}

const unary = (compute: (value: Value) => Value): KnownFunction => ({
  ...{ least: 1, most: 1 },
  compute: ([value]) => compute(value!),
});

const costly = (units: number, compute: (value: Value) => Value): KnownFunction => ({
  ...unary(compute),
  cost: () => units,
});

const maxAngle = 1_000_000;

const angular = (compute: (value: Value) => Value): KnownFunction =>
  costly(2, (value) => {
    if (value.abs().gt(maxAngle)) throw new FormulaError(`The angle ${show(value)} is over ${maxAngle} radians.`);
    return compute(value);
  });

const many = (compute: (values: readonly Value[]) => Value): KnownFunction => ({ least: 1, most: 500, compute });

const rounding = (mode: AnyDecimal.Rounding): KnownFunction => ({
  ...{ least: 1, most: 2 },
  compute: ([value, places]) => value!.toDecimalPlaces(places === undefined ? 0 : toInteger(places, 0, 50), mode),
});

const sum = (values: readonly Value[]): Value => values.reduce((total, value) => total.plus(value), new Decimal(0));

const functions: { readonly [name: string]: KnownFunction } = {
  abs: unary((value) => value.abs()),
  sqrt: costly(1, (value) => value.sqrt()),
  cbrt: costly(1, (value) => value.cbrt()),
  exp: costly(1, (value) => {
    if (value.abs().gt(11_000)) throw createTooLarge(`exp(${show(value)})`);
    return value.exp();
  }),
  ln: costly(2, (value) => value.ln()),
  log10: costly(2, (value) => value.log(10)),
  log2: costly(3, (value) => value.log(2)),
  log: { least: 2, most: 2, cost: () => 4, compute: ([value, base]) => value!.log(base!) },
  sin: angular((value) => value.sin()),
  cos: angular((value) => value.cos()),
  tan: angular((value) => value.tan()),
  asin: costly(5, (value) => value.asin()),
  acos: costly(5, (value) => value.acos()),
  atan: costly(4, (value) => value.atan()),
  // Half away from zero, as people round.
  round: rounding(AnyDecimal.ROUND_HALF_UP),
  floor: rounding(AnyDecimal.ROUND_FLOOR),
  ceil: rounding(AnyDecimal.ROUND_CEIL),
  trunc: rounding(AnyDecimal.ROUND_DOWN),
  pow: {
    least: 2,
    most: 2,
    cost: ([, exponent]) => measurePower(exponent!),
    compute: ([base, exponent]) => power(base!, exponent!),
  },
  mod: { least: 2, most: 2, compute: ([left, right]) => operate('%', left!, right!, { units: 0 }) },
  factorial: {
    ...unary((value) => {
      const count = toFactorialCount(value);
      return Array.from({ length: count }, (_, at) => at + 1).reduce(
        (total, factor) => total.times(factor),
        new Decimal(1),
      );
    }),
    cost: ([value]) => toFactorialCount(value!) / productsPerUnit,
  },
  min: many((values) => Decimal.min(...values)),
  max: many((values) => Decimal.max(...values)),
  sum: many(sum),
  mean: many((values) => sum(values).div(values.length)),
};

/** For the model. */
export const functionNames = Object.keys(functions);

function computeCall({ name, at, operands }: Formula & { readonly kind: 'call' }, work: Work): Value {
  const known = findOwn(functions, name.toLowerCase());
  if (known === undefined) throw createUnknown('function', name, at, functionNames);
  const { least, most } = known;
  if (operands.length < least || operands.length > most) {
    const count = least === most ? `${least}` : `${least} to ${most}`;
    throw new FormulaError(`${name} takes ${count} arguments, not ${operands.length}.`);
  }
  const values = operands.map((operand) => compute(operand, work));
  if (known.cost !== undefined) spend(work, known.cost(values));
  return check(known.compute(values), `${name}(${values.slice(0, 3).map(show).join(', ')})`);
}

function toFactorialCount(value: Value): number {
  return toInteger(value, 0, 1_000);
}

function toInteger(value: Value, least: number, max: number): number {
  if (value.isInteger() && value.gte(least) && value.lte(max)) return value.toNumber();
  throw new FormulaError(`${show(value)} must be a whole number from ${least} to ${max} here.`);
}

function createUnknown(kind: string, name: string, at: number, known: readonly string[]): FormulaError {
  const near = findNearest(name, known);
  const hint = near === null ? `Known: ${known.join(', ')}` : `You may mean ${near}`;
  return new FormulaError(`The ${kind} ${name.slice(0, 50)} at position ${at} is unknown. ${hint}.`);
}

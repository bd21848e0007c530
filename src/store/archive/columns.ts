/**
 * Packs a list of values of few shapes column by column: equal members lie next to each other and compress to a fraction.
 * The facts of a chain have a dozen shapes, and differ in times, counts and texts.
 *
 * 1. Unpacking returns the packed values. A value with a unique shape is stored unchanged.
 * 2. The order of members is preserved.
 */

import { isObject, isTooDeep, type Json, type JsonObject } from '../../core/lib/index.js';

export interface Columns {
  /** Each with a leaf for each place: `{ "type": 0, "at": 0 }`. A list has the same length in all values of a shape. */
  readonly shapes: readonly Json[];
  /** The index of each value's shape; -1 for an unshaped value. */
  readonly shapeIndexes: Column;
  /** The leaves of each shape, in their order. */
  readonly leaves: readonly (readonly Column[])[];
  /** Values stored unchanged. */
  readonly unshaped: readonly Json[];
}

type Column =
  | { readonly each: readonly Json[] }
  /** One value, repeated. */
  | { readonly same: Json; readonly times: number }
  /** Whole numbers: the first, then the differences. */
  | { readonly more: readonly number[] }
  /** SHA-256 digests as base64 instead of hexadecimal. */
  | { readonly digests: readonly string[] };

/** A shape with fewer values is not packed. */
const minShapeValues = 3;

/** Levels of a shaped value. Values from models and tools may be nested to any depth. */
const maxDepth = 24;

export function packColumns(values: readonly Json[]): Columns {
  const shapes = new Map<string, { readonly shape: Json; readonly values: Json[] }>();
  const keys = values.map((value) => {
    if (isTooDeep(value, maxDepth)) return null;
    const shape = toShape(value);
    const key = JSON.stringify(shape);
    const known = shapes.get(key) ?? { shape, values: [] };
    known.values.push(value);
    shapes.set(key, known);
    return key;
  });
  const shapeGroups = [...shapes].filter(
    ([key, { values: all }]) => all.length >= minShapeValues && !key.includes('"__proto__"'),
  );
  const places = new Map(shapeGroups.map(([key], place) => [key, place]));
  const indexes = keys.map((key) => (key === null ? -1 : (places.get(key) ?? -1)));
  return {
    shapes: shapeGroups.map(([, { shape }]) => shape),
    shapeIndexes: packColumn(indexes),
    leaves: shapeGroups.map(([, { values: all }]) => transpose(all.map(listLeaves)).map(packColumn)),
    unshaped: values.filter((_, at) => indexes[at] === -1),
  };
}

export function unpackColumns({ shapes, shapeIndexes, leaves, unshaped }: Columns): readonly Json[] {
  const plans = shapes.map((shape, place) => createValueBuilder(shape, (leaves[place] ?? []).values()));
  const next = shapes.map(() => 0);
  let at = 0;
  return (unpackColumn(shapeIndexes) as readonly number[]).map((place) => {
    const plan = plans[place];
    if (plan === undefined) return unshaped[at++] as Json;
    const row = next[place] as number;
    next[place] = row + 1;
    return buildValue(plan, row);
  });
}

function toShape(value: Json): Json {
  if (Array.isArray(value)) return value.map(toShape);
  if (!isObject(value)) return 0;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, toShape(member)]));
}

function listLeaves(value: Json): readonly Json[] {
  if (Array.isArray(value)) return value.flatMap(listLeaves);
  if (!isObject(value)) return [value];
  return Object.values(value).flatMap((member) => (member === undefined ? [] : listLeaves(member)));
}

/** Rebuilds the values of a shape; members that are equal in all of them are built once and shared. */
type ValueBuilder =
  | { readonly kind: 'same'; readonly value: Json }
  | { readonly kind: 'leaf'; readonly column: readonly Json[] }
  | { readonly kind: 'list'; readonly items: readonly ValueBuilder[] }
  /** A copy of the template, with the differing members set. */
  | {
      readonly kind: 'object';
      readonly template: JsonObject;
      readonly differing: readonly (readonly [string, ValueBuilder])[];
    };

function createValueBuilder(shape: Json, columns: Iterator<Column>): ValueBuilder {
  if (Array.isArray(shape)) {
    const items = shape.map((item) => createValueBuilder(item, columns));
    return items.every(isConstant) ? { kind: 'same', value: items.map(({ value }) => value) } : { kind: 'list', items };
  }
  if (isObject(shape)) {
    const members = Object.entries(shape).map(([name, member]) => [name, createValueBuilder(member, columns)] as const);
    const differing = members.filter(([, plan]) => !isConstant(plan));
    const template = createTemplate(members);
    return differing.length === 0 ? { kind: 'same', value: template } : { kind: 'object', template, differing };
  }
  const column = columns.next().value as Column;
  return 'same' in column ? { kind: 'same', value: column.same } : { kind: 'leaf', column: unpackColumn(column) };
}

function isConstant(plan: ValueBuilder): plan is Extract<ValueBuilder, { kind: 'same' }> {
  return plan.kind === 'same';
}

/** An object parsed from JSON takes no more memory than its members need, and so do its copies. */
function createTemplate(members: readonly (readonly [string, ValueBuilder])[]): JsonObject {
  const values = members.map(([name, plan]) => [name, isConstant(plan) ? plan.value : null] as const);
  return JSON.parse(JSON.stringify(Object.fromEntries(values))) as JsonObject;
}

function buildValue(plan: ValueBuilder, row: number): Json {
  switch (plan.kind) {
    case 'same':
      return plan.value;
    case 'leaf':
      return plan.column[row] as Json;
    case 'list':
      return plan.items.map((item) => buildValue(item, row));
    case 'object': {
      const value: Record<string, Json> = { ...plan.template };
      for (const [name, member] of plan.differing) value[name] = buildValue(member, row);
      return value;
    }
  }
}

/** Rows to columns. */
function transpose(rows: readonly (readonly Json[])[]): readonly (readonly Json[])[] {
  return (rows[0] ?? []).map((_, column) => rows.map((row) => row[column] as Json));
}

function packColumn(values: readonly Json[]): Column {
  const [first] = values;
  if (first === undefined) return { each: values };
  if (values.length >= minShapeValues && values.every((value) => value === first))
    return { same: first, times: values.length };
  if (values.every((value) => Number.isSafeInteger(value) && Math.abs(Number(value)) < 2 ** 52)) {
    const numbers = values as readonly number[];
    return { more: numbers.map((value, at) => value - (numbers[at - 1] ?? 0)) };
  }
  if (values.every((value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value))) {
    return { digests: values.map((digest) => Buffer.from(String(digest), 'hex').toString('base64')) };
  }
  return { each: values };
}

function unpackColumn(column: Column): readonly Json[] {
  if ('each' in column) return column.each;
  if ('same' in column) return new Array<Json>(column.times).fill(column.same);
  if ('digests' in column) return column.digests.map((digest) => Buffer.from(digest, 'base64').toString('hex'));
  let sum = 0;
  return column.more.map((more) => {
    sum += more;
    return sum;
  });
}

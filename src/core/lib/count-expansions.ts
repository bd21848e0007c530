/** Counts the schemas that apply to one value in place: the validator would not end, or only after hours, where they multiply. */

import type { Schema } from '@cfworker/json-schema';
import { isObject } from './json.js';

/** Schemas by their addresses. */
type Targets = Readonly<Record<string, Schema | boolean>>;

/** Those of a long schema are hundreds. */
const maxExpansions = 10_000;

/** @throws {Error} where a schema applies to a value again and again, or more than 10,000 apply to one */
export function checkExpansions(targets: Targets): void {
  const counts = new Map<unknown, number>();
  const open = new Set<unknown>();

  /** @param via the reference that was followed last */
  function count(schema: unknown, via: string): number {
    if (!isObject(schema)) return schema === undefined ? 0 : 1;
    const known = counts.get(schema);
    if (known !== undefined) return known;
    // A circle has a reference in it, since the schemas within a schema are a tree.
    if (open.has(schema)) throw new Error(`$ref ${JSON.stringify(via)} refers to itself`);
    open.add(schema);
    let sum = 1;
    for (const [next, reference] of findInPlace(schema, targets)) {
      sum += count(next, reference ?? via);
      if (sum > maxExpansions)
        throw new Error(`more than ${maxExpansions} schemas apply to one value, by allOf and $ref`);
    }
    open.delete(schema);
    counts.set(schema, sum);
    return sum;
  }

  for (const schema of Object.values(targets)) count(schema, '');
}

type Expansion = readonly [schema: unknown, reference: string | undefined];

/** Returns the schemas that a schema applies to the same value, with the reference for one that it refers to. */
function findInPlace(schema: Schema, targets: Targets): readonly Expansion[] {
  const { $ref, __absolute_ref__: address, $recursiveRef, __absolute_recursive_ref__: recursive } = schema;
  const single = [schema.not, schema.if, schema.then, schema.else];
  const lists = [schema.allOf, schema.anyOf, schema.oneOf].flatMap((list): readonly unknown[] => list ?? []);
  const maps = [schema.dependentSchemas, schema.dependencies].flatMap((map): readonly unknown[] =>
    Object.values(map ?? {}),
  );
  return [
    ...[...single, ...lists, ...maps].map((subschema): Expansion => [subschema, undefined]),
    [address === undefined ? undefined : targets[address], $ref],
    [recursive === undefined ? undefined : targets[recursive], $recursiveRef],
  ];
}

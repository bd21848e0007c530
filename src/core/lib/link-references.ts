/** Finds the targets of a JSON Schema's references: within its document, and in the metaschemas. No other document is loaded. */

import { dereference, type initialBaseURI, type Schema, type SchemaDraft } from '@cfworker/json-schema';
import { copySchema, dynamicMark } from './copy-schema.js';
import { checkExpansions } from './count-expansions.js';
import { findOwn, isObject, type JsonObject } from './json.js';
import { findAtPointer } from './json-pointer.js';
import { metaschemas } from './metaschemas.js';

/** Schemas by their addresses. */
export type SchemaTargets = Record<string, Schema | boolean>;

/**
 * @param copy of the schema `given`; members are added to it
 * @throws {Error} where a reference has no target, leads back to itself, or makes too many schemas apply to one value
 */
export function linkReferences(
  copy: JsonObject | boolean,
  given: JsonObject | boolean,
  draft: SchemaDraft,
): SchemaTargets {
  const targets: SchemaTargets = dereference(copy);
  if (!isSchema(copy)) return targets;
  const base = getBase(copy);
  claimAnchors(targets);
  for (let missing = findMissing(targets); missing !== undefined; missing = findMissing(targets)) {
    const { $ref, __absolute_ref__: address = '' } = missing;
    addTarget(targets, address, { base, given, draft });
    if (targets[address] === undefined) throw new Error(`$ref ${JSON.stringify($ref)} has no target within the schema`);
    claimAnchors(targets);
  }
  redirectDynamic(targets, base);
  checkExpansions(targets);
  return targets;
}

function isSchema(value: unknown): value is Schema {
  return isObject(value);
}

/** Returns the address of the resource that a schema is part of. */
function getBase({ __absolute_uri__: address = '' }: Schema): string {
  return address.split('#')[0] ?? '';
}

/** The validator knows no dynamic anchors, and takes the anchors of an inner resource for those of the outer one too. */
function claimAnchors(targets: SchemaTargets): void {
  for (const schema of Object.values(targets).filter(isSchema)) {
    for (const anchor of [schema.$anchor, schema.$dynamicAnchor]) {
      if (typeof anchor === 'string') targets[`${getBase(schema)}#${anchor}`] = schema;
    }
  }
}

function findMissing(targets: SchemaTargets): Schema | undefined {
  return Object.values(targets)
    .filter(isSchema)
    .find(({ __absolute_ref__: address }) => address !== undefined && targets[address] === undefined);
}

interface SchemaDocument {
  readonly base: string;
  readonly given: JsonObject | boolean;
  readonly draft: SchemaDraft;
}

/** Adds a metaschema, or a place of the document that is not a part of its schema, such as `#/components/schemas/User`. */
function addTarget(targets: SchemaTargets, address: string, { base, given, draft }: SchemaDocument): void {
  const [resource = '', pointer = ''] = address.split('#');
  const metaschema = findOwn(metaschemas, resource);
  if (metaschema !== undefined && targets[resource] === undefined) {
    dereference(JSON.parse(JSON.stringify(metaschema)), targets);
    return;
  }
  const target = resource === base && pointer.startsWith('/') ? findAtPointer(given, pointer) : undefined;
  if (target === undefined) return;
  const from = { href: base } as typeof initialBaseURI;
  const copy = copySchema(target, draft, `#${pointer}`);
  // Places within it that were added before are added again with it.
  for (const known of Object.keys(targets)) if (known.startsWith(`${address}/`)) delete targets[known];
  dereference(copy, targets, from, pointer);
}

/**
 * A dynamic reference to a dynamic anchor refers to that of the outermost schema on the way to it. That is the root, if it has the
 * anchor; where it has not, and several others have, the nearest one is taken.
 */
function redirectDynamic(targets: SchemaTargets, base: string): void {
  for (const schema of Object.values(targets).filter(isSchema)) {
    if (!Array.isArray(schema.allOf)) continue;
    schema.allOf = schema.allOf.map((part) => {
      if (part[dynamicMark] !== true) return part;
      const { $ref = '', __absolute_ref__: address = '' } = part;
      const anchor = address.split('#')[1] ?? '';
      const outermost = `${base}#${anchor}`;
      const isDynamic = [address, outermost].every((key) => {
        const target = targets[key];
        return isSchema(target) && target.$dynamicAnchor === anchor;
      });
      return isDynamic ? { $ref, __absolute_ref__: outermost } : part;
    });
  }
}

/** Schemas of zod as schemas of OpenAPI 3.1, which are JSON Schema 2020-12. Those with an id are components. */

import { type ZodType, z } from 'zod';

/** What a request contains, and so an answer too: schemas of answers have no defaults and transforms. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

export interface SchemaWriter {
  /** Returns the schema, or a reference to a component. */
  readonly write: (schema: ZodType) => JsonSchema;
  /** Components so far, by id. */
  readonly listComponents: () => Readonly<Record<string, JsonSchema>>;
}

export function createSchemaWriter(): SchemaWriter {
  const components = new Map<string, JsonSchema>();
  return {
    write: (schema) => {
      const { $schema, $defs = {}, ...own } = z.toJSONSchema(schema, { io: 'input', override: simplify });
      for (const [id, component] of Object.entries($defs)) addComponent(components, id, refer(component));
      return refer(own);
    },
    listComponents: () => Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
  };
}

function addComponent(components: Map<string, JsonSchema>, id: string, component: JsonSchema): void {
  const known = components.get(id);
  if (known !== undefined && JSON.stringify(known) !== JSON.stringify(component))
    throw new TypeError(`Two schemas have the id ${id}.`);
  components.set(id, component);
}

/** References within a schema of zod as references to components. */
function refer(schema: JsonSchema): JsonSchema {
  return JSON.parse(JSON.stringify(schema), (name, value: unknown) =>
    name === '$ref' && typeof value === 'string' ? value.replace('#/$defs/', '#/components/schemas/') : value,
  ) as JsonSchema;
}

/** Removes what is true of all values in JSON, or is about TypeScript. */
function simplify({ jsonSchema }: { readonly jsonSchema: JsonSchema }): void {
  // Of zod, it is about assignments; of OpenAPI, about requests.
  delete jsonSchema.readOnly;
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (typeof jsonSchema.additionalProperties === 'object') delete jsonSchema.propertyNames;
  // A flag of a query: true and false are enough to know.
  if (jsonSchema.type === 'boolean') delete jsonSchema.enum;
}

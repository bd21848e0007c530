/** The OpenAPI document: valid by the standard's own schema, complete, and usable by our own tools for OpenAPI. */

import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { describe, expect, it } from 'vitest';
import { openApiTools } from '../../src/entries/tools.js';
import { createOpenApiDocument } from '../../src/gateway/openapi.js';
import type { Operation } from '../../src/http/operation.js';
import { operations } from '../../src/http/operations.js';

interface Documented {
  readonly operationId: string;
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required?: boolean }[];
  readonly requestBody?: unknown;
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

const document = createOpenApiDocument();
const paths = document.paths as Readonly<Record<string, Readonly<Record<string, Documented>>>>;
const table = Object.entries<Operation>(operations);

function find({ path, method }: Operation): Documented {
  const found = paths[path]?.[method.toLowerCase()];
  if (found === undefined) throw new Error(`${method} ${path} is missing.`);
  return found;
}

function createAjv() {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addFormat('media-range', true);
  ajv.addFormat('base64', true);
  return ajv;
}

describe('the document', () => {
  it('is valid by the schema of OpenAPI 3.1', () => {
    const schema = JSON.parse(readFileSync(new URL('../support/schemas/openapi-3.1.json', import.meta.url), 'utf8'));
    const validate = createAjv().compile(schema);
    validate(document);
    expect(validate.errors).toBeNull();
    expect(validate({ ...document, info: {} })).toBe(false);
  });

  it('has only schemas that are valid JSON Schema 2020-12, with references within the document', () => {
    const ajv = createAjv();
    ajv.addSchema({ $id: 'https://longhand.example/openapi', ...document });
    const places = listSchemas(document, '#');
    expect(places.length).toBeGreaterThan(100);
    for (const place of places) expect(() => ajv.getSchema(`https://longhand.example/openapi${place}`)).not.toThrow();
  });

  it('is the one that is checked in', () => {
    const stored = JSON.parse(readFileSync(new URL('../../docs/openapi.json', import.meta.url), 'utf8')) as unknown;
    expect(stored).toEqual(JSON.parse(JSON.stringify(document)));
  });
});

describe('each operation', () => {
  it.each(table)('%s has its id, its scope and its placeholders', (id, operation) => {
    const documented = find(operation);
    expect(documented.operationId).toBe(id);
    expect(documented.security).toEqual(operation.scope === null ? [] : [{ credential: [operation.scope] }]);
    const placeholders = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const inPath = documented.parameters?.filter((parameter) => parameter.in === 'path') ?? [];
    expect(inPath.map(({ name }) => name).sort()).toEqual(placeholders.sort());
    expect(inPath.every(({ required }) => required === true)).toBe(true);
    expect(documented.requestBody !== undefined).toBe(operation.body !== undefined);
    expect(Object.keys(documented.responses)).toEqual(expect.arrayContaining(['4XX', '5XX']));
  });

  it('describes streams, ranges and idempotency keys', () => {
    expect(find(operations.followChain).responses[200]?.content).toHaveProperty(['text/event-stream']);
    expect(find(operations.getFile).responses).toHaveProperty('206');
    expect(find(operations.getFile).parameters).toContainEqual(expect.objectContaining({ name: 'Range' }));
    expect(find(operations.startChain).parameters).toContainEqual(
      expect.objectContaining({ name: 'Idempotency-Key', in: 'header' }),
    );
    expect(find(operations.followChain).parameters).toContainEqual(
      expect.objectContaining({ name: 'Last-Event-ID', in: 'header' }),
    );
  });

  it('becomes a tool of an agent', () => {
    const tools = openApiTools(document, {
      baseUrl: 'https://longhand.example',
      secrets: { credential: 'LONGHAND_KEY' },
    });
    expect(tools.map(({ name }) => name).sort()).toEqual(Object.keys(operations).sort());
    const start = tools.find(({ name }) => name === 'startChain');
    expect(start?.snapshot).toMatchObject({
      effects: 'unsafe',
      inputSchema: { required: ['agent', 'task'], properties: { limits: {}, messages: {} } },
    });
  });
});

/** JSON pointers of all schemas. */
function listSchemas(value: unknown, at: string): readonly string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => {
    const pointer = `${at}/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`;
    const isSchema = name === 'schema' || at.endsWith('/components/schemas');
    return [...(isSchema ? [pointer] : []), ...listSchemas(member, pointer)];
  });
}

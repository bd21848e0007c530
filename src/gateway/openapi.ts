/** The OpenAPI document of the gateway, from the same schemas that check its requests. */

import type { ZodObject, ZodType } from 'zod';
import { type Operation, type OperationResult, operations, problemSchema } from '../http/index.js';
import { createSchemaWriter, type JsonSchema, type SchemaWriter } from './openapi-schemas.js';

type Member = Readonly<Record<string, unknown>>;

const description = `Durable reasoning chains of AI agents, over HTTP.

Every answer that is no success is a problem (RFC 9457) with a stable \`code\`. Streams are of server-sent events, and
continue after the event that \`Last-Event-ID\` names. Ids of sub-chains contain slashes: percent-encode them.`;

/** Returns the document, the same for every call. */
export function createOpenApiDocument(): Member & { readonly openapi: string } {
  const writer = createSchemaWriter();
  const problem = writer.write(problemSchema);
  const paths = new Map<string, Record<string, Member>>();
  for (const [id, operation] of Object.entries<Operation>(operations)) {
    const described = describeOperation(id, operation, writer);
    paths.set(operation.path, { ...paths.get(operation.path), [operation.method.toLowerCase()]: described });
  }
  return {
    openapi: '3.1.1',
    // Of the interface: that of the paths.
    info: { title: 'Longhand', version: '1', description, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/' }],
    tags: [...new Set(Object.values<Operation>(operations).map(({ tag }) => tag))].map((name) => ({ name })),
    security: [{ credential: [] }],
    paths: Object.fromEntries(paths),
    components: {
      schemas: writer.listComponents(),
      responses: {
        Problem: {
          description: 'The gateway did not do it. `code` is the reason.',
          content: { 'application/problem+json': { schema: problem } },
        },
      },
      securitySchemes: {
        credential: { type: 'http', scheme: 'bearer', description: 'An API key of the gateway, or a token (JWT).' },
      },
    },
  };
}

function describeOperation(operationId: string, operation: Operation, writer: SchemaWriter): Member {
  const { tag, summary, scope, params, query, headers, body, files, result } = operation;
  const parameters = [
    ...listParameters('path', params, writer),
    ...listParameters('query', query, writer),
    ...listParameters('header', headers, writer),
    ...(answersRanges(result) ? [rangeParameter] : []),
  ];
  return {
    operationId,
    tags: [tag],
    summary,
    ...(scope === null
      ? { security: [] }
      : { description: `Needs the scope \`${scope}\`.`, security: [{ credential: [scope] }] }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            description: files === true ? 'At most 8 MiB, if the gateway sets no other limit.' : 'At most 256 KiB.',
            required: true,
            content: { 'application/json': { schema: writer.write(body) } },
          },
        }),
    responses: {
      ...describeResult(result, writer),
      '4XX': { $ref: '#/components/responses/Problem' },
      '5XX': { $ref: '#/components/responses/Problem' },
    },
  };
}

function listParameters(place: 'path' | 'query' | 'header', schema: ZodObject | undefined, writer: SchemaWriter) {
  if (schema === undefined) return [];
  const { properties = {}, required = [] } = writer.write(schema);
  return Object.entries(properties).map(([name, value]) => {
    const { description: text, ...rest } = value as JsonSchema;
    return {
      name: place === 'header' ? capitalize(name) : name,
      in: place,
      ...(place === 'path' || required.includes(name) ? { required: true } : {}),
      ...(text === undefined ? {} : { description: text }),
      schema: rest,
    };
  });
}

/** `last-event-id` as `Last-Event-ID`. */
function capitalize(name: string): string {
  return name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()).replace(/Id$/, 'ID');
}

function answersRanges(result: OperationResult): boolean {
  return result.kind === 'bytes' && result.ranges === true;
}

const rangeParameter = {
  name: 'Range',
  in: 'header',
  description: 'One range of bytes, such as `bytes=0-1023`.',
  schema: { type: 'string' },
};

function describeResult(result: OperationResult, writer: SchemaWriter): Member {
  switch (result.kind) {
    case 'json': {
      const describe = (text: string) => describeContent(text, 'application/json', writer.write(result.schema));
      const done = { [result.status]: describe('Done.') };
      if (result.existing === undefined) return done;
      return { ...done, [result.existing]: describe('Done by an earlier request with the same idempotency key.') };
    }
    case 'empty':
      return { 204: { description: 'Done.' } };
    case 'text':
      return { 200: describeContent('The text.', result.mediaType, { type: 'string' }) };
    case 'bytes': {
      const whole = { 200: describeContent('The content.', '*/*', {}) };
      if (!answersRanges(result)) return whole;
      return {
        ...whole,
        206: describeContent('The range of the content.', '*/*', {}),
        416: { description: 'The content is shorter.' },
      };
    }
    case 'stream':
      return {
        200: describeContent(
          'Server-sent events. The schema is that of the `data` of each.',
          'text/event-stream',
          describeEvent(result.data, writer),
        ),
        204: { description: 'Nothing follows the last event: the stream is complete.' },
      };
  }
}

function describeEvent(data: ZodType | null, writer: SchemaWriter): JsonSchema {
  return data === null ? {} : writer.write(data);
}

function describeContent(text: string, mediaType: string, schema: JsonSchema): Member {
  return { description: text, content: { [mediaType]: { schema } } };
}

/** OpenAPI documents as real APIs have them: 3.0 as YAML, 3.1 as an object. */

/** A pet shop of version 3.0: references, recursion, nullable, discriminators, deepObject, forms, files, security. */
export const petShop = (server: string): string => `
openapi: 3.0.3
info: { title: Pet shop, version: '1' }
servers:
  - url: ${server}/{version}
    variables: { version: { default: v1, enum: [v1, v2] } }
security: [{ api_key: [] }]
paths:
  /pets:
    parameters:
      - { name: X-Trace, in: header, schema: { type: string } }
      - { name: session, in: cookie, schema: { type: string } }
    get:
      operationId: pets.list
      summary: Lists pets
      parameters:
        - { name: limit, in: query, schema: { type: integer, minimum: 0, exclusiveMinimum: true, maximum: 100 } }
        - { name: page, in: query, schema: { type: integer } }
        - { name: tags, in: query, schema: { type: array, items: { type: string } } }
        - { name: ids, in: query, explode: false, schema: { type: array, items: { type: integer } } }
        - { name: filter, in: query, style: deepObject, schema: { $ref: '#/components/schemas/Filter' } }
        - { name: where, in: query, content: { application/json: { schema: { type: object } } } }
      responses: { '200': { description: ok } }
    post:
      operationId: createPet
      requestBody: { $ref: '#/components/requestBodies/Pet' }
      responses: { '201': { description: created } }
  /pets/{id}:
    parameters: [{ $ref: '#/components/parameters/Id' }]
    get: { responses: { '200': { description: ok } } }
    put:
      operationId: replace-pet
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Pet' } } } }
      responses: { '200': { description: ok } }
    delete: { operationId: deletePet, security: [{ login: [] }], responses: { '204': { description: gone } } }
  /pets/{id}/photo:
    post:
      operationId: uploadPhoto
      parameters: [{ $ref: '#/components/parameters/Id' }]
      security: [{ token: [pets] }]
      requestBody:
        required: true
        content:
          multipart/form-data:
            schema:
              type: object
              required: [photo]
              properties:
                photo: { type: string, format: binary }
                caption: { type: string }
                meta: { type: object }
      responses: { '200': { description: ok } }
  /login:
    post:
      operationId: login
      security: []
      requestBody:
        required: true
        content:
          application/x-www-form-urlencoded:
            schema:
              type: object
              required: [user, password]
              properties:
                user: { type: string }
                password: { type: string, format: password }
                scopes: { type: array, items: { type: string } }
                device: { type: object, properties: { name: { type: string } } }
            encoding: { device: { style: deepObject, explode: true } }
      responses: { '200': { description: ok } }
components:
  parameters:
    Id: { name: id, in: path, required: true, description: Number of the pet, schema: { type: string } }
  requestBodies:
    Pet: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/NewPet' } } } }
  securitySchemes:
    api_key: { type: apiKey, in: query, name: api_key }
    login: { type: http, scheme: basic }
    token: { type: oauth2, flows: {} }
  schemas:
    Filter: { type: object, properties: { color: { type: string }, age: { type: object, properties: { gt: { type: integer } } } } }
    NewPet:
      type: object
      required: [id, name]
      properties:
        id: { type: integer, readOnly: true }
        name: { type: string }
        nickname: { type: string, nullable: true }
        owner: { $ref: '#/components/schemas/Person' }
        kind:
          oneOf: [{ $ref: '#/components/schemas/Cat' }, { $ref: '#/components/schemas/Dog' }]
          discriminator: { propertyName: type, mapping: { dog: '#/components/schemas/Dog' } }
    Pet: { allOf: [{ $ref: '#/components/schemas/NewPet' }, { type: object, properties: { id: { type: string } } }] }
    Person:
      type: object
      properties:
        name: { type: string }
        friends: { type: array, items: { $ref: '#/components/schemas/Person' } }
    Cat: { type: object, properties: { type: { type: string }, lives: { type: integer } } }
    Dog: { type: object, properties: { type: { type: string }, lives: { type: integer } } }
`;

/** A tracker of version 3.1: type lists, const, references with siblings, a clash of names, headers. */
export const tracker = (server: string) => ({
  openapi: '3.1.0',
  info: { title: 'Tracker', version: '2.0' },
  servers: [{ url: server }],
  paths: {
    '/issues/{id}': {
      patch: {
        operationId: 'updateIssue',
        parameters: [
          { name: 'id', in: 'path', required: true, schema: { type: 'string' } },
          { name: 'id', in: 'query', schema: { type: 'string' } },
          { name: 'If-Match', in: 'header', schema: { type: 'string' } },
          { name: 'Idempotency-Key', in: 'header', required: true, schema: { type: 'string' } },
        ],
        requestBody: {
          content: { 'application/merge-patch+json': { schema: { $ref: '#/components/schemas/Issue' } } },
        },
        responses: { 200: { description: 'ok' } },
      },
    },
    '/notes/{path}': {
      get: {
        operationId: 'readNote',
        parameters: [{ name: 'path', in: 'path', required: true, schema: { type: 'string' } }],
        responses: { 200: { description: 'ok' } },
      },
      put: {
        operationId: 'writeNote',
        parameters: [{ name: 'path', in: 'path', required: true, schema: { type: 'string' } }],
        requestBody: { required: true, content: { 'text/plain': {} } },
        responses: { 200: { description: 'ok' } },
      },
    },
  },
  components: {
    schemas: {
      Issue: {
        type: 'object',
        required: ['title'],
        properties: {
          id: { type: 'string' },
          title: { type: ['string', 'null'] },
          state: { const: 'open' },
          parent: { $ref: '#/components/schemas/Issue', description: 'The issue that it is a part of' },
        },
      },
    },
  },
});

/** What a server decodes is what the model wrote: random values in all places and styles. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { openApiTools } from '../../../src/entries/tools.js';
import { callOf } from '../../support/call-tool.js';
import { respond, useSite } from '../../support/http-site.js';

const parameter = (name: string, place: string, type: string, rest: object = {}) => ({
  ...{ name, in: place, required: place === 'path', schema: { type, ...(type === 'array' ? { items: {} } : {}) } },
  ...rest,
});

const body = (type: string, encoding: object = {}) => ({
  required: true,
  content: { [type]: { schema: { type: 'object', additionalProperties: true }, encoding } },
});

const document = (baseUrl: string) => ({
  openapi: '3.1.0',
  servers: [{ url: baseUrl }],
  paths: {
    '/x/{one}/{many}': {
      get: {
        operationId: 'read',
        parameters: [
          parameter('one', 'path', 'string'),
          parameter('many', 'path', 'array'),
          parameter('text', 'query', 'string'),
          parameter('list', 'query', 'array'),
          parameter('joined', 'query', 'array', { explode: false }),
          parameter('piped', 'query', 'array', { style: 'pipeDelimited', explode: false }),
          parameter('deep', 'query', 'object', { style: 'deepObject' }),
          parameter('X-Text', 'header', 'string'),
        ],
      },
    },
    '/json': { post: { operationId: 'json', requestBody: body('application/json') } },
    '/form': { post: { operationId: 'form', requestBody: body('application/x-www-form-urlencoded') } },
    '/multipart': { post: { operationId: 'multipart', requestBody: body('multipart/form-data') } },
  },
});

const text = fc.string({ unit: 'grapheme', maxLength: 20 }).filter((each) => !/\p{Surrogate}/u.test(each));
const filled = text.filter((each) => each !== '');
const part = filled.filter((each) => !each.split(/[/\\]/).some((piece) => /^\.{1,2}$/.test(piece)));
const header = fc.string({ maxLength: 20 }).filter((each) => /^[\x21-\x7e]+$/.test(each));
const name = fc.string({ minLength: 1, maxLength: 8 }).filter((each) => /^\w+$/.test(each) && each !== '__proto__');

async function useApi() {
  const site = await useSite(respond(200, 'text/plain', 'ok'));
  const tools = openApiTools(document('https://api.example'), { baseUrl: `http://127.0.0.1:${site.port}/base` });
  return { site, ...callOf(() => tools) };
}

it('parameters arrive as they were written', async () => {
  const { site, call } = await useApi();
  const arguments_ = fc.record(
    {
      one: part,
      many: fc.array(
        part.filter((each) => !/^\.+$/.test(each)),
        { minLength: 1, maxLength: 4 },
      ),
      text,
      ...{
        list: fc.array(text),
        joined: fc.array(filled),
        piped: fc.array(filled.filter((each) => !each.includes('|'))),
      },
      deep: fc.dictionary(name, text, { maxKeys: 4 }),
      'X-Text': header,
    },
    { requiredKeys: ['one', 'many'] },
  );
  await fc.assert(
    fc.asyncProperty(arguments_, async (given) => {
      await call('read', given);
      const { path, headers } = site.requests.at(-1)!;
      const [before = '', query = ''] = path.split('?');
      const [, , , one = '', many = ''] = before.split('/');
      const pairs = new URLSearchParams(query);
      const raw = (key: string) => new RegExp(`(?:^|&)${key}=([^&]*)`).exec(query)?.[1];
      const split = (key: string, by: string) => raw(key)?.split(by).map(decodeURIComponent);
      expect(decodeURIComponent(one)).toBe(given.one);
      expect(many.split(',').map(decodeURIComponent)).toEqual(given.many);
      expect(pairs.get('text')).toBe(given.text ?? null);
      expect(pairs.getAll('list')).toEqual(given.list ?? []);
      expect(split('joined', ',') ?? []).toEqual(given.joined ?? []);
      expect(split('piped', '%7C') ?? []).toEqual(given.piped ?? []);
      for (const [key, value] of Object.entries(given.deep ?? {})) expect(pairs.get(`deep[${key}]`)).toBe(value);
      expect(headers['x-text']).toBe(given['X-Text']);
    }),
    { numRuns: 60 },
  );
});

it('bodies arrive as they were written', async () => {
  const { site, call } = await useApi();
  await fc.assert(
    fc.asyncProperty(fc.dictionary(filled, text, { maxKeys: 5 }), fc.jsonValue(), async (members, json) => {
      const sent = { ...members, json } as object;
      await call('json', { body: sent });
      expect(JSON.parse(site.requests.at(-1)!.body)).toEqual(JSON.parse(JSON.stringify(sent)));
      await call('form', { body: members });
      expect([...new URLSearchParams(site.requests.at(-1)!.body)]).toEqual(Object.entries(members));
      // Names of parts have no line breaks: those of a form's fields have none either.
      const parts = Object.fromEntries(Object.entries(members).filter(([key]) => /^[^\r\n"%]*$/.test(key)));
      await call('multipart', { body: parts });
      const request = site.requests.at(-1)!;
      const headers = { 'content-type': request.headers['content-type']! };
      const form = await new Response(request.body, { headers }).formData();
      expect([...form]).toEqual(Object.entries(parts));
    }),
    { numRuns: 40 },
  );
});

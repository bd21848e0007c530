/** Structured output: the request carries the schema of the answer, and strict tools. */

import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../../src/index.js';
import { type ContractWire, play, reply } from './contract.js';

const schema: JsonObject = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
const loose: JsonObject = { type: 'object', additionalProperties: { type: 'number' } };
const tools = [{ name: 'finish', description: 'End', inputSchema: schema, strict: true }] as const;

export function proveStructured(wire: ContractWire): void {
  describe(`a request with a schema over ${wire.name}`, () => {
    it('has the schema of the answer, and the reply is its text', async () => {
      const { server, provider } = await play(wire, [{ text: '{"city":"Paris"}' }]);
      const replied = await reply(provider, { request: { output: { schema, strict: true } } });
      expect(replied.content).toEqual([{ type: 'text', text: '{"city":"Paris"}' }]);
      expect(server.requests.map(({ body }) => wire.getOutputSchema(body))).toEqual([schema]);
      expect(server.rejected).toEqual([]);
    });

    it('has it beside the effort and the tools', async () => {
      const { server, provider } = await play(wire, [{ text: '{"city":"Paris"}' }]);
      await reply(provider, { request: { tools, output: { schema, strict: true } }, model: { effort: 'low' } });
      const [request] = server.requests;
      expect(wire.getOutputSchema(request?.body ?? {})).toEqual(schema);
      expect(JSON.stringify(request?.body)).toContain('"low"');
    });

    it('has a strict tool', async () => {
      const { server, provider } = await play(wire, [{ calls: [{ name: 'finish', input: { city: 'Rome' } }] }]);
      await reply(provider, { request: { tools } });
      expect(JSON.stringify(server.requests[0]?.body)).toContain('"strict":true');
      expect(server.rejected).toEqual([]);
    });

    it('is not sent with a schema that its strict mode rejects', async () => {
      const { server, provider } = await play(wire, [{ text: '{}' }]);
      await reply(provider, { request: { output: { schema: loose, strict: false } } });
      expect(JSON.stringify(server.requests[0]?.body)).not.toContain('"strict":true');
      expect(server.rejected).toEqual([]);
    });

    it('has neither without a schema', async () => {
      const { server, provider } = await play(wire, [{ text: 'Rain.' }]);
      await reply(provider);
      expect(wire.getOutputSchema(server.requests[0]?.body ?? {})).toBeNull();
    });
  });
}

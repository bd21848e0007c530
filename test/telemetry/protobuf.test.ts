/** The default protocol: OTLP as protobuf. The tests with JSON check the content. */

import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { emptyRecord } from '../../src/core/engine/state/entry.js';
import { emptyState } from '../../src/core/model/state.js';
import { createTelemetry } from '../../src/telemetry/create-telemetry.js';

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

const received: Received[] = [];
const server = createServer(async (request, response) => {
  received.push({ path: request.url ?? '', headers: request.headers, body: await buffer(request) });
  response.writeHead(200).end();
});

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
  server.closeAllConnections();
  server.close();
});

it('spans and metrics are sent as protobuf when only an endpoint is set', async () => {
  const { instruments, flush } = await createTelemetry(process.env);
  const chain = { ...emptyRecord, state: emptyState };
  const request = { system: '', messages: [], tools: [], toolChoice: 'auto', stopSequences: [] } as const;
  const asked = { request, model: { id: 'some-model', temperature: null }, maxTokens: 10 };
  const usage = { input: 7, output: 3, cacheRead: 0, cacheWrite: 0, thinking: 0 };
  const reply = { model: 'some-model-1', stopReason: 'end_turn', content: [], usage } as const;
  const call = { chain, chainId: 'chain-1', agent: 'clerk', provider: 'anthropic', modelCall: asked };
  await instruments.measureModelCall(call, async () => ({ ok: true, reply }));
  await flush();

  const at = (path: string) => received.filter((each) => each.path === path);
  const [spans, metrics] = [at('/v1/traces'), at('/v1/metrics')];
  for (const { headers } of [...spans, ...metrics]) expect(headers['content-type']).toBe('application/x-protobuf');
  expect(spans.some(({ body }) => body.includes('chat some-model'))).toBe(true);
  expect(metrics.some(({ body }) => body.includes('gen_ai.client.token.usage'))).toBe(true);
});

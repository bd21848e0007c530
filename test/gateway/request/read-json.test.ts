/** Bodies of requests: their size, levels and values are bounded before they are parsed. */

import fc from 'fast-check';
import type { Hono } from 'hono';
import { describe, expect, it } from 'vitest';
import type { Longhand } from '../../../src/entries/client.js';
import { localIdentity } from '../../../src/gateway/identity/local.js';
import { JsonCounter } from '../../../src/gateway/request/json-counter.js';
import type { GatewayEnv } from '../../../src/gateway/request/mount.js';
import { chainOperations } from '../../../src/http/operations/chains.js';
import { chatOperations } from '../../../src/http/operations/chat.js';
import { commandOperations } from '../../../src/http/operations/commands.js';
import { mountForTest } from '../../support/mounted.js';

/** Handlers that accept every request whose body is valid. */
function useApp(onAnswer: () => void = () => {}): Hono<GatewayEnv> {
  const operations = { ...chainOperations, ...commandOperations, ...chatOperations };
  const answer = async () => {
    onAnswer();
    return new Response('accepted');
  };
  const handlers = Object.fromEntries(Object.keys(operations).map((id) => [id, answer]));
  return mountForTest({
    ...{ operations, longhand: {} as Longhand, identify: () => localIdentity },
    handlers: handlers as { readonly [id in keyof typeof operations]: unknown },
  });
}

const start = (member: string) => `{"agent":"clerk","task":"Answer.",${member}}`;

async function send(body: string | ReadableStream<Uint8Array>, path = '/v1/chains', app = useApp()) {
  const headers = { 'content-type': 'application/json' };
  const answer = await app.request(path, { method: 'POST', headers, body, duplex: 'half' } as RequestInit);
  const text = await answer.text();
  const { code, detail } = answer.status === 200 ? {} : (JSON.parse(text) as { code: string; detail: string });
  return { status: answer.status, code, detail };
}

describe('a body', () => {
  it('with more levels or values than the limit is rejected, with both numbers', async () => {
    const nested = (levels: number) => start(`"plan":{"a":${'['.repeat(levels - 2)}${']'.repeat(levels - 2)}}`);
    expect(await send(nested(200))).toMatchObject({ status: 200 });
    expect(await send(nested(201))).toEqual({
      ...{ status: 400, code: 'request_invalid' },
      detail: 'The body has 201 levels of lists and objects or more; the limit is 200. Send a flatter value.',
    });
    // Beside `agent`, `task` and `plan`, the list is a member.
    const listed = (values: number) => start(`"plan":{"a":[${Array(values - 4).fill('{}')}]}`);
    expect(await send(listed(50_000))).toMatchObject({ status: 200 });
    expect(await send(listed(50_001))).toEqual({
      ...{ status: 400, code: 'request_invalid' },
      detail: 'The body has 50,001 members and items or more; the limit is 50,000. Send fewer, or send them as a text.',
    });
  });

  it('has 8 MiB where it may contain files, and 256 KiB elsewhere', async () => {
    const text = 'x'.repeat(3_000_000);
    const file = `data:application/pdf;base64,${'QUJD'.repeat(500_000)}`;
    const part = { type: 'file', url: file, mediaType: 'application/pdf' };
    const bodies = {
      '/v1/chains': start(`"context":{"a.txt":${JSON.stringify(text)}}`),
      '/v1/chat/clerk': JSON.stringify({ id: 'c', messages: [{ id: 'm', role: 'user', parts: [part] }] }),
    };
    for (const [path, body] of Object.entries(bodies))
      expect([path, await send(body, path)]).toMatchObject([path, { status: 200 }]);
    for (const path of ['signals/paid', 'messages', 'cancel', 'forks'])
      expect([path, await send(JSON.stringify({ data: text }), `/v1/chains/c/${path}`)]).toEqual([
        path,
        {
          ...{ status: 413, code: 'request_too_large' },
          detail:
            'The body has 3,000,011 bytes or more; the limit of this operation is 262,144. Store long content where a tool can read it.',
        },
      ]);
    expect(await send(start(`"context":${JSON.stringify('x'.repeat(9_000_000))}`))).toMatchObject({ status: 413 });
  });

  it('is read no further than its bound', async () => {
    const chunk = new TextEncoder().encode('[1],'.repeat(16_384));
    let chunks = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        chunks += 1;
        controller.enqueue(chunks === 1 ? new TextEncoder().encode(start('"plan":{"a":[').slice(0, -1)) : chunk);
      },
    });
    expect(await send(endless)).toMatchObject({ status: 400, code: 'request_invalid' });
    expect(chunks).toBeLessThan(6);
  });

  it('of more than 256 KiB lets other requests pass before and after it is parsed', async () => {
    const countTurns = async (body: string) => {
      let turns = 0;
      let answered = false;
      const count = () => {
        turns += 1;
        if (!answered) setImmediate(count);
      };
      const app = useApp(() => {
        answered = true;
      });
      setImmediate(count);
      expect(await send(body, '/v1/chains', app)).toMatchObject({ status: 200 });
      return turns;
    };
    const small = await countTurns(start('"context":"x"'));
    const large = await countTurns(start(`"context":"${'x'.repeat(300_000)}"`));
    expect(large).toBeGreaterThanOrEqual(small + 2);
  });

  it('names at most 1,000 texts and files of a context', async () => {
    const context = (names: number) =>
      start(
        `"context":${JSON.stringify(Object.fromEntries(Array.from({ length: names }, (_, at) => [`f${at}`, 'x'])))}`,
      );
    expect(await send(context(1_000))).toMatchObject({ status: 200 });
    expect(await send(context(1_001))).toMatchObject({
      ...{ status: 400, code: 'request_invalid' },
      detail: 'body.context: Too big: expected object to have <=1000 members, and it has 1001.',
    });
  });
});

it('a text or file of a context has a name of at most 500 characters', async () => {
  const context = (characters: number) => start(`"context":{"${'n'.repeat(characters)}":"x"}`);
  expect(await send(context(500))).toMatchObject({ status: 200 });
  const long = await send(context(1_000_000));
  expect(long).toMatchObject({ status: 400, code: 'request_invalid' });
  expect(long.detail?.length).toBeLessThan(1_000);
});

describe('the counter', () => {
  const count = (value: unknown): { readonly levels: number; readonly values: number } => {
    if (typeof value !== 'object' || value === null) return { levels: 0, values: 0 };
    const parts = Object.values(value).map(count);
    return {
      levels: 1 + Math.max(0, ...parts.map(({ levels }) => levels)),
      values: parts.length + parts.reduce((sum, { values }) => sum + values, 0),
    };
  };

  it('finds the levels and values of any JSON, in pieces of any size', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(4), fc.integer({ min: 1, max: 9 }), (value, indent, size) => {
        const bytes = new TextEncoder().encode(JSON.stringify(value, null, indent));
        const counter = new JsonCounter();
        for (let at = 0; at < bytes.length; at += size) counter.add(bytes.subarray(at, at + size));
        // As the text has it: `-0` and the like change with it.
        const { levels, values } = count(JSON.parse(JSON.stringify(value)));
        expect({ levels: counter.levels, values: counter.values }).toEqual({ levels, values });
      }),
    );
  });

  it.each([
    ['"[[,\\"[,\\\\"', 0, 0],
    ['{"a,[":"\\\\\\"{,","b":[ ]}', 2, 2],
    ['[[],{},[ \n],""]', 2, 4],
    ['\ufeff[1]', 1, 1],
  ])('of %s finds %d levels and %d values', (json, levels, values) => {
    const counter = new JsonCounter();
    counter.add(new TextEncoder().encode(json));
    expect([counter.levels, counter.values]).toEqual([levels, values]);
  });
});

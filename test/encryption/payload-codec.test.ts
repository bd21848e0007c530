/** The payload codec alone: decoding returns exactly what was encoded. */

import { randomBytes } from 'node:crypto';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSealed, sealedEncoding } from '../../src/contract/payloads.js';
import { resolveEncryption } from '../../src/encryption/encryption.js';
import { createFixedKeySource } from '../../src/encryption/master-keys.js';
import { createSealer } from '../../src/encryption/sealer.js';
import type { MasterKeys } from '../../src/entries/client.js';

const keys: MasterKeys = { current: 'k', keys: { k: { key: randomBytes(32).toString('base64') } } };
const codec = () => resolveEncryption(keys, {})!.codec;

/** Compares payloads by their bytes: buffers of several kinds are equal. */
function plain({ metadata, data }: Payload) {
  const texts = Object.entries(metadata ?? {}).map(([name, value]) => [name, Buffer.from(value).toString('hex')]);
  return { metadata: Object.fromEntries(texts), data: Buffer.from(data ?? []).toString('hex') };
}

describe('the payload codec', () => {
  it('returns each payload with its metadata, and encodes it as sealed', async () => {
    const bytes = fc.uint8Array({ maxLength: 2_000 });
    const payloads = fc.record({
      metadata: fc.dictionary(fc.constantFrom('encoding', 'messageType', 'x'), bytes),
      data: bytes,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(payloads, { maxLength: 3 }), async (given) => {
        const sealed = await codec().encode(given);
        expect(sealed.map(({ metadata }) => Buffer.from(metadata!.encoding!).toString())).toEqual(
          given.map(() => sealedEncoding),
        );
        expect((await codec().decode(sealed)).map(plain)).toEqual(given.map(plain));
        expect(sealed.map((payload) => plain(codec().openNow(payload, null)))).toEqual(given.map(plain));
      }),
    );
  });

  it('does not seal twice, and passes unsealed payloads', async () => {
    const payload = defaultPayloadConverter.toPayload({ a: 1 })!;
    const sealed = await codec().encode([payload]);
    expect(await codec().encode(sealed)).toEqual(sealed);
    expect(await codec().decode([payload])).toEqual([payload]);
  });

  it('compresses long text, and adds at most 150 bytes to short text', async () => {
    const size = async (value: unknown) => {
      const payload = defaultPayloadConverter.toPayload(value)!;
      const [sealed] = await codec().encode([payload]);
      return { plain: payload.data!.length, sealed: sealed!.data!.length };
    };
    const long = await size('The weather in Paris as the model reports. '.repeat(50));
    expect(long.sealed).toBeLessThan(long.plain / 2);
    const short = await size('42');
    expect(short.sealed - short.plain).toBeLessThan(110);
  });

  it('seals a chain and its sub-chains with the tenant’s key once the tenant is known', async () => {
    const payload = defaultPayloadConverter.toPayload('x')!;
    const opener = createSealer(createFixedKeySource(keys));
    const tenantOf = async (own: ReturnType<typeof codec>, workflowId: string) => {
      const [sealed] = await own.encode([payload], { type: 'workflow', namespace: 'n', workflowId });
      expect(isSealed(sealed!)).toBe(true);
      return opener.open(sealed!.data!).tenant;
    };
    const own = codec();
    expect(await tenantOf(own, 'c')).toBeNull();
    own.learn('c', 'acme');
    for (const id of ['c', 'c/2.1', 'c/2.1.2', 'c/2.1.judge', 'c/2.1~2', 'c/2.1.3~4/10.2']) {
      expect(await tenantOf(own, id), id).toBe('acme');
    }
    for (const id of ['c/x', 'd', 'c/2.1/x', 'c2.1']) expect(await tenantOf(own, id), id).toBeNull();

    // Another process learns the tenant by opening a payload of the chain.
    const [sealed] = await own.encode([payload], { type: 'workflow', namespace: 'n', workflowId: 'c' });
    const other = codec();
    await other.decode([sealed!], { type: 'activity', namespace: 'n', workflowId: 'c', isLocal: false });
    expect(await tenantOf(other, 'c')).toBe('acme');
    // A payload without a tenant does not remove the known tenant.
    const [withoutTenant] = await codec().encode([payload]);
    await other.decode([withoutTenant!], { type: 'workflow', namespace: 'n', workflowId: 'c' });
    expect(await tenantOf(other, 'c')).toBe('acme');
  });

  it('learns the tenant of a chain from its start, sent by a workflow or received as plain JSON, and from nothing else', async () => {
    const opener = createSealer(createFixedKeySource(keys));
    const chain = { type: 'workflow', namespace: 'n', workflowId: 'c' } as const;
    const toPayload = (value: unknown) => defaultPayloadConverter.toPayload(value)!;
    const tenantOf = async (own: ReturnType<typeof codec>, value: unknown) => {
      const [sealed] = await own.encode([toPayload(value)], chain);
      return opener.open(sealed!.data!).tenant;
    };
    const start = { agent: 'clerk', task: 'Sum up.', tenant: 'acme' };
    expect(await tenantOf(codec(), start)).toBe('acme');
    const worker = codec();
    await worker.decode([{ ...toPayload(start), data: Buffer.from(JSON.stringify(start, null, 2)) }], chain);
    expect(await tenantOf(worker, 'x')).toBe('acme');
    // A later message does not change the tenant.
    await worker.decode([toPayload({ ...start, tenant: 'other' })], chain);
    expect(await tenantOf(worker, 'x')).toBe('acme');
    const others = [{ ...start, tenant: 5 }, { ...start, task: null }, '"tenant"', { tenant: 'acme' }];
    for (const other of others) expect(await tenantOf(codec(), other), JSON.stringify(other)).toBeNull();
    const activity = codec();
    await activity.decode([toPayload(start)], { ...chain, type: 'activity', isLocal: false });
    await activity.decode([toPayload(start)]);
    expect(await tenantOf(activity, 'x')).toBeNull();
  });
});

/** Secrets are masked in artifacts: in texts, bytes, and streams cut anywhere. */

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createRedactingArtifact } from '../../../src/activities/tool/call-secrets.js';
import { createSecretMasker, noSecretMasker } from '../../../src/core/redact/known-secrets.js';
import type { ToolContext } from '../../../src/index.js';

type Content = Parameters<ToolContext['artifact']>[1];

/** Returns the stored name, bytes and media type. */
async function storeArtifact(name: string, content: Content, secrets: readonly string[]) {
  let made: readonly [name: string, bytes: Buffer, mediaType: string | undefined] | undefined;
  const keep: ToolContext['artifact'] = async (as, given, options) => {
    const pieces: Uint8Array[] = [];
    if (typeof given === 'string') pieces.push(Buffer.from(given));
    else if (given instanceof Uint8Array) pieces.push(given);
    else for await (const piece of given) pieces.push(piece);
    made = [as, Buffer.concat(pieces), options?.mediaType];
    return { name: as, digest: '', bytes: 0, mediaType: '' };
  };
  await createRedactingArtifact(keep, createSecretMasker(secrets))(name, content, { mediaType: 'text/plain' });
  if (made === undefined) throw new Error('Nothing was stored.');
  return made;
}

async function* inPieces(bytes: Buffer, size: number): AsyncIterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

it('secrets are masked in names, texts and bytes', async () => {
  const [name, bytes] = await storeArtifact('of canary-1234.csv', 'key,canary-1234', ['canary-1234']);
  expect([name, bytes.toString()]).toEqual(['of [redacted:secret].csv', 'key,[redacted:secret]']);
  const [, umlauts] = await storeArtifact('x', Buffer.from('<schlüssel-1234>'), ['schlüssel-1234']);
  expect(umlauts.toString()).toBe('<[redacted:secret]>');
});

it('bytes without a secret are unchanged', async () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte));
  expect(await storeArtifact('x', bytes, ['canary-1234'])).toEqual(['x', bytes, 'text/plain']);
  const keep = async () => ({ name: '', digest: '', bytes: 0, mediaType: '' });
  expect(createRedactingArtifact(keep, noSecretMasker)).toBe(keep);
});

it('secrets are masked in a stream cut at any place', async () => {
  const around = fc.integer({ min: 0, max: 200_000 });
  await fc.assert(
    fc.asyncProperty(around, around, fc.integer({ min: 5_000, max: 90_000 }), async (before, after, size) => {
      const text = `${'a'.repeat(before)}canary-1234${'b'.repeat(after)}canary-1234`;
      const [, bytes] = await storeArtifact('x', inPieces(Buffer.from(text), size), ['canary-1234']);
      expect(bytes.toString()).toBe(text.replaceAll('canary-1234', '[redacted:secret]'));
    }),
    { numRuns: 40 },
  );
});

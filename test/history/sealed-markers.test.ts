/** The markers of local calls where a proxy has encrypted all payloads: a reader with its codec reads them. */

import { defaultDataConverter, type LoadedDataConverter, type Payload } from '@temporalio/common';
import { expect, it } from 'vitest';
import { emptyFold, foldEvents } from '../../src/history/fold.js';
import { converter, readStoredHistories } from '../histories/stored.js';

const flip = (payload: Payload): Payload => ({
  metadata: { encoding: Buffer.from('binary/flipped'), before: payload.metadata?.encoding ?? new Uint8Array() },
  data: Uint8Array.from(payload.data ?? [], (byte) => byte ^ 0xff),
});
const unflip = (payload: Payload): Payload => {
  if (Buffer.from(payload.metadata?.encoding ?? []).toString() !== 'binary/flipped') return payload;
  const { data = new Uint8Array() } = flip(payload);
  return { metadata: { encoding: payload.metadata?.before ?? new Uint8Array() }, data };
};
const reading: LoadedDataConverter = {
  ...defaultDataConverter,
  payloadCodecs: [{ encode: async (all) => all.map(flip), decode: async (all) => all.map(unflip) }],
};

const events = readStoredHistories().find(({ name }) => name === 'local-calls')?.events ?? [];
const sealed = events.map((event) => {
  const marker = event.markerRecordedEventAttributes;
  if (!marker) return event;
  const pairs = Object.entries(marker.details ?? {});
  const details = Object.fromEntries(
    pairs.map(([key, { payloads }]) => [key, { payloads: payloads?.map(flip) ?? [] }]),
  );
  return { ...event, markerRecordedEventAttributes: { ...marker, details } };
});

it('are read with the codec of the proxy', async () => {
  const plain = await foldEvents(emptyFold, events, converter);
  const read = await foldEvents(emptyFold, sealed, reading);
  expect(plain.chain.state.steps).toBeGreaterThan(2);
  expect(read.chain.state.head).toBe(plain.chain.state.head);
});

it('are an error that names the event and the fix without it', async () => {
  await expect(foldEvents(emptyFold, sealed, defaultDataConverter)).rejects.toThrow(/codec|encoding/);
});

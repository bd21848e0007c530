/** How long after an event its readers know of it: twenty of them, each on a chain of its own. */

import type { Longhand } from '../src/client/connect.js';
import { sourceOf } from '../src/client/read/source.js';
import { idOf, milliseconds } from '../src/history/event.js';
import { readForward } from '../src/history/read.js';
import { taskOf } from './task.js';

export interface Delays {
  readonly steps: number;
  /** Milliseconds. */
  readonly delays: readonly number[];
}

const readers = 20;
const steps = 12;

/** What a reader was told: which event, and when. */
type Heard = ReadonlyMap<number, number>;

type Read = (longhand: Longhand, chainId: string) => Promise<Heard>;

export function rawDelays(longhand: Longhand, say: (line: string) => void): Promise<Delays> {
  return delaysOf('raw', longhand, say, pollRaw);
}

export function followDelays(longhand: Longhand, say: (line: string) => void): Promise<Delays> {
  return delaysOf('follow', longhand, say, async (_, chainId) => {
    const heard = new Map<number, number>();
    for await (const { eventId, type } of longhand.chain(chainId).follow()) {
      if (type !== 'ended' && !heard.has(eventId)) heard.set(eventId, Date.now());
    }
    return heard;
  });
}

async function delaysOf(name: string, longhand: Longhand, say: (line: string) => void, read: Read): Promise<Delays> {
  say(`${readers} chains are read as they go on: ${name}`);
  const delays = await Promise.all(
    Array.from({ length: readers }, async (_, at) => {
      const chainId = `${name}-${at}`;
      await longhand.start('stock_taker', taskOf(steps - 1, true), { chainId });
      return delaysIn(longhand, chainId, await read(longhand, chainId));
    }),
  );
  return { steps, delays: delays.flat() };
}

/** Both sides are told of completed workflow tasks: what comes before is not final. */
async function delaysIn(longhand: Longhand, chainId: string, heard: Heard): Promise<readonly number[]> {
  const { service, namespace, runId } = await sourceOf(longhand.client, chainId);
  const delays: number[] = [];
  for await (const page of readForward({ service, namespace }, { workflowId: chainId, runId })) {
    for (const event of page.filter((each) => each.workflowTaskCompletedEventAttributes)) {
      const at = heard.get(idOf(event));
      // Reading began with the first; the chain's start is not news.
      if (at !== undefined && idOf(event) > 10) delays.push(at - milliseconds(event));
    }
  }
  return delays;
}

async function pollRaw(longhand: Longhand, chainId: string): Promise<Heard> {
  const { service, namespace, runId } = await sourceOf(longhand.client, chainId);
  const heard = new Map<number, number>();
  let nextPageToken: Uint8Array = new Uint8Array();
  do {
    const execution = { workflowId: chainId, runId };
    const page = await service.getWorkflowExecutionHistory({ namespace, execution, waitNewEvent: true, nextPageToken });
    for (const event of page.history?.events ?? []) heard.set(idOf(event), Date.now());
    nextPageToken = page.nextPageToken ?? new Uint8Array();
  } while (nextPageToken.length > 0);
  return heard;
}

/**
 * With encryption, Temporal stores nothing readable: words that were planted in every place for content are in no byte that
 * the server returns. Without encryption each of them is found, so the search works.
 */

import { randomBytes } from 'node:crypto';
import { afterEach, expect, it } from 'vitest';
import { canaries, createCanaryAgents, playCanaries } from '../../support/canary-scene.js';
import { withWorker } from '../../support/chain-test.js';

const key = { current: 'k1', keys: { k1: { key: randomBytes(32).toString('base64') } } };
const before = process.env.LONGHAND_ENCRYPTION_KEY;
afterEach(() => {
  process.env.LONGHAND_ENCRYPTION_KEY = before;
});

async function readPlaces(encryptionKey: string): Promise<ReadonlyMap<string, readonly string[]>> {
  process.env.LONGHAND_ENCRYPTION_KEY = encryptionKey;
  const { agents, replies, seen } = createCanaryAgents();
  // The chain continues as new: the carried state is content.
  const worker = { continueAfter: { steps: 3 } };
  // In a thread, as in production: only there the server can query the stacks of a workflow.
  const temporal = { debugMode: false };
  return withWorker({ agents, replies, worker, temporal }, (test) => playCanaries(test, seen));
}

/** Returns the places in which each planted word is readable. */
function findReadable(found: ReadonlyMap<string, readonly string[]>): Readonly<Record<string, readonly string[]>> {
  const words = Object.entries(canaries);
  return Object.fromEntries(
    words.map(([name, word]) => {
      const there = [...found].filter(([, texts]) => texts.some((text) => text.toLowerCase().includes(word)));
      return [name, there.map(([place]) => place)];
    }),
  );
}

it('without encryption every planted word is readable in Temporal', async () => {
  const places = findReadable(await readPlaces(''));
  expect(Object.keys(places).filter((name) => places[name]?.length === 0)).toEqual([]);
  // The search covers every place.
  const looked = new Set(Object.values(places).flat());
  expect([...looked].sort()).toEqual(['description', 'history', 'metadata', 'state']);
  expect(places.error).toContain('description');
});

it('with encryption no planted word is readable in Temporal, also none of a stack or a cause', async () => {
  const found = await readPlaces(JSON.stringify(key));
  const places = findReadable(found);
  expect(Object.entries(places).filter(([, there]) => there.length > 0)).toEqual([]);
  expect(found.get('history')).toContain('workflowExecutionContinuedAsNewEventAttributes');
  // Names that stay readable, as documented.
  const texts = [...found.values()].flat();
  for (const known of ['lead', 'acme', 'look_up', 'Encoded failure'])
    expect(texts).toContainEqual(expect.stringContaining(known));
});

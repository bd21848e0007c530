/** Archived chains are listed by their properties and found by their text, but not by hidden text. */

import { beforeEach, expect, it } from 'vitest';
import type { Store } from '../../../src/entries/store.js';
import { putRun } from '../../../src/store/archive/put-run.js';
import { queryArchive } from '../../../src/store/archive/query-archive.js';
import type { ArchiveQuery } from '../../../src/store/db/queries.js';
import { playedSegment, renameSegment, typicalSegment } from '../../support/archived.js';
import { agentOf } from '../../support/core-builders.js';
import { prepared } from '../../support/core-play.js';
import { alsoOnPostgres, describeStores } from '../../support/stores.js';

const day = (of: number) => Date.UTC(2026, 10, of, 8);

const chains = [
  { chainId: 'bill-1', input: { tenant: 'acme', user: 'ada', task: 'Pay the bill of Müller.' }, startedAt: day(1) },
  { chainId: 'bill-2', input: { tenant: 'acme', user: 'bob', task: 'Pay the bill of Meier.' }, startedAt: day(2) },
  { chainId: 'trip-1', input: { tenant: 'initech', task: 'Plan a trip to 東京 in spring.' }, startedAt: day(3) },
  { chainId: 'mail-1', input: { task: 'Write to grace@example.com about order 4711.' }, startedAt: day(3) },
] as const;

describeStores((open) => {
  let store: Store;
  beforeEach(async () => {
    store = await open();
    for (const chain of chains) await putRun(store, typicalSegment({ ...chain, steps: 2 }));
  });
  const findIds = async (query: Partial<ArchiveQuery>) => {
    const { chains } = await queryArchive(store, { namespace: 'default', ...query });
    return chains.map(({ chainId }) => chainId);
  };

  it('lists chains the newest first, page by page without a gap or a repeat', async () => {
    expect(await findIds({})).toEqual(['mail-1', 'trip-1', 'bill-2', 'bill-1']);
    const all: string[] = [];
    for (let cursor: string | null | undefined; cursor !== null; ) {
      const page = await queryArchive(store, { namespace: 'default', limit: 1, cursor: cursor ?? undefined });
      all.push(...page.chains.map(({ chainId }) => chainId));
      cursor = page.cursor;
    }
    expect(all).toEqual(await findIds({}));
    await expect(queryArchive(store, { namespace: 'default', cursor: 'x' })).rejects.toMatchObject({
      code: 'invalid_cursor',
    });
  });

  it('lists the chains of one server, by its last run, and those whose server is unknown', async () => {
    const run = { input: { task: 'Go.' }, startedAt: day(4), steps: 2 };
    const [old, moved] = [typicalSegment({ ...run, chainId: 'old-1' }), typicalSegment({ ...run, chainId: 'moved-1' })];
    await putRun(store, { ...old, server: 'before' });
    await putRun(store, { ...moved, server: 'before' });
    const again = renameSegment(moved, 'moved-1', 'a later run');
    await putRun(store, { ...again, server: 'now', run: { ...again.run, closedAt: moved.run.closedAt + 1 } });
    expect(await findIds({ since: day(4), server: 'before' })).toEqual(['old-1']);
    expect(await findIds({ since: day(4), server: 'now' })).toEqual(['moved-1']);
    expect(await findIds({ tenant: 'acme', server: 'now' })).toEqual(['bill-2', 'bill-1']);
  });

  it('filters by agent, tenant, person, outcome and time', async () => {
    expect(await findIds({ agent: 'reader' })).toHaveLength(4);
    expect(await findIds({ agent: 'other' })).toEqual([]);
    expect(await findIds({ tenant: 'acme' })).toEqual(['bill-2', 'bill-1']);
    expect(await findIds({ tenant: 'acme', user: 'ada' })).toEqual(['bill-1']);
    expect(await findIds({ outcome: 'success' })).toHaveLength(4);
    expect(await findIds({ outcome: 'failure' })).toEqual([]);
    expect(await findIds({ status: 'running' })).toEqual([]);
    expect(await findIds({ since: day(2), until: day(3) })).toEqual(['bill-2']);
    expect(await findIds({ costOver: 1_000 })).toEqual([]);
    expect(await findIds({ namespace: 'other' })).toEqual([]);
    expect(await findIds({ idPrefix: 'bill-' })).toEqual(['bill-2', 'bill-1']);
    expect(await findIds({ tree: { root: 'trip-1' } })).toEqual(['trip-1']);
  });

  const byText: readonly (readonly [text: string, ids: readonly string[]])[] = [
    ['bill muller', ['bill-1']],
    ['BILL Meie', ['bill-2']],
    ['bill', ['bill-2', 'bill-1']],
    ['東京', ['trip-1']],
    ['4711', ['mail-1']],
    ['all read 4711', ['mail-1']],
    ['trip-1', ['trip-1']],
    ['nothing of this', []],
    ['%', []],
    ['"', []],
    ["'; drop table archive_chains; --", []],
    ['bill OR trip', []],
  ];
  it('finds chains by text', async () => {
    for (const [text, ids] of byText) expect([text, await findIds({ text })]).toEqual([text, ids]);
  });

  it('finds chains by thoughts, calls and observations', async () => {
    expect(await findIds({ text: 'orders week' })).toHaveLength(4);
    expect(await findIds({ text: 'look_up' })).toHaveLength(4);
  });

  it('does not find chains by masked text', async () => {
    expect(await findIds({ text: 'order 4711' })).toEqual(['mail-1']);
    expect(await findIds({ text: 'grace@example.com' })).toEqual([]);
    expect(await findIds({ text: 'redacted' })).toEqual([]);
  });

  it('does not find chains by text that required visibility rules hide', async () => {
    const visibility = { required: [{ tool: 'look_up', atMost: 'hidden' }] } as const;
    await putRun(store, typicalSegment({ chainId: 'quiet-1', steps: 2, visibility, answer: 'Quiet.' }));
    expect(await findIds({ text: 'quiet' })).toEqual(['quiet-1']);
    expect(await findIds({ text: 'orders customer' })).not.toContain('quiet-1');
  });

  it('filters by the version of an agent', async () => {
    for (const version of ['1.4.0', '1.4.1', null]) {
      const play = prepared(agentOf({ version }));
      await putRun(store, playedSegment(`clerk-${version}`, play, { startedAt: day(9) }));
    }
    expect(await findIds({ agent: 'clerk', agentVersion: '1.4.1' })).toEqual(['clerk-1.4.1']);
    expect(await findIds({ agent: 'reader', agentVersion: '1.4.1' })).toEqual([]);
    const { chains } = await queryArchive(store, { namespace: 'default', agent: 'clerk' });
    expect(chains.map(({ agentVersion }) => agentVersion)).toEqual([null, '1.4.1', '1.4.0']);
  });

  it('returns the columns of a list row', async () => {
    const { chains } = await queryArchive(store, { namespace: 'default', text: 'müller' });
    expect(chains).toEqual([
      expect.objectContaining({
        chainId: 'bill-1',
        runId: 'run-1',
        agent: 'reader',
        model: 'some-model',
        tenant: 'acme',
        user: 'ada',
        root: 'bill-1',
        parent: null,
        status: 'ended',
        outcome: 'success',
        startedAt: day(1),
        steps: 2,
        erased: null,
      }),
    ]);
    expect(chains[0]?.input?.task).toBe('Pay the bill of Müller.');
    expect(chains[0]?.costUsd).toBeGreaterThan(0);
  });
}, alsoOnPostgres);

/** Text that many databases and programs cannot store (lone surrogates, U+0000), in all names from models and people. */

import { describe, expect, it } from 'vitest';
import { toFacts } from '../../../src/contract/delivery.js';
import { computeHead } from '../../../src/core/engine/advance.js';
import { computeCallKey, computeDigest } from '../../../src/core/lib/digest.js';
import { toCanonicalJson, toWellFormed } from '../../../src/core/lib/json.js';
import type { Fact } from '../../../src/core/model/fact.js';
import type { ChainRun } from '../../../src/core/record/chain-file.js';
import type { Json } from '../../../src/index.js';
import { readRun } from '../../../src/store/archive/archived-runs.js';
import { putRun } from '../../../src/store/archive/put-run.js';
import { queryArchive } from '../../../src/store/archive/query-archive.js';
import { eraseAuditContents } from '../../../src/store/audit/erase-contents.js';
import { queryAudit } from '../../../src/store/audit/read.js';
import { immediateCadence, signHeads } from '../../../src/store/audit/sign-heads.js';
import { verifyStore } from '../../../src/store/audit/verify-store.js';
import { segment } from '../../support/archived.js';
import { auditChain, exportOf, someKey, verified } from '../../support/audited.js';
import { agentOf, answers, asks, someInput } from '../../support/core-builders.js';
import { type Play, prepared } from '../../support/core-play.js';
import { describeStores } from '../../support/stores.js';

const [high, low] = ['\ud83d', '\ude00'];

describe('canonical JSON', () => {
  it.each<readonly [Json, string]>([
    [`a${high}`, '"a\ufffd"'],
    [[`${low}${high}`], '["\ufffd\ufffd"]'],
    [{ [`k${high}`]: { [low]: 1 } }, '{"k\ufffd":{"\ufffd":1}}'],
    [`${high}${low}`, '"😀"'],
    ['\\ud83d', '"\\\\ud83d"'],
    [`\\${high}`, '"\\\\\ufffd"'],
    [{ [high]: 1, '\ue000': 2 }, '{"\ue000":2,"\ufffd":1}'],
  ])('of %j is well-formed Unicode', (value, text) => {
    expect(toCanonicalJson(value)).toBe(text);
    expect(toCanonicalJson(JSON.parse(toCanonicalJson(value)))).toBe(text);
    expect(toWellFormed(value)).toEqual(JSON.parse(text));
    expect(Buffer.from(toCanonicalJson(value)).toString()).toBe(toCanonicalJson(value));
  });

  it('keeps the same one of two keys that become equal', () => {
    const value = { [low]: 'low', [high]: 'high' };
    expect(toCanonicalJson(value)).toBe('{"\ufffd":"low"}');
    expect(toCanonicalJson({ [high]: 'high', [low]: 'low' })).toBe(toCanonicalJson(value));
    expect(toWellFormed(value)).toEqual({ '\ufffd': 'low' });
  });

  it('does not change well-formed values at any depth', () => {
    const value = { b: [1, '😀'], a: { constructor: null } };
    expect(toWellFormed(value)).toBe(value);
    let deep: Json = high;
    for (let depth = 0; depth < 100_000; depth++) deep = [deep];
    expect(toCanonicalJson(toWellFormed(deep))).toBe(toCanonicalJson(deep));
  });

  it('has the same digest after a store or program returns it', () => {
    const fact = {
      type: 'toolReturned',
      at: 1,
      call: '1.1',
      observation: { content: high, clippedFrom: null },
    } as const;
    const stored = JSON.parse(Buffer.from(toCanonicalJson(fact)).toString()) as Fact;
    expect(computeHead('', stored)).toBe(computeHead('', fact));
    expect(computeCallKey(`t${high}`, {})).toBe(computeCallKey('t\ufffd', {}));
    expect(computeDigest(high)).toBe(computeDigest('\ufffd'));
  });
});

describe('facts', () => {
  it('are well-formed as soon as the workflow or a reader takes them', () => {
    const fact = (at: number): Fact => ({
      type: 'toolReturned',
      at,
      call: '1.1',
      observation: { content: { [`k${high}`]: `v${low}` }, clippedFrom: null },
    });
    expect(toFacts([{ kind: 'result', order: 0, toFact: fact }], 5)).toEqual([
      {
        type: 'toolReturned',
        at: 5,
        call: '1.1',
        observation: { content: { 'k\ufffd': 'v\ufffd' }, clippedFrom: null },
      },
    ]);
  });
});

/** A chain whose names and texts all end with `sign`, but for its agent: a start with such a name is invalid. */
function chainWith(sign: string): Play {
  const play = prepared(agentOf({ name: 'clerk' }), {
    ...someInput,
    agent: 'clerk',
    task: `What is due?${sign}`,
    tenant: `acme${sign}`,
    user: `eve${sign}`,
    roles: [`clerk${sign}`],
  });
  play.replied(asks({ tool: `pay${sign}`, input: { [`to${sign}`]: `bob${sign}` } }));
  play.replied(answers(`Nothing is due.${sign}`));
  return play;
}

const signs = { 'a lone surrogate': high, 'U+0000': '\0', both: `\0${low}` };

describeStores((open) => {
  it.each(Object.entries(signs))(
    'a chain with %s in all its names is audited, found, exported and verified',
    async (_, sign) => {
      const store = await open();
      const key = someKey();
      const chainId = `chain${sign}`;
      await auditChain(store, chainId, chainWith(sign));
      await auditChain(store, chainId, chainWith(sign));
      await signHeads(store, key, 1);
      expect((await verifyStore(store, 'default', [key.id])).findings).toEqual([]);
      const { entries } = await queryAudit(
        store.db,
        { chainId, tool: `pay${sign}`, tenant: `acme${sign}` },
        { limit: 10 },
      );
      expect(entries.map(({ entry }) => entry.type)).toEqual(['tool_ended', 'tool_called']);
      expect((await queryAudit(store.db, { tenant: 'acme' }, { limit: 10 })).entries).toEqual([]);
      expect(verified(await exportOf(store, key), [key.id]).findings).toEqual([]);

      const erasure = { namespace: 'default', scope: 'chain', chainIds: [chainId], at: 5 } as const;
      const [erased] = await store.write((tx) =>
        eraseAuditContents(tx, { ...erasure, who: { by: `ana${sign}`, roles: [] } }),
      );
      expect(erased).toMatchObject({ seq: 9, what: { contents: 7 } });
      await signHeads(store, key, 2, immediateCadence);
      expect((await verifyStore(store, 'default', [key.id])).findings).toEqual([]);
    },
  );

  it.each(Object.entries(signs))(
    'a chain with %s in all its names is archived and can be read again',
    async (_, sign) => {
      const store = await open();
      const { turns } = chainWith(sign);
      const chainId = `chain${sign}`;
      const run: ChainRun = {
        ...{ runId: 'run-1', closed: 'completed', closedAt: 9_000, result: null, heads: [], attempts: {} },
        turns: turns.map((turn) => ({ ...turn, facts: toWellFormed(turn.facts), scheduled: [] })),
      };
      await putRun(store, segment(chainId, run));
      const { chains } = await queryArchive(store, { namespace: 'default', tenant: `acme${sign}`, user: `eve${sign}` });
      expect(chains.map(({ outcome }) => outcome)).toEqual(['success']);
      expect((await queryArchive(store, { namespace: 'default', tenant: 'acme' })).chains).toEqual([]);
      expect(await readRun(store, { namespace: 'default', chainId }, 'run-1')).toEqual(run);
    },
  );
});

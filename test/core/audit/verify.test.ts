/** The tampering table: each kind of change to a log is found and named. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AuditDraft } from '../../../src/core/audit/entry.js';
import { type AuditFinding, formatFinding } from '../../../src/core/audit/finding.js';
import { toLogKey } from '../../../src/core/audit/head.js';
import { formatExportLine, omitEntry } from '../../../src/core/audit/line.js';
import { computeBodyDigest, computeEntryHash } from '../../../src/core/audit/seal.js';
import { type LogProof, verifyLogs } from '../../../src/core/audit/verify.js';
import { type Json, toCanonicalJson } from '../../../src/core/lib/json.js';
import { checkSignature, draftsOf, headAt, logOf, proofOf, type SomeLog } from '../../support/audit.js';
import { budget } from '../../support/budget.js';
import { agentOf, answers, asks, look, someInput } from '../../support/core-builders.js';
import { prepared } from '../../support/core-play.js';

function someDrafts(): readonly AuditDraft[] {
  const play = prepared(agentOf(), { ...someInput, tenant: 'acme', user: 'eve' });
  for (let step = 1; step <= 4; step++) {
    play.replied(asks(look({ a: step })));
    play.returned(`${step}.1`);
  }
  play.replied(answers('Done.'));
  return draftsOf(play);
}

const drafts = someDrafts();
const log: SomeLog = logOf(drafts);
const proof = proofOf(log, 6);
const count = log.entries.length;
const acme = { namespace: 'default', tenant: 'acme' };

const verify = (changed: Partial<LogProof>) => verifyLogs({ ...proof, ...changed }, checkSignature).findings;
const first = (changed: Partial<LogProof>): AuditFinding | undefined => verify(changed)[0];
const lines = (change: (lines: string[]) => void): Partial<LogProof> => {
  const entries = [...proof.entries];
  change(entries);
  return { entries };
};

/** The log with one entry altered and all hashes from there computed again. */
function rewriteFrom(seq: number): readonly string[] {
  let previous = log.entries[seq - 2]?.hash ?? '';
  return log.entries.map((entry) => {
    if (entry.seq < seq) return formatExportLine(entry).trimEnd();
    const changed = { ...entry, previous, ...(entry.seq === seq ? { at: entry.at + 1 } : {}) };
    previous = computeEntryHash(previous, computeBodyDigest(changed));
    return formatExportLine({ ...changed, hash: previous }).trimEnd();
  });
}

function replaceEntry(seq: number): string {
  const entry = { ...log.entries[seq - 1]!, at: 1 };
  return formatExportLine({ ...entry, hash: computeEntryHash(entry.previous, computeBodyDigest(entry)) }).trimEnd();
}

describe('an unchanged log', () => {
  it('is complete and signed to its end', () => {
    expect(verifyLogs(proof, checkSignature)).toMatchObject({
      findings: [],
      entries: count,
      leftOut: 0,
      contents: log.contents.length,
      heads: [{ seq: count, hash: log.entries.at(-1)?.hash }],
    });
  });

  it('may have descending times, since its numbers determine the order', () => {
    const back = logOf(drafts.map((draft, index) => ({ ...draft, at: 1_000_000 - index * 1_000 })));
    expect(verifyLogs(proofOf(back), checkSignature).findings).toEqual([]);
  });

  it('can be verified with omitted entries, by their digests', () => {
    const shown = new Set([3, 7]);
    const entries = log.entries.map((entry) =>
      formatExportLine(shown.has(entry.seq) ? entry : omitEntry(entry)).trimEnd(),
    );
    const contents = log.contents.filter(({ seq }) => shown.has(seq)).map((each) => toCanonicalJson(each));
    const some = { ...proof, entries, contents };
    expect(verifyLogs(some, checkSignature)).toMatchObject({ findings: [], entries: 2, leftOut: count - 2 });
    // A shown entry cannot be altered by changing the hashes of omitted ones.
    const changed = entries.with(2, replaceEntry(3));
    expect(verifyLogs({ ...some, entries: changed }, checkSignature).findings[0]?.kind).toBe('altered');
    expect(entries.join()).not.toContain('tool_ended"');
  });

  it('may start at a later number if that number is expected', () => {
    const entries = proof.entries.slice(4);
    const contents = log.contents.filter(({ seq }) => seq > 4).map((each) => toCanonicalJson(each));
    const firsts = new Map([[toLogKey(acme), 5]]);
    expect(verify({ entries, contents, firsts })).toEqual([]);
    expect(first({ entries, contents })).toEqual({ kind: 'missing', from: 1, to: 4, ...acme });
  });
});

describe('the tampering table', () => {
  const table: readonly (readonly [name: string, changed: Partial<LogProof>, finding: Partial<AuditFinding>])[] = [
    [
      'a member altered',
      lines((all) => all.splice(4, 1, all[4]!.replace('"step":1', '"step":2').replace('"1.1"', '"1.2"'))),
      { kind: 'altered', seq: 5 },
    ],
    [
      'an entry replaced, with a new hash',
      lines((all) => all.splice(4, 1, replaceEntry(5))),
      { kind: 'altered', seq: 5 },
    ],
    ['all later hashes computed again', { entries: rewriteFrom(5) }, { kind: 'rewritten', from: 1, to: 6 }],
    [
      'all hashes after a signed head computed again',
      { entries: rewriteFrom(8) },
      { kind: 'rewritten', from: 6, to: count },
    ],
    ['an entry removed', lines((all) => all.splice(4, 1)), { kind: 'missing', from: 5, to: 5 }],
    ['three entries removed', lines((all) => all.splice(4, 3)), { kind: 'missing', from: 5, to: 7 }],
    ['the first entry removed', lines((all) => all.splice(0, 1)), { kind: 'missing', from: 1, to: 1 }],
    ['the end cut off', lines((all) => all.splice(-2)), { kind: 'truncated', from: count - 1, to: count }],
    ['all cut off', { entries: [] }, { kind: 'truncated', from: 1, to: 6 }],
    [
      'the end cut off, with the head that covers it',
      { ...lines((all) => all.splice(-2)), heads: proof.heads.slice(0, 1) },
      { kind: 'unsigned', from: 7, to: count - 2 },
    ],
    [
      'two neighbours swapped',
      lines((all) => all.splice(4, 2, all[5]!, all[4]!)),
      { kind: 'reordered', seq: 6, line: 5 },
    ],
    [
      'an entry moved to the front',
      lines((all) => all.unshift(all.splice(7, 1)[0]!)),
      { kind: 'reordered', seq: 8, line: 1 },
    ],
    [
      'an entry moved to the end',
      lines((all) => all.push(all.splice(3, 1)[0]!)),
      { kind: 'reordered', seq: 4, line: count },
    ],
    ['an entry duplicated', lines((all) => all.splice(5, 0, all[4]!)), { kind: 'doubled', seq: 5, line: 6 }],
    [
      'an entry inserted with an existing number',
      lines((all) => all.splice(5, 0, replaceEntry(5))),
      { kind: 'inserted', seq: 5, line: 6 },
    ],
    [
      'an entry inserted before the entry with the same number',
      lines((all) => all.splice(4, 0, replaceEntry(5))),
      { kind: 'inserted', seq: 5, line: 5 },
    ],
    [
      'an entry appended without a chained hash',
      lines((all) => all.push(formatExportLine({ ...log.entries[0]!, seq: count + 1 }).trimEnd())),
      { kind: 'altered', seq: count + 1 },
    ],
    [
      'an entry appended and chained',
      { entries: [...proof.entries, added()] },
      { kind: 'unsigned', from: count + 1, to: count + 1 },
    ],
    [
      'a line that is not JSON',
      lines((all) => all.splice(4, 1, all[4]!.slice(0, -4))),
      { kind: 'unreadable', line: 5 },
    ],
    [
      'a member written twice',
      lines((all) => all.splice(4, 1, all[4]!.replace('{', '{"agent":"other",'))),
      { kind: 'unreadable', line: 5 },
    ],
    [
      'a head altered',
      { heads: proof.heads.map((head) => ({ ...head, signed: head.signed.replace('"at":1', '"at":2') })) },
      { kind: 'bad_signature', seq: 6 },
    ],
    [
      'a signature altered',
      { heads: proof.heads.map((head) => ({ ...head, signature: `${head.signature}.` })) },
      { kind: 'bad_signature', seq: 6 },
    ],
    [
      'heads of another key',
      { heads: log.entries.slice(-1).map((entry) => headAt(entry, 'key-2')) },
      { kind: 'unknown_key', key: 'key-2' },
    ],
    ['no heads', { heads: [] }, { kind: 'unsigned', from: 1, to: count }],
    ['an unreadable head', { heads: [{ signed: '{}', signature: '' }] }, { kind: 'unreadable_head', head: 1 }],
    [
      'a content altered',
      { contents: proof.contents.map((line) => line.replace('result of 2.1', 'result of 2.7')) },
      { kind: 'content_altered', part: 'result' },
    ],
    ['a content removed', { contents: proof.contents.slice(1) }, { kind: 'content_missing', seq: 1, part: 'task' }],
    [
      'a content inserted',
      { contents: [...proof.contents, proof.contents[0]!.replace('"part":"task"', '"part":"plan"')] },
      { kind: 'content_inserted', part: 'plan' },
    ],
    [
      'a content duplicated',
      { contents: [...proof.contents, proof.contents[0]!] },
      { kind: 'unreadable', file: 'contents' },
    ],
  ];

  it.each(table)('%s', (_name, changed, finding) => {
    const found = first(changed);
    expect(found).toMatchObject(finding);
    expect(formatFinding(found!)).toMatch(/^[A-Z].*[^.]$/);
  });

  /** An entry that is chained correctly by a writer without the key. */
  function added(): string {
    const last = log.entries.at(-1)!;
    const entry = { ...last, seq: count + 1, previous: last.hash };
    return formatExportLine({ ...entry, hash: computeEntryHash(last.hash, computeBodyDigest(entry)) }).trimEnd();
  }
});

describe('a single change', () => {
  const places = (value: Json, path: readonly (string | number)[] = []): readonly (readonly (string | number)[])[] =>
    typeof value !== 'object' || value === null
      ? [path]
      : Object.entries(value).flatMap(([key, member]) => places(member, [...path, key]));
  const set = (value: Json, [key, ...rest]: readonly (string | number)[], to: Json): Json => {
    if (key === undefined) return to;
    if (Array.isArray(value)) return value.map((item, at) => (String(at) === String(key) ? set(item, rest, to) : item));
    const held = value as { readonly [key: string]: Json };
    return { ...held, [key]: set(held[key] ?? null, rest, to) };
  };

  it('of a character of a line is found', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.string({ minLength: 1, maxLength: 1 }), fc.boolean(), (line, at, put, cut) => {
        const texts = [...proof.entries, ...proof.contents];
        const which = line % texts.length;
        const text = texts[which]!;
        const from = at % text.length;
        const changed = text.slice(0, from) + put + text.slice(from + (cut ? 1 : 0));
        fc.pre(changed !== text);
        texts[which] = changed;
        const entries = texts.slice(0, count);
        expect(verify({ entries, contents: texts.slice(count) })).not.toEqual([]);
      }),
      { numRuns: budget(35, 400) },
    );
  });

  it('of a member of an entry names the entry', () => {
    fc.assert(
      fc.property(fc.nat(), fc.nat(), fc.jsonValue(), (line, at, to) => {
        const entry = log.entries[line % count]!;
        const all = places(entry as unknown as Json).filter(
          ([key]) => !['seq', 'namespace', 'tenant'].includes(String(key)),
        );
        const path = all[at % all.length]!;
        const changed = toCanonicalJson(set(entry as unknown as Json, path, to as Json));
        fc.pre(changed !== toCanonicalJson(entry));
        const found = first(lines((texts) => texts.splice(entry.seq - 1, 1, changed)));
        const named =
          found?.kind === 'unreadable' ? found.line : found !== undefined && 'seq' in found ? found.seq : null;
        expect(named).toBe(entry.seq);
      }),
      { numRuns: budget(35, 400) },
    );
  });

  it('of the order or the number of entries is found', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(proof.entries as string[], { minLength: 0, maxLength: count }), (entries) => {
        const whole = entries.length === count && entries.every((entry, at) => entry === proof.entries[at]);
        expect(verify({ entries }).length === 0).toBe(whole);
      }),
      { numRuns: budget(20, 200) },
    );
  });
});

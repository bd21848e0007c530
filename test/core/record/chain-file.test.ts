/** A chain's file: whatever is altered in it is noticed; what a later version adds is passed over. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseAsChainFile, parseRecordedChain, toChainFile } from '../../../src/client/read/recorded-chain.js';
import { computeHead } from '../../../src/core/engine/advance.js';
import { isObject, type Json, toCanonicalJson } from '../../../src/core/lib/json.js';
import type { Fact } from '../../../src/core/model/fact.js';
import {
  type ChainFile,
  type ChainFileTurn,
  parseChainFile,
  type SealedChainFile,
  sealChainFile,
} from '../../../src/core/record/chain-file.js';
import { type Divergence, formatDivergence, verifyFile } from '../../../src/core/record/verify-file.js';
import { allExports } from '../../histories/exports.js';
import { converter } from '../../histories/stored.js';
import { budget } from '../../support/budget.js';
import { agentOf } from '../../support/core-builders.js';
import { says } from '../../support/core-people.js';
import { prepared } from '../../support/core-play.js';

const texts = (await allExports()).flatMap(({ kind, text }) => (kind === 'chain' ? [text] : []));
const [first = ''] = texts;
const someText = fc.constantFrom(...texts);

/** What reading the text comes to: why it is refused, where it parts, or null where all is well. */
function noticed(text: string): Divergence | string | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'no JSON';
  }
  const read = parseChainFile(value);
  return read.ok ? verifyFile(read.file).parting : read.problem;
}

function equal(text: string, other: string): boolean {
  try {
    return toCanonicalJson(JSON.parse(text)) === toCanonicalJson(JSON.parse(other));
  } catch {
    return false;
  }
}

/** Every place of a value, as the keys that lead to it. */
function places(value: Json, path: readonly (string | number)[] = []): readonly (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([key, member]) => [[...path, key], ...places(member, [...path, key])]);
}

/** A copy of the file in which what stands at a place is something else, or is gone. */
function altered(text: string, path: readonly (string | number)[], to: Json | undefined): SealedChainFile {
  const file = JSON.parse(text) as SealedChainFile;
  const last = path.at(-1) ?? '';
  const holder = path.slice(0, -1).reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], file);
  if (to === undefined) delete (holder as Record<string, unknown>)[last];
  else (holder as Record<string, unknown>)[last] = to;
  return file;
}

describe('what was altered', () => {
  it('in any byte is noticed, or means nothing', () => {
    fc.assert(
      fc.property(someText, fc.nat(), fc.integer({ min: 0, max: 255 }), (text, at, byte) => {
        const bytes = Buffer.from(text);
        bytes[at % bytes.length] = byte;
        const other = bytes.toString();
        return equal(text, other) || noticed(other) !== null;
      }),
      { numRuns: budget(250, 1_000) },
    );
  });

  it('in any member is noticed, whatever stands there instead', () => {
    fc.assert(
      fc.property(someText, fc.nat(), fc.option(fc.jsonValue(), { nil: undefined }), (text, which, to) => {
        const all = places(JSON.parse(text) as Json);
        const file = JSON.stringify(altered(text, all[which % all.length] ?? [], to as Json));
        return equal(text, file) || noticed(file) !== null;
      }),
      { numRuns: budget(125, 500) },
    );
  });

  it('by being cut off is noticed at any length', () => {
    fc.assert(
      fc.property(someText, fc.nat(), (text, at) => {
        const cut = text.slice(0, at % (text.trimEnd().length - 1));
        return noticed(cut) !== null;
      }),
      { numRuns: budget(75, 300) },
    );
  });

  it('in a fact is noticed under a new checksum too, and the last call that agrees is named', () => {
    const { checksum: _old, ...file } = JSON.parse(first) as SealedChainFile;
    const facts = file.runs.flatMap((run) => run.turns.flatMap((turn) => turn.facts));
    expect(facts.length).toBeGreaterThan(3);
    for (const [at, fact] of facts.entries()) {
      const forged = replaced(file, at, { ...fact, at: fact.at + 1 });
      const { parting } = verifyFile(sealChainFile(forged));
      expect(parting?.where).toMatch(/^model-\d+$|^the end$/);
    }
  });

  it('in a fact and its digests is noticed where the workflow’s own end says otherwise', () => {
    const file = JSON.parse(texts.find((text) => text.includes('"All done."')) ?? '') as SealedChainFile;
    const text = JSON.stringify(file.runs.map(({ result: _, ...run }) => run)).replaceAll('All done.', 'Nothing.');
    const runs = (JSON.parse(text) as ChainFile['runs']).map((run, at) => ({
      ...run,
      result: file.runs[at]?.result ?? null,
    }));
    const digest = verifyFile({ ...file, runs }).digest;
    const { checksum: _old, ...rest } = { ...file, runs, digest };
    expect(verifyFile(sealChainFile(rest)).parting?.where).toBe('the result');
  });

  it.each([
    ['the definition', (file: ChainFile) => ({ ...file, definition: null })],
    ['the end', (file: ChainFile) => ({ ...file, digest: 'f'.repeat(64) })],
  ])('in %s is told apart', (where, alter) => {
    const { checksum: _old, ...file } = JSON.parse(first) as SealedChainFile;
    expect(verifyFile(sealChainFile(alter(file))).parting?.where).toBe(where);
  });

  it('beside the facts is told apart', () => {
    const file = JSON.parse(first) as SealedChainFile;
    const { parting } = verifyFile({ ...file, runs: file.runs.map((run) => ({ ...run, closedAt: 1 })) });
    expect(parting?.where).toBe('the file');
    expect(formatDivergence(parting as Divergence)).toContain('checksum');
  });
});

describe('facts that were forged together with their digests', () => {
  it('are judged by whether a chain can be made of them', async () => {
    const file = forged([started(0), { type: 'prepared', at: 1, agent: {} } as unknown as Fact], {});
    expect(parseChainFile(file).ok).toBe(true);
    const { parting } = verifyFile(file);
    expect(parting).toMatchObject({ where: 'the facts', agreedUntil: 'the start' });
    expect(formatDivergence(parting as Divergence)).toContain('no chain can be made of them');
    const refused = await parseRecordedChain(JSON.stringify(file), converter).catch((error: Error) => error);
    expect(refused).toMatchObject({ name: 'InvalidChainFileError' });
  });

  it.each([
    ['a fact', [started(1e18)], {}],
    ['a part of a millisecond', [started(0.5)], {}],
    ['the end', [started(0)], { closedAt: 8.64e15 + 1 }],
    ['an attempt', [started(0)], { attempts: { prepare: { ...attempt, startedAt: -1e18 } } }],
  ])('a time that is none, of %s, is refused', (_what, facts, run) => {
    expect(parseChainFile(forged(facts, run)).ok).toBe(false);
    expect(parseChainFile(forged([started(0)], {})).ok).toBe(true);
  });
});

describe('what a later version may do', () => {
  it('members that nobody knows yet are passed over', async () => {
    const { checksum: _old, ...file } = JSON.parse(first) as SealedChainFile;
    const runs = file.runs.map((run) => ({ ...run, weather: { city: 'Paris' } }));
    const later = JSON.stringify(sealChainFile({ ...file, runs, more: [1, 2] } as ChainFile));
    expect(noticed(later)).toBeNull();
    const { chain } = await parseRecordedChain(later, converter);
    expect(chain).toEqual((await parseRecordedChain(first, converter)).chain);
  });

  it('a version that is not known is refused by its number', async () => {
    const later = JSON.stringify({ ...(JSON.parse(first) as object), version: 2 });
    await expect(parseRecordedChain(later, converter)).rejects.toThrow(
      'it is of version 2; this Longhand reads version 1',
    );
  });
});

describe('a file that can be parsed and is no chain', () => {
  it('is refused with a sentence, never by accident', async () => {
    const shaped = fc.record({ format: fc.constant('longhand.chain'), version: fc.constant(1) });
    const any = fc.oneof(
      fc.jsonValue(),
      fc.tuple(shaped, fc.object()).map(([head, more]) => ({ ...more, ...head })),
    );
    await fc.assert(
      fc.asyncProperty(any, async (value) => {
        const refused = await parseAsChainFile(JSON.stringify(value), converter).catch((error: Error) => error);
        expect(refused).toMatchObject({ name: 'InvalidChainFileError' });
      }),
      { numRuns: budget(75, 300) },
    );
  });
});

function replaced(file: ChainFile, index: number, fact: unknown): ChainFile {
  let at = -1;
  const runs = file.runs.map((run) => ({
    ...run,
    turns: run.turns.map((turn) => ({
      ...turn,
      facts: turn.facts.map((each) => {
        at += 1;
        return at === index && isObject(fact) ? (fact as unknown as typeof each) : each;
      }),
    })),
  }));
  return { ...file, runs };
}

const attempt = {
  made: 1,
  scheduledEventId: 5,
  startedAt: null,
  endedAt: null,
  endedEventId: null,
  worker: null,
  lastFailure: null,
};

function started(at: number): Fact {
  return { type: 'started', at, chainId: 'forged', input: { rules: 1, agent: 'a', task: 't' } } as unknown as Fact;
}

/** Each fact in a turn of its own, a call of the model behind the last, and every digest as it should be. */
function forged(facts: readonly Fact[], run: object): SealedChainFile {
  const digest = facts.reduce((head, fact) => computeHead(head, fact), '');
  const turns = facts.map(
    (fact, at): ChainFileTurn => ({
      eventId: at + 1,
      history: { events: 3, bytes: 1, continueSuggested: false },
      facts: [fact],
      asked: [],
    }),
  );
  const prepared = facts.find((fact) => fact.type === 'prepared');
  const heads = [{ call: 'model-1', eventId: 9, facts: facts.length, head: digest }];
  return sealChainFile({
    format: 'longhand.chain',
    version: 1,
    chainId: 'forged',
    definition: prepared?.agent ?? null,
    runs: [{ runId: 'r', closed: 'terminated', closedAt: 1, result: null, turns, heads, attempts: {}, ...run }],
    digest,
  });
}

it('holds the definition with which the chain began, also where limits were raised since', async () => {
  const play = prepared();
  play.take(says({ kind: 'limit', limits: { steps: 99 } }));
  const run = {
    runId: 'run-1',
    closed: null,
    closedAt: null,
    result: null,
    heads: [],
    attempts: {},
    turns: play.turns.map((turn) => ({ ...turn, asked: [] })),
  };
  const { chainId } = play.state;
  const recorded = { ...(await parseRecordedChain(first, converter)), chainId, chain: play.chain, runs: [run] };
  const file = toChainFile(recorded);
  expect([file.definition?.limits.steps, play.state.agent?.limits.steps]).toEqual([agentOf().limits.steps, 99]);
  expect(verifyFile(file).parting).toBeNull();
});

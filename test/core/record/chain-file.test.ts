/** Chain files: every alteration is detected; additions of a later version are ignored. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseRecordedChain } from '../../../src/client/read/parse-recorded-chain.js';
import { parseAsChainFile, toChainFile } from '../../../src/client/read/recorded-chain.js';
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
import { readAllExports } from '../../histories/exports.js';
import { converter } from '../../histories/stored.js';
import { budget } from '../../support/budget.js';
import { agentOf } from '../../support/core-builders.js';
import { createCommand } from '../../support/core-people.js';
import { prepared } from '../../support/core-play.js';
import { matchError } from '../../support/match-error.js';

const texts = (await readAllExports()).flatMap(({ kind, text }) => (kind === 'chain' ? [text] : []));
const [first = ''] = texts;
const someText = fc.constantFrom(...texts);

/** The result of reading the text: a problem, a divergence, or null. */
function findAlteration(text: string): Divergence | string | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'no JSON';
  }
  const read = parseChainFile(value);
  return read.ok ? verifyFile(read.file).divergence : read.problem;
}

function equal(text: string, other: string): boolean {
  try {
    return toCanonicalJson(JSON.parse(text)) === toCanonicalJson(JSON.parse(other));
  } catch {
    return false;
  }
}

/** Every place in a value, as its path of keys. */
function places(value: Json, path: readonly (string | number)[] = []): readonly (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return Object.entries(value).flatMap(([key, member]) => [[...path, key], ...places(member, [...path, key])]);
}

/** Returns a copy of the file with another value at a place, or without the value. */
function alterFile(text: string, path: readonly (string | number)[], to: Json | undefined): SealedChainFile {
  const file = JSON.parse(text) as SealedChainFile;
  const last = path.at(-1) ?? '';
  const holder = path.slice(0, -1).reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], file);
  if (to === undefined) delete (holder as Record<string, unknown>)[last];
  else (holder as Record<string, unknown>)[last] = to;
  return file;
}

describe('an alteration', () => {
  it('of any byte is detected, or has no effect', () => {
    fc.assert(
      fc.property(someText, fc.nat(), fc.integer({ min: 0, max: 255 }), (text, at, byte) => {
        const bytes = Buffer.from(text);
        bytes[at % bytes.length] = byte;
        const other = bytes.toString();
        return equal(text, other) || findAlteration(other) !== null;
      }),
      { numRuns: budget(80, 1_000) },
    );
  });

  it('of any member is detected, for every new value', () => {
    fc.assert(
      fc.property(someText, fc.nat(), fc.option(fc.jsonValue(), { nil: undefined }), (text, which, to) => {
        const all = places(JSON.parse(text) as Json);
        const file = JSON.stringify(alterFile(text, all[which % all.length] ?? [], to as Json));
        return equal(text, file) || findAlteration(file) !== null;
      }),
      { numRuns: budget(40, 500) },
    );
  });

  it('by a cut is detected at any length', () => {
    fc.assert(
      fc.property(someText, fc.nat(), (text, at) => {
        const cut = text.slice(0, at % (text.trimEnd().length - 1));
        return findAlteration(cut) !== null;
      }),
      { numRuns: budget(25, 300) },
    );
  });

  it('of a fact is detected under a new checksum too, with the last call that agrees', () => {
    const { checksum: _old, ...file } = JSON.parse(first) as SealedChainFile;
    const facts = file.runs.flatMap((run) => run.turns.flatMap((turn) => turn.facts));
    expect(facts.length).toBeGreaterThan(3);
    for (const [at, fact] of facts.entries()) {
      const forged = replaceFact(file, at, { ...fact, at: fact.at + 1 });
      const { divergence } = verifyFile(sealChainFile(forged));
      expect(divergence?.where).toMatch(/^model-\d+$|^the end$/);
    }
  });

  it('of a fact and its digests is detected where the workflow’s result differs', () => {
    const file = JSON.parse(texts.find((text) => text.includes('"All done."')) ?? '') as SealedChainFile;
    const text = JSON.stringify(file.runs.map(({ result: _, ...run }) => run)).replaceAll('All done.', 'Nothing.');
    const runs = (JSON.parse(text) as ChainFile['runs']).map((run, at) => ({
      ...run,
      result: file.runs[at]?.result ?? null,
    }));
    const digest = verifyFile({ ...file, runs }).digest;
    const { checksum: _old, ...rest } = { ...file, runs, digest };
    expect(verifyFile(sealChainFile(rest)).divergence?.where).toBe('the result');
  });

  it.each([
    ['the definition', (file: ChainFile) => ({ ...file, definition: null })],
    ['the end', (file: ChainFile) => ({ ...file, digest: 'f'.repeat(64) })],
  ])('of %s has its own divergence', (where, alter) => {
    const { checksum: _old, ...file } = JSON.parse(first) as SealedChainFile;
    expect(verifyFile(sealChainFile(alter(file))).divergence?.where).toBe(where);
  });

  it('outside the facts has its own divergence', () => {
    const file = JSON.parse(first) as SealedChainFile;
    const { divergence } = verifyFile({ ...file, runs: file.runs.map((run) => ({ ...run, closedAt: 1 })) });
    expect(divergence?.where).toBe('the file');
    expect(formatDivergence(divergence as Divergence)).toContain('checksum');
  });
});

describe('facts forged together with their digests', () => {
  it('are rejected if they form no valid chain', async () => {
    const file = forgeFile([createStart(0), { type: 'prepared', at: 1, agent: {} } as unknown as Fact], {});
    expect(parseChainFile(file).ok).toBe(true);
    const { divergence } = verifyFile(file);
    expect(divergence).toMatchObject({ where: 'the facts', agreedUntil: 'the start' });
    expect(formatDivergence(divergence as Divergence)).toContain('form no valid chain');
    const rejected = await parseRecordedChain(JSON.stringify(file), converter).catch((error: Error) => error);
    expect(rejected).toMatchObject({ code: 'invalid_chain_file' });
  });

  it.each([
    ['a fact', [createStart(1e18)], {}],
    ['a part of a millisecond', [createStart(0.5)], {}],
    ['the end', [createStart(0)], { closedAt: 8.64e15 + 1 }],
    ['an attempt', [createStart(0)], { attempts: { prepare: { ...attempt, startedAt: -1e18 } } }],
  ])('an invalid time of %s is rejected', (_name, facts, run) => {
    expect(parseChainFile(forgeFile(facts, run)).ok).toBe(false);
    expect(parseChainFile(forgeFile([createStart(0)], {})).ok).toBe(true);
  });
});

describe('a file of a later version', () => {
  it('may have unknown members, which are ignored', async () => {
    const { checksum: _old, ...file } = JSON.parse(first) as SealedChainFile;
    const runs = file.runs.map((run) => ({ ...run, weather: { city: 'Paris' } }));
    const later = JSON.stringify(sealChainFile({ ...file, runs, more: [1, 2] } as ChainFile));
    expect(findAlteration(later)).toBeNull();
    const { chain } = await parseRecordedChain(later, converter);
    expect(chain).toEqual((await parseRecordedChain(first, converter)).chain);
  });

  it('is rejected if the version is unknown', async () => {
    const later = JSON.stringify({ ...(JSON.parse(first) as object), version: 2 });
    await expect(parseRecordedChain(later, converter)).rejects.toThrow(
      matchError('invalid_chain_file', 'has version 2'),
    );
  });
});

describe('a file that can be parsed but is no chain', () => {
  it('is rejected with a sentence, not an exception', async () => {
    const shaped = fc.record({ format: fc.constant('longhand.chain'), version: fc.constant(1) });
    const any = fc.oneof(
      fc.jsonValue(),
      fc.tuple(shaped, fc.object()).map(([head, more]) => ({ ...more, ...head })),
    );
    await fc.assert(
      fc.asyncProperty(any, async (value) => {
        const rejected = await parseAsChainFile(JSON.stringify(value), converter).catch((error: Error) => error);
        expect(rejected).toMatchObject({ code: 'invalid_chain_file' });
      }),
      { numRuns: budget(25, 300) },
    );
  });
});

function replaceFact(file: ChainFile, index: number, fact: unknown): ChainFile {
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

function createStart(at: number): Fact {
  return { type: 'started', at, chainId: 'forged', input: { rules: 1, agent: 'a', task: 't' } } as unknown as Fact;
}

/** Each fact in its own turn, a model call after the last, and all digests correct. */
function forgeFile(facts: readonly Fact[], run: object): SealedChainFile {
  const digest = facts.reduce((head, fact) => computeHead(head, fact), '');
  const turns = facts.map(
    (fact, at): ChainFileTurn => ({
      eventId: at + 1,
      history: { events: 3, bytes: 1, continueSuggested: false },
      facts: [fact],
      scheduled: [],
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

it("contains the definition of the chain's start, also after limits were raised", async () => {
  const play = prepared();
  play.take(createCommand({ kind: 'limit', limits: { steps: 99 } }));
  const run = {
    runId: 'run-1',
    closed: null,
    closedAt: null,
    result: null,
    heads: [],
    attempts: {},
    turns: play.turns.map((turn) => ({ ...turn, scheduled: [] })),
  };
  const { chainId } = play.state;
  const recorded = { ...(await parseRecordedChain(first, converter)), chainId, chain: play.chain, runs: [run] };
  const file = toChainFile(recorded);
  expect([file.definition?.limits.steps, play.state.agent?.limits.steps]).toEqual([agentOf().limits.steps, 99]);
  expect(verifyFile(file).divergence).toBeNull();
});

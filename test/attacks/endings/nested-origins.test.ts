/** L7: a start with origins in origins is rejected before it exceeds the time of a workflow task. */

import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { computeHead } from '../../../src/core/engine/advance.js';
import { toChainResult } from '../../../src/core/engine/result.js';
import { takeTurn } from '../../../src/core/engine/turn.js';
import { maxUnpackedBytes, pack } from '../../../src/core/lib/pack.js';
import type { ChainInput, Fact } from '../../../src/core/model/fact.js';
import type { Origin } from '../../../src/core/model/origin.js';
import { emptyState } from '../../../src/core/model/state.js';
import { someInput } from '../../support/core-builders.js';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const history = { events: 3, bytes: 1_000, continueSuggested: false };

/** A forged origin with valid digests: invalid facts around another origin. */
function originWith(facts: readonly unknown[]): Origin {
  const digest = facts.reduce((head: string, fact) => computeHead(head, fact as Fact, sha256), '');
  const turns = pack([{ eventId: 1, history, facts }] as never);
  return { chainId: 'c', runId: 'r', steps: 1, digest, turns, message: null };
}

const start = (input: object): Fact => ({ type: 'started', at: 1, chainId: 'c', input: input as ChainInput });

function nestedIn(origin: Origin | undefined, padding: string): Origin {
  return originWith([start({ ...someInput, padding, ...(origin === undefined ? {} : { origin }) })]);
}

const take = (origin: Origin) => takeTurn(emptyState, history, [start({ ...someInput, origin })], sha256);

describe('nested origins', () => {
  it('share one limit of bytes: the second of 17 MB is not unpacked', () => {
    const padding = 'x'.repeat(maxUnpackedBytes / 2 + 1);
    const origin = nestedIn(nestedIn(undefined, padding), padding);
    expect(origin.turns.length).toBeLessThan(100_000);
    const parsed = listParsedTexts(() =>
      expect(toChainResult(take(origin).state).reasonCode).toBe('unreadable_origin'),
    );
    expect(parsed.reduce((sum, text) => sum + text.length, 0)).toBeLessThan(maxUnpackedBytes);
  });

  it('are not unpacked below the deepest fork', () => {
    let origin = nestedIn(undefined, 'innermost');
    for (let depth = 1; depth < 60; depth++) origin = nestedIn(origin, '');
    const parsed = listParsedTexts(() => expect(toChainResult(take(origin).state).outcome).toBe('failure'));
    expect(parsed.length).toBe(20);
  });
});

it('an origin with facts that are nested too deeply is rejected', () => {
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
  const fact = `{"type":"toolFailed","at":1,"call":"1.1","failure":${deep}}`;
  const text = `[{"eventId":1,"history":{"events":1,"bytes":1},"facts":[${fact}]}]`;
  const turns = gzipSync(text).toString('base64');
  const turn = take({ ...originWith([]), turns });
  expect(turn.fault).toBeUndefined();
  expect(toChainResult(turn.state).reasonCode).toBe('unreadable_origin');
});

it('a stack overflow in an origin is thrown, because another stack may be deeper', () => {
  const origin = nestedIn(undefined, '');
  const overflow = () => {
    throw new RangeError('Maximum call stack size exceeded');
  };
  const fact = start({ ...someInput, origin });
  expect(() => takeTurn(emptyState, history, [fact], { onlyOrigins: overflow })).toThrow(RangeError);
});

/** Returns the texts that are parsed as JSON while a function runs; every unpacked text is parsed. */
function listParsedTexts(run: () => void): readonly string[] {
  const parse = vi.spyOn(JSON, 'parse');
  try {
    run();
    return parse.mock.calls.map(([text]) => text);
  } finally {
    parse.mockRestore();
  }
}

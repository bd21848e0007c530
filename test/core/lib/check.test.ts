/** A description of a value yields a guard and a sentence: the guard accepts a value if, and only if, there is no sentence. */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkRequestRules } from '../../../src/contract/validate-results.js';
import { checkFailureKind } from '../../../src/core/engine/failure-rules.js';
import * as check from '../../../src/core/lib/check.js';
import { checkName } from '../../../src/core/model/agent.js';
import { checkModelUses } from '../../../src/core/model/call-cost.js';
import { checkDataClasses } from '../../../src/core/model/data-class.js';
import { checkFileList } from '../../../src/core/model/file.js';
import { checkSpans } from '../../../src/core/model/lineage.js';
import { checkBlock } from '../../../src/core/model/model.js';
import { checkCallRoute } from '../../../src/core/model/routing.js';
import { checkEarlier, checkThreadRef } from '../../../src/core/model/thread.js';
import { checkToolRun } from '../../../src/core/model/tool-run.js';
import { checkCounts, checkReservation, checkSettle } from '../../../src/core/model/usage.js';

const checkPair = check.shape({ name: check.text, count: check.optional(check.count) });

const checks: { readonly [name: string]: check.Check } = {
  ...{ text: check.text, nonEmptyText: check.nonEmptyText, texts: check.texts, boolean: check.boolean },
  ...{ number: check.number, finite: check.finite, amount: check.amount, fromZero: check.fromZero },
  ...{ integer: check.integer, count: check.count, object: check.object, callable: check.callable },
  ...{ present: check.present, anything: check.anything },
  integerFrom: check.integerFrom(2),
  integerWithin: check.integerWithin(1, 3),
  oneOf: check.oneOf(['a', 'b']),
  pattern: check.pattern(/^a+$/, 'must be letters'),
  nullable: check.nullable(check.text),
  optional: check.optional(check.text),
  refine: check.refine(check.texts, ({ length }) => length === 2, 'must have two texts'),
  list: check.list(checkPair),
  'list of a plain check': check.list((value, at) => (value === 1 ? null : `${at || 'it'} must be 1`)),
  record: check.record(check.count),
  shape: checkPair,
  variant: check.variant('type', { a: check.shape({ name: check.text }), b: check.anything }),
  members: check.members({ name: check.text, count: check.count, pairs: check.list(checkPair) }),
  from: check.from((value, at) => (value === 1 ? null : `${at || 'it'} must be 1`)),
  ...{ checkRequestRules, checkFailureKind, checkName, checkModelUses, checkDataClasses, checkFileList, checkSpans },
  ...{
    checkBlock,
    checkCallRoute,
    checkEarlier,
    checkThreadRef,
    checkToolRun,
    checkCounts,
    checkReservation,
    checkSettle,
  },
};

/** Members that the checks above know, so that random values get some of them right. */
const memberNames = ['name', 'count', 'type', 'pairs', 'kind', 'role', 'text', 'roles', 'usd', 'messages', 'omitted'];
const words = ['', ' ', 'a', 'aa', 'b', 'text', 'user', 'object', 'activity', 'usage', 'constructor', '__proto__'];
const { value: randomValue } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<unknown>(null, undefined, true, 0, 1, 2, -1, 0.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53),
    fc.constantFrom(...words),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom(...memberNames, '__proto__', 'toString'), tie('value'), { maxKeys: 5 }),
  ),
}));

it.each(Object.entries(checks))('%s: the guard accepts a value if there is no sentence', (_, described) => {
  fc.assert(
    fc.property(randomValue, fc.constantFrom('', 'options.x'), (value, at) => {
      const problem = described(value, at);
      expect(described.is(value)).toBe(problem === null);
      if (problem !== null) expect(problem).toMatch(/^\S.* /s);
    }),
  );
});

describe('the sentence begins with the path of the value that is wrong', () => {
  it.each<[check.ValueCheck, unknown, string]>([
    [check.text, 1, 'at must be a text'],
    [check.nonEmptyText, ' ', 'at must be a text that is not empty'],
    [check.integerFrom(2), 1, 'at must be a whole number from 2'],
    [check.integerWithin(1, 3), 4, 'at must be 3 at most'],
    [check.oneOf(['a', 'b', 'c']), 'd', 'at must be a, b or c'],
    [check.list(checkPair), [{ name: 'a' }, { name: 'a', count: -1 }], 'at.1.count must be a whole number from 0'],
    [check.list(check.text, 'a list of names'), 'a', 'at must be a list of names'],
    [check.record(check.text), { a: 'b', c: 5 }, 'at.c must be a text'],
    [checkPair, {}, 'at.name must be a text'],
    [checks.variant!, { type: 'c' }, 'at.type must be a or b'],
    [checks.variant!, { type: 'a' }, 'at.name must be a text'],
    [checks.members!, { nam: 'a' }, 'at.nam is unknown; you may mean name'],
    [checks.members!, { other: 1 }, 'at.other is unknown; expected name, count, pairs'],
    [checks.members!, { pairs: [{}] }, 'at.pairs.0.name must be a text'],
    [checks.refine!, ['a'], 'at must have two texts'],
  ])('%#', (described, value, sentence) => {
    expect(described(value, 'at')).toBe(sentence);
  });

  it('options themselves have no path', () => {
    expect(check.members({ name: check.text })(5, '')).toBe('it must be an object');
    expect(check.members({ name: check.text })({ name: 5 }, '')).toBe('name must be a text');
  });
});

it('a shape permits members of newer versions, options do not', () => {
  expect(checkPair.is({ name: 'a', other: 1 })).toBe(true);
  expect(check.members({ name: check.text }).is({ name: 'a', other: 1 })).toBe(false);
});

it('problems of options are errors that name the function', () => {
  expect(() => check.assertNoProblem(check.text(5, 'name'), 'wait')).toThrow('wait: name must be a text.');
  expect(() => check.assertNoProblem(null, 'wait')).not.toThrow();
});

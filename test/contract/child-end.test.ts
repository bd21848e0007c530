/** How a sub-chain ended, for its parent's workflow and for readers of its history. The content is untrusted. */

import {
  ActivityFailure,
  ApplicationFailure,
  CancelledFailure,
  ChildWorkflowFailure,
  RetryState,
  TerminatedFailure,
  TimeoutFailure,
  WorkflowExecutionAlreadyStartedError,
} from '@temporalio/common';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  parseChildReport,
  parseScores,
  toChildCloseFromError,
  toChildCloseFromStartFailure,
  toChildEndFromFailure,
  toChildEndFromResult,
  toChildFact,
} from '../../src/contract/child-end.js';
import { toFailure, unwrapFailure } from '../../src/contract/failure.js';
import { failureTypes } from '../../src/contract/names.js';
import { createChildReport } from '../../src/core/engine/child-report.js';
import { toCloseResult } from '../../src/core/engine/result.js';
import { answers, asks, look, pay, someInput } from '../support/core-builders.js';
import { lineage } from '../support/core-delegation.js';
import { prepared } from '../support/core-play.js';

/** As the SDK throws it in the workflow. */
const childFailure = (cause: Error) =>
  new ChildWorkflowFailure(
    'default',
    { workflowId: 'c', runId: 'r' },
    'agent',
    RetryState.NON_RETRYABLE_FAILURE,
    cause,
  );

const parseFailedEnd = (...details: readonly unknown[]) =>
  ApplicationFailure.create({ type: failureTypes.chainFailed, message: 'no', details: [...details] });

function parseTexts(...texts: readonly string[]) {
  const play = prepared(undefined, { ...someInput, lineage: lineage({ answerTokens: 100 }) });
  play.replied(asks(look()));
  play.returned('1.1', 'a trace of tea');
  for (const text of texts) play.replied(answers(text));
  return play;
}

describe('an end with a report', () => {
  it('is the close of a chain, clipped for its parent', () => {
    const { state } = parseTexts('word '.repeat(1_000));
    const close = JSON.parse(JSON.stringify(toCloseResult(state)));
    expect(close.clippedFrom).toBe(5_000);
    expect(JSON.stringify(close).length).toBeLessThan(2_000);
    const end = toChildEndFromResult(close);
    expect(end).toMatchObject({ type: 'reported', report: { outcome: 'success', steps: 2, charged: { chains: 1 } } });
  });

  it('may be in the details of a failure', () => {
    const { state } = parseTexts('x');
    expect(toChildEndFromFailure(parseFailedEnd(toCloseResult(state)))).toMatchObject({ type: 'reported' });
  });

  it('contains the findings for every outcome', () => {
    const play = parseTexts();
    play.failed({
      kind: 'bad_request',
      message: 'no',
      status: 400,
      retryAfterMs: null,
      settle: 'nothing',
      usage: null,
    });
    expect(toChildEndFromResult(toCloseResult(play.state))).toMatchObject({
      report: { outcome: 'failure', partial: expect.stringContaining('a trace of tea') },
    });
  });

  it('L5: reports unsafe calls, both in its close and in its history', () => {
    const play = prepared(undefined, { ...someInput, lineage: lineage() });
    play.replied(asks(pay()));
    expect(toChildEndFromResult(toCloseResult(play.state))).toMatchObject({ report: { hasUnsafeCalls: true } });
    expect(
      parseChildReport(createChildReport(play.chain, 'It was terminated.', { transcript: false, maxTokens: 100 })),
    ).toMatchObject({
      hasUnsafeCalls: true,
    });
    expect(parseChildReport({ ...toCloseResult(parseTexts('x').state), hasUnsafeCalls: 'no' })).toMatchObject({
      hasUnsafeCalls: false,
    });
  });

  it('is the same when it is read from the history', () => {
    const play = parseTexts('Found.');
    const { type: _, ...closed } = toChildEndFromResult(toCloseResult(play.state)) as Extract<
      ReturnType<typeof toChildEndFromResult>,
      { type: 'reported' }
    >;
    const read = createChildReport(play.chain, null, { transcript: false, maxTokens: 100 });
    expect({ ...read, partial: null }).toEqual(closed.report);
  });
});

describe('an end without a report', () => {
  it.each<[string, Error, object]>([
    ['cancelled', new CancelledFailure('x'), { status: 'cancelled' }],
    ['terminated', new TerminatedFailure('x'), { status: 'terminated' }],
    ['timed out', new TimeoutFailure('x', undefined, 'START_TO_CLOSE'), { status: 'timeout' }],
    ['failed without its result', parseFailedEnd(), { status: 'failed' }],
    ['failed by other code', ApplicationFailure.create({ message: 'Oops' }), { message: 'Oops' }],
    ['anything else', new Error('Odd'), { status: 'failed', message: 'Odd' }],
  ])('%s', (_, error, expected) => expect(toChildEndFromFailure(error)).toMatchObject({ type: 'silent', ...expected }));

  it('is separate where the id was taken', () => {
    const taken = new WorkflowExecutionAlreadyStartedError('x', 'c', 'agent');
    const toEnd = (cause: number) => toChildFact('chain/2.1', 0, toChildCloseFromStartFailure(cause));
    expect(toChildFact('chain/2.1', 0, toChildCloseFromError(taken))).toEqual(toEnd(1));
    expect(toEnd(1)).toMatchObject({ type: 'childEnded', end: { type: 'exists' } });
    expect(toEnd(2)).toMatchObject({ type: 'childEnded', end: { type: 'not_started' } });
  });
});

describe('L1: a failure that the SDK wraps in the workflow, and that the history has as it is', () => {
  const activityFailure = (cause: Error) =>
    new ActivityFailure('wrapped', 'score', '1', RetryState.NON_RETRYABLE_FAILURE, 'worker', cause);
  const plain = ApplicationFailure.create({ type: 'Oops', message: 'no tea' });

  it.each<[string, Error, object]>([
    ['plain', plain, { type: 'Oops', message: 'no tea' }],
    ['an activity that its workflow did not catch', activityFailure(plain), { type: 'WorkflowFailed' }],
    ['a child that its workflow did not catch', childFailure(plain), { type: 'WorkflowFailed', message: 'no tea' }],
    ['a timeout of such a child', childFailure(new TimeoutFailure('late', undefined, 'START_TO_CLOSE')), {}],
    ['two of them', childFailure(childFailure(plain)), { type: 'WorkflowFailed', message: 'no tea' }],
  ])('%s: of a child workflow', (_, error, expected) => {
    for (const id of ['chain/call-2.1', 'chain/2.1']) {
      const read = toChildFact(id, 0, { kind: 'failed', error });
      expect(toChildFact(id, 0, toChildCloseFromError(childFailure(error)))).toEqual(read);
      if (id === 'chain/call-2.1') expect(read).toMatchObject({ type: 'toolFailed', failure: expected });
    }
  });

  it.each<[string, Error, object]>([
    ['plain', plain, { type: 'Oops', message: 'no tea' }],
    ['an activity that it rethrew', activityFailure(plain), { type: 'Error', message: 'no tea' }],
    ['a workflow that it rethrew', childFailure(plain), { type: 'Error', message: 'no tea' }],
  ])('%s: of an activity', (_, error, expected) => {
    expect(toFailure(unwrapFailure(activityFailure(error)))).toEqual(toFailure(error));
    expect(toFailure(error)).toMatchObject(expected);
  });
});

describe('an untrusted close', () => {
  it('never throws, and has no charge that is not an amount', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (value, part) => {
        parseScores(value);
        const report = parseChildReport({
          outcome: 'success',
          reason: 'x',
          charged: { tokens: 1, timeMs: 1, chains: 1, usage: part },
        });
        expect(Object.values(report?.charged.usage ?? {}).every((each) => Number.isFinite(each) && each >= 0)).toBe(
          true,
        );
        expect(toChildEndFromResult(value).type).toMatch(/reported|silent/);
      }),
    );
  });

  it.each<[string, unknown]>([
    ['nothing', null],
    ['a negative amount', { tokens: -1, usd: 0, timeMs: 0, chains: 1 }],
    ['a text', { tokens: '1', usd: 0, timeMs: 0, chains: 1 }],
    ['no time', { tokens: 1, usd: 0, chains: 1 }],
  ])('%s is not a valid charge', (_, charged) => {
    expect(parseChildReport({ outcome: 'success', reason: 'x', charged })).toBeNull();
  });
});

/** Progress in a few lines, and in one. */

import { describe, expect, it } from 'vitest';
import { planDefaults } from '../../../src/core/strategies/strategy.js';
import { buildReasoning } from '../../../src/core/view/build-reasoning.js';
import { allPreferencesOn } from '../../../src/core/view/preferences.js';
import { describeProgress } from '../../../src/core/view/progress.js';
import { view } from '../../../src/core/view/view.js';
import { createViewer } from '../../../src/core/view/visibility.js';
import { agentOf, answers, asks, look } from '../../support/core-builders.js';
import { limits } from '../../support/core-people.js';
import { type Play, prepared } from '../../support/core-play.js';
import { call, loan, reasoningWith, result } from '../../support/some-reasoning.js';

describe('progress', () => {
  it('counts sources, queries and records', () => {
    const steps = [
      ...['1.1', '1.2', '1.3'].flatMap((id) => [call(id, 'weather', {}), result(id, 'weather', { rows: [1, 2] })]),
      result('2.1', 'query', { row_count: 241 }),
      result('2.2', 'ask', 'done'),
    ];
    expect(describeProgress(steps)).toEqual([
      'Checked 3 external sources',
      'Made 1 database query',
      'Delegated 1 task',
      'Processed 247 records',
    ]);
  });

  it('counts the records of built-in tools: queries of SQL, CSV and JSON, the memory, and HTTP', () => {
    const observations = [
      { columns: ['a'], rows: [[1], [2]], rowCount: 40 },
      { result: [{ a: 1 }, { a: 2 }] },
      { found: 9, memories: [{ key: 'a', text: 'b' }] },
      { request: 'GET https://a.example', status: 200, body: [1, 2, 3] },
    ];
    const steps = observations.map((observation, at) => result(`1.${at + 1}`, 'weather', observation));
    expect(describeProgress(steps)).toEqual(['Checked 4 external sources', 'Processed 46 records']);
    expect(describeProgress([result('1.1', 'weather', { result: 4, body: 'text' })])).toEqual([
      'Checked 1 external source',
    ]);
  });

  it('contains failed and open calls, and does not count them as done', () => {
    const steps = [
      call('1.1', 'weather', {}, { status: 'pending' }),
      result('1.2', 'weather', { rowCount: 5 }, { status: 'error' }),
      result('1.3', 'weather', { rowCount: 5 }, { status: 'reused' }),
    ];
    expect(describeProgress(steps)).toEqual(['1 call failed', 'Waiting for 1 call']);
  });

  it.each([-1, 1.5, '7', null, Number.MAX_VALUE])('does not accept %s as a count', (rowCount) => {
    expect(describeProgress([result('1.1', 'weather', { rowCount })])).toEqual(['Checked 1 external source']);
  });

  it('is empty before the first step', () => {
    expect(describeProgress([])).toEqual([]);
  });

  it('names the step under way and the most steps, in a running chain without a plan', () => {
    const progressOf = (play: Play, more = {}) =>
      view(buildReasoning(play.chain), createViewer('end_user', more)).progress[0];
    const play = prepared(agentOf({ limits: { steps: 12 } }));
    expect(progressOf(play)).toBe('Step 1 of at most 12');
    play.replied(asks(look()));
    expect(progressOf(play)).toBe('Step 1 of at most 12');
    play.returned('1.1');
    expect(progressOf(play)).toBe('Step 2 of at most 12');
    play.take(limits({ steps: 20 }));
    expect(progressOf(play)).toBe('Step 2 of at most 20');
    const preferences = { ...allPreferencesOn, progressSummary: false };
    expect(progressOf(play, { preferences })).toBeUndefined();
    play.replied(answers('Done.'));
    expect(progressOf(play)).toBe('Checked 1 external source');
    const planned = prepared(agentOf({ strategy: planDefaults }));
    expect(progressOf(planned)).toBeUndefined();
  });
});

describe('the summary of a chain', () => {
  it('contains steps, calls and cost', () => {
    const { summary } = view(loan, createViewer('developer'));
    expect(summary).toBe('3 steps: 3 calls of 3 tools (query 1, score 1, weather 1); 1,100 tokens; $0.01; 1 min');
  });

  it('names the most frequent tools, and counts the rest and the failures', () => {
    const names = ['a', 'b', 'b', 'c', 'd', 'e', 'f'];
    const steps = names.flatMap((tool, at) => [
      call(`1.${at}`, tool, {}),
      result(`1.${at}`, tool, '', at === 0 ? { status: 'error' } : {}),
    ]);
    const chain = reasoningWith(steps, { costUsd: null, endedAt: null });
    expect(view(chain, createViewer('developer')).summary).toBe(
      '1 step: 7 calls of 6 tools (b 2, a 1, c 1, d 1, e 1, …), 1 failed; 1,100 tokens',
    );
  });
});

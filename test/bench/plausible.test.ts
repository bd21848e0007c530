/** The plausibility check of benchmark rows accepts the rows of a smoke run, and rejects every altered row. */

import { describe, expect, it } from 'vitest';
import { type Case, missesIn, problemsIn } from '../../bench/case.js';
import { cache } from '../../bench/cases/cache.js';
import { concurrent } from '../../bench/cases/concurrent.js';
import { context } from '../../bench/cases/context.js';
import { decide } from '../../bench/cases/decide.js';
import { fanOut } from '../../bench/cases/fanout.js';
import { gateway } from '../../bench/cases/gateway.js';
import { history } from '../../bench/cases/history.js';
import { long } from '../../bench/cases/long.js';
import { many } from '../../bench/cases/many.js';
import { type OverheadRow, overhead } from '../../bench/cases/overhead.js';
import { read } from '../../bench/cases/read.js';
import { store } from '../../bench/cases/store.js';
import { tokens } from '../../bench/cases/tokens.js';
import { type ToolsRow, tools } from '../../bench/cases/tools.js';
import { waiting } from '../../bench/cases/waiting.js';
import { workers } from '../../bench/cases/workers.js';
import { between, implausible } from '../../bench/plausible.js';
import {
  cacheRows,
  concurrentRows,
  contextRows,
  decideRows,
  fanOutRows,
  gatewayRows,
  historyRows,
  longRows,
  manyRows,
  overheadRows,
  readRows,
  storeRows,
  tokensRows,
  toolsRows,
  waitingRows,
  workersRows,
} from './measured-rows.js';

/** Hides the type of the rows, so that they can be broken. */
function findProblems<R extends object, S>(name: string, each: Case<R, S>, rows: readonly R[]) {
  return {
    name,
    rows: rows as readonly object[],
    judge: (broken: readonly object[]) => problemsIn(each, broken as readonly R[], 'smoke'),
  };
}

const cases = [
  findProblems('history', history, historyRows),
  findProblems('concurrent', concurrent, concurrentRows),
  findProblems('read', read, readRows),
  findProblems('fanout', fanOut, fanOutRows),
  findProblems('long', long, longRows),
  findProblems('store', store, storeRows),
  findProblems('decide', decide, decideRows),
  findProblems('overhead', overhead, overheadRows),
  findProblems('cache', cache, cacheRows),
  findProblems('tokens', tokens, tokensRows),
  findProblems('tools', tools, toolsRows),
  findProblems('context', context, contextRows),
  findProblems('gateway', gateway, gatewayRows),
  findProblems('many', many, manyRows),
  findProblems('workers', workers, workersRows),
  findProblems('waiting', waiting, waitingRows),
];

/** Values that no column may have. */
const impossible = [Number.NaN, Number.POSITIVE_INFINITY, -1, 1e12, '12', undefined, {}];

function changeRow(rows: readonly object[], at: number, change: object): readonly object[] {
  return rows.map((row, nth) => (nth === at ? { ...row, ...change } : row));
}

describe.each(cases)('the rows of $name', ({ rows, judge }) => {
  it('are plausible as they were measured', () => {
    expect(judge(rows)).toEqual([]);
  });

  it('are implausible with an impossible value in any column of any row', () => {
    for (const [at, row] of rows.entries()) {
      for (const [column, measured] of Object.entries(row)) {
        const values = [
          ...impossible,
          measured === null ? 7 : null,
          ...(typeof measured === 'boolean' ? [!measured] : []),
        ];
        for (const value of values) {
          const problems = judge(changeRow(rows, at, { [column]: value }));
          expect(problems, `row ${at + 1}, ${column}: ${value}`).not.toEqual([]);
          expect(problems.join(), `row ${at + 1}, ${column}: ${value}`).toContain(column);
        }
      }
    }
  });

  it('are implausible without any of their columns, or with one more', () => {
    for (const [at, row] of rows.entries()) {
      for (const column of Object.keys(row)) {
        const { [column]: _, ...rest } = row as Record<string, unknown>;
        const problems = judge(rows.map((each, nth) => (nth === at ? rest : each)));
        expect(problems.join()).toContain(`has no ${column}.`);
      }
      expect(judge(changeRow(rows, at, { more: 1 })).join()).toContain('has an unknown column more.');
    }
  });

  it('are implausible without any of them, with one more, or in another order', () => {
    for (const at of rows.keys()) expect(judge(rows.filter((_, nth) => nth !== at))).not.toEqual([]);
    expect(judge([...rows, ...rows.slice(-1)])).toEqual([
      `There are ${rows.length + 1} rows; expected ${rows.length}.`,
    ]);
    expect(judge(rows.toReversed())).not.toEqual([]);
    expect(judge([])).not.toEqual([]);
  });
});

describe('rows whose columns are each possible', () => {
  it('are implausible when a system was not measured', () => {
    const ours = historyRows.map((row) => ({ ...row, system: 'longhand' as const }));
    expect(problemsIn(history, ours, 'smoke')).toContain(
      'Row 3 (hand-written, 1, 5): system is longhand; expected hand-written.',
    );
  });

  it('are implausible when only the last run of a chain was counted', () => {
    const lastRun = changeRow(historyRows, 9, { bytesPerStep: 1_588, eventsPerStep: 3.83 });
    expect(problemsIn(history, lastRun as typeof historyRows, 'smoke')).toEqual([
      'Row 10 (longhand, activity, 1, 40): bytesPerStep is 1588; expected a number from 4000 to 9000.',
      'Row 10 (longhand, activity, 1, 40): eventsPerStep is 3.83; expected a number from 11 to 14.',
    ]);
  });

  it('are implausible when a run was counted twice', () => {
    const twice = changeRow(historyRows, 0, { bytesPerStep: 9_765, eventsPerStep: 26.8 });
    expect(problemsIn(history, twice as typeof historyRows, 'smoke')).toHaveLength(2);
  });

  it('are implausible when the hand-written loop does not pass the conversation', () => {
    const flat = changeRow(historyRows, 5, { bytesPerStep: 4_814 });
    expect(problemsIn(history, flat as typeof historyRows, 'smoke')).toHaveLength(1);
  });

  it('are implausible when steps per second and the time of a step contradict each other', () => {
    const faster = changeRow(historyRows, 0, { stepsPerSecond: 171.6 });
    expect(problemsIn(history, faster as typeof historyRows, 'smoke')).toEqual([
      'longhand, 1 × 5 steps: 171.6 steps/s at 40.24 ms/step are 6.91 chains at once.',
    ]);
    const oneByOne = changeRow(concurrentRows, 0, { stepsPerSecond: 8.7 });
    expect(problemsIn(concurrent, oneByOne as typeof concurrentRows, 'smoke')).toEqual([
      'longhand, 6 × 8 steps: 8.7 steps/s at 117.66 ms/step are 1.02 chains at once.',
    ]);
  });

  it('are implausible when a median delay is above the ninety-ninth percentile', () => {
    expect(problemsIn(decide, changeRow(decideRows, 1, { p50Ms: 30 }) as typeof decideRows, 'smoke')).toEqual([
      'bare-update: p50 is 30 ms, above p99, 24.8 ms.',
    ]);
    expect(problemsIn(read, changeRow(readRows, 10, { p50Ms: 300 }) as typeof readRows, 'smoke')).toEqual([
      'follow: p50 is 300 ms, above p99, 280 ms.',
    ]);
  });

  it('are implausible when the long chain never continued as new, or its runs go backwards', () => {
    const alone = longRows.map((row) => ({ ...row, run: 1 }));
    const problem = 'A chain had a single run: nothing was measured of those that continue as new.';
    expect(problemsIn(long, alone, 'smoke')).toEqual([problem, problem, problem]);
    expect(problemsIn(long, changeRow(longRows, 0, { run: 5 }) as typeof longRows, 'smoke')).toHaveLength(1);
  });

  it('miss a requirement when a task takes more than 30 ms above the same activities, in the smoke form by far', () => {
    const [ours, theirs] = overheadRows as readonly [OverheadRow, OverheadRow];
    const addMs = (ms: number) => [{ ...ours, totalMs: theirs.totalMs + ms }, theirs];
    expect(missesIn(overhead, addMs(30), 'full')).toEqual([]);
    expect(missesIn(overhead, addMs(31), 'full')).toEqual([
      'A task takes 31 ms more than the same activities; at most 30 ms are allowed.',
    ]);
    expect(missesIn(overhead, addMs(500), 'smoke')).toEqual([]);
    expect(missesIn(overhead, addMs(501), 'smoke')).toHaveLength(1);
  });

  it('miss a requirement when a chain with notes of a model does not know all facts', () => {
    expect(missesIn(context, contextRows, 'full')).toEqual([]);
    expect(missesIn(context, changeRow(contextRows, 0, { known: 5 }) as typeof contextRows, 'full')).toEqual([
      'With notes of a model, the chain knows 5 of 6 facts; required: 6.',
    ]);
  });

  it('miss a requirement when a step of a chain takes more than that of a hand-written loop', () => {
    const rows = (cpu: number, time: number) => {
      const theirs = { ...historyRows[5], steps: 50, cpuMsPerStep: 100, msPerStep: 100 };
      const ours = { ...historyRows[3], steps: 50, cpuMsPerStep: 100 * cpu, msPerStep: 100 * time };
      return [ours, { ...ours, placement: 'local' }, theirs] as typeof historyRows;
    };
    expect(missesIn(history, rows(0.8, 0.76), 'full')).toEqual([]);
    expect(missesIn(history, rows(1.01, 0.9), 'full')).toEqual([
      "Activities: the CPU time of a step is × 1.01 the loop's; required: × 1.00.",
      "Local calls: the CPU time of a step is × 1.01 the loop's; required: × 0.80.",
      "Local calls: the time of a step is × 0.90 the loop's; required: × 0.76.",
    ]);
    expect(missesIn(history, historyRows, 'smoke')).toEqual([]);
  });

  it('miss a requirement when many chains make fewer steps per second than hand-written loops', () => {
    const rows = (rate: number) =>
      concurrentRows.map((row) => ({ ...row, stepsPerSecond: row.system === 'longhand' ? 100 * rate : 100 }));
    expect(missesIn(concurrent, rows(1.25), 'full')).toEqual([]);
    expect(missesIn(concurrent, rows(0.9), 'full')).toEqual([
      "Activities: steps per second are × 0.90 the loop's; required: × 0.95.",
      "Local calls: steps per second are × 0.90 the loop's; required: × 1.25.",
    ]);
    expect(missesIn(concurrent, rows(0.1), 'smoke')).toEqual([]);
  });

  it('miss a requirement when the steps of a long chain are uneven, or become slower', () => {
    const conversation = 'summarized' as const;
    const rows = (...times: readonly number[]) =>
      times.map((msPerStep, at) => ({
        conversation,
        step: 250 * (at + 1),
        run: at + 1,
        msPerStep,
        bytesPerStep: 5_000,
      }));
    expect(missesIn(long, rows(40, 41, 40, 39, 40), 'full')).toEqual([]);
    expect(missesIn(long, rows(40, 40, 40, 40, 40, 45), 'full')).toEqual([
      'Conversation summarized: the milliseconds of a step differ by 12.5 %; at most 10.0 % are allowed.',
    ]);
    expect(missesIn(long, rows(40, 40.5, 41, 41.5, 42), 'full')).toEqual([
      'Conversation summarized: the time of a step changes by 4.9 % over 1,000 steps; required: none.',
    ]);
    expect(missesIn(long, longRows, 'smoke')).toEqual([]);
  });

  it('are implausible when more breakpoints read less', () => {
    const rows = changeRow(cacheRows, 4, { twoBreakpointsShare: 0.8 }) as typeof cacheRows;
    expect(problemsIn(cache, rows, 'smoke')).toEqual(['parallel: more breakpoints read less.']);
  });

  it('miss a requirement when less than 80 % of the input of a chain are read from the cache', () => {
    const rows = (readShare: number) => cacheRows.map((row) => (row.wire === 'chat' ? row : { ...row, readShare }));
    expect(missesIn(cache, rows(0.8), 'full')).toEqual([]);
    expect(missesIn(cache, changeRow(rows(0.9), 2, { readShare: 0.79 }) as typeof cacheRows, 'full')).toEqual([
      'plan: 79.0 % of the input are read from the cache; required: 80.0 %.',
    ]);
    expect(missesIn(cache, cacheRows, 'smoke')).toEqual([]);
  });

  it('miss a requirement when tokens arrive later than 100 ms, in the smoke form by far', () => {
    const rows = (p99Ms: number) => changeRow(tokensRows, 2, { p99Ms }) as typeof tokensRows;
    expect(missesIn(tokens, rows(100), 'full')).toEqual([]);
    expect(missesIn(tokens, rows(101), 'full')).toEqual([
      'postgres: 99 % of the tokens arrive within 101 ms; required: 100 ms.',
    ]);
    expect(missesIn(tokens, rows(2_000), 'smoke')).toEqual([]);
    expect(missesIn(tokens, rows(2_001), 'smoke')).toHaveLength(1);
  });

  it('miss a requirement when a call takes more than 3 ms of CPU time above a bare activity', () => {
    const [ours, theirs] = toolsRows as readonly [ToolsRow, ToolsRow];
    const addMs = (ms: number) => [{ ...ours, cpuMsPerCall: theirs.cpuMsPerCall + ms }, theirs];
    expect(missesIn(tools, addMs(2.99), 'full')).toEqual([]);
    expect(missesIn(tools, addMs(3.01), 'full')).toEqual([
      'A call takes 3.01 ms of CPU time more than a bare activity; at most 3 ms are allowed.',
    ]);
    expect(missesIn(tools, addMs(3.01), 'smoke')).toEqual([]);
    expect(missesIn(tools, addMs(31), 'smoke')).toHaveLength(1);
  });

  it('miss a requirement when an event is lost or doubled, is late, or a follower needs too much memory', () => {
    const missed = (at: number, change: object) =>
      missesIn(gateway, changeRow(gatewayRows, at, change) as typeof gatewayRows, 'full').filter(
        (miss) => !miss.includes('171.6'),
      );
    expect(missed(0, { p99Ms: 100 })).toEqual([]);
    expect(missed(0, { p99Ms: 101 })).toEqual(['follow: 99 % of the events arrive within 101 ms; required: 100 ms.']);
    expect(missed(0, { kbPerFollower: 100.1 })).toEqual(['follow: a follower needs 100.1 KB; required: 100 KB.']);
    expect(missed(1, { lost: 1, doubled: 2 })).toEqual([
      'restarts: 1 are lost; required: 0.',
      'restarts: 2 are doubled; required: 0.',
    ]);
    expect(missed(2, { lost: 3 })).toEqual(['starts: 3 are lost; required: 0.']);
  });

  it('are implausible when their findings cannot be computed', () => {
    const without = { ...decide, findings: () => [] };
    expect(problemsIn(without, decideRows, 'smoke')).toEqual(['There are no findings.']);
    const divided = { ...decide, findings: () => [`time × ${(0 / 0).toFixed(2)}`] };
    expect(problemsIn(divided, decideRows, 'smoke')).toEqual(['A finding has no number: time × NaN']);
  });
});

it('a range includes its ends, and a plausible row is not a problem', () => {
  const expected = [{ what: 'a', ms: between(1, 2) }];
  expect(implausible([{ what: 'a', ms: 1 }], expected)).toEqual([]);
  expect(implausible([{ what: 'a', ms: 2 }], expected)).toEqual([]);
  expect(implausible([{ what: 'a', ms: 2.1 }], expected)).toEqual([
    'Row 1 (a): ms is 2.1; expected a number from 1 to 2.',
  ]);
});

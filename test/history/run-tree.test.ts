/**
 * L5: the activities that a reset discards, found in the histories of a chain's runs. The runs are built here: no
 * server is needed.
 */

import { describe, expect, it } from 'vitest';
import type { ArchivedRuns } from '../../src/contract/archived-runs.js';
import { failureTypes } from '../../src/contract/names.js';
import type { ChainRun } from '../../src/core/record/chain-file.js';
import type { HistoryEvent } from '../../src/history/event.js';
import type { RunReference } from '../../src/history/read-history.js';
import { type RunsService, RunTree } from '../../src/history/run-tree.js';
import { randomFrom } from '../support/random.js';

interface Made {
  readonly chainId?: string;
  /** The previous run. */
  readonly after?: string;
  readonly reset?: { readonly of: string; readonly cut: number };
  readonly first?: string;
  /**
   * What each event after the start started: a tool, `chain:` and the id of a sub-chain, or `back1:` and a tool that the
   * worker of attempt 1 lacked, which are three events.
   */
  readonly begins?: readonly string[];
  readonly next?: string;
  readonly open?: boolean;
}

interface Served {
  readonly history: RunsService;
  /** Number of reads of a history, and of the list. */
  readonly reads: { histories: number; lists: number };
  /** Runs that the server deleted. */
  readonly gone: Set<string>;
  /** Runs that are not in the list yet; each read of the list adds one. */
  readonly late: string[];
}

/** The environment may raise the number of runs. */
const trees = Number(process.env.LONGHAND_RESET_TREES ?? 1_000);

const run = (runId: string): RunReference => ({ workflowId: 'chain', runId });

function createServer(runs: Readonly<Record<string, Made>>): Served {
  const reads = { histories: 0, lists: 0 };
  const gone = new Set<string>();
  const late: string[] = [];
  const getWorkflowExecutionHistory = async (asked: { execution: RunReference; maximumPageSize: number }) => {
    const { runId } = asked.execution;
    const made = runs[runId];
    if (made === undefined || gone.has(runId)) throw Object.assign(new Error('workflow not found'), { code: 5 });
    reads.histories += 1;
    return { history: { events: eventsOf(runId, runs).slice(0, asked.maximumPageSize) } };
  };
  const listWorkflowExecutions = async ({ query }: { query: string }) => {
    reads.lists += 1;
    const id = /^WorkflowId = '(.*)'$/.exec(query)?.[1];
    const there = Object.keys(runs).filter((runId) => !gone.has(runId) && !late.includes(runId));
    late.pop();
    const executions = there
      .filter((runId) => (runs[runId]?.chainId ?? 'chain') === id)
      .map((runId) => ({ execution: { workflowId: id, runId } }));
    return { executions };
  };
  const describeWorkflowExecution = async ({ execution: { workflowId } }: { execution: RunReference }) => {
    const runId = Object.keys(runs).findLast((id) => runs[id]?.chainId === workflowId && !gone.has(id));
    if (runId === undefined) throw Object.assign(new Error('workflow not found'), { code: 5 });
    return { workflowExecutionInfo: { execution: { workflowId, runId } } };
  };
  const service = { getWorkflowExecutionHistory, listWorkflowExecutions, describeWorkflowExecution };
  return { history: { namespace: 'default', service } as unknown as RunsService, reads, gone, late };
}

/** A reset copies its base's events before the cut, the start included, and writes its own after them. */
function eventsOf(runId: string, runs: Readonly<Record<string, Made>>): readonly HistoryEvent[] {
  const made = runs[runId] ?? {};
  const event = (eventId: number, attributes: object) => ({ eventId, ...attributes }) as unknown as HistoryEvent;
  const copied = made.reset ? eventsOf(made.reset.of, runs).slice(0, made.reset.cut - 1) : [];
  const start = {
    originalExecutionRunId: runId,
    continuedExecutionRunId: made.after ?? '',
    firstExecutionRunId: made.first ?? 'A',
  };
  const events = made.reset ? [...copied] : [event(1, { workflowExecutionStartedEventAttributes: start })];
  const add = (attributes: object) => events.push(event(events.length + 1, attributes));
  if (made.reset) add({ workflowTaskFailedEventAttributes: { baseRunId: made.reset.of, newRunId: runId } });
  for (const begun of made.begins ?? []) {
    const [, workflowId] = begun.split('chain:');
    const [, attempt, name] = /^back(\d):(.+)$/.exec(begun) ?? [];
    if (workflowId) add({ startChildWorkflowExecutionInitiatedEventAttributes: { workflowId } });
    else if (name !== undefined) {
      add({ activityTaskScheduledEventAttributes: { activityType: { name } } });
      const scheduledEventId = events.length;
      add({ activityTaskStartedEventAttributes: { scheduledEventId, attempt: Number(attempt) } });
      const failure = { applicationFailureInfo: { type: failureTypes.unknownTool } };
      add({ activityTaskFailedEventAttributes: { scheduledEventId, failure } });
    } else add({ activityTaskScheduledEventAttributes: { activityType: { name: begun } } });
  }
  if (made.next) add({ workflowExecutionContinuedAsNewEventAttributes: { newExecutionRunId: made.next } });
  else if (!made.open) add({ workflowExecutionCompletedEventAttributes: {} });
  return events;
}

function archiveOf(archived: Readonly<Record<string, Partial<ChainRun>>>): ArchivedRuns {
  const find = async (_: string, runId: string) => (archived[runId] as ChainRun | undefined) ?? null;
  return { findRun: find, findChain: async () => null };
}

/**
 * A chain whose current run works, continues as new, or is replaced by a reset of any of its runs. Each activity has
 * its own type.
 */
function randomTree(random: () => number) {
  const runs: Record<string, Made> = { A: { open: true } };
  /** The types in a run's history, by the event that started them. */
  const histories: Record<string, ReadonlyMap<number, string>> = { A: new Map() };
  const before: Record<string, string | undefined> = {};
  let current = 'A';
  let types = 0;
  const lengthOf = (runId: string) =>
    eventsOf(runId, { ...runs, [runId]: { ...runs[runId], open: true, next: '' } }).length;
  const add = (runId: string, made: Made, known: ReadonlyMap<number, string>) => {
    runs[runId] = { ...made, open: true };
    histories[runId] = known;
    current = runId;
  };
  const turns = 3 + Math.floor(random() * 20);
  for (let turn = 1; turn <= turns; turn++) {
    const draw = random();
    const made = runs[current] ?? {};
    if (draw < 0.5) {
      const type = `t${types++}`;
      runs[current] = { ...made, begins: [...(made.begins ?? []), type] };
      histories[current] = new Map([...(histories[current] ?? []), [lengthOf(current), type]]);
    } else if (draw < 0.7) {
      runs[current] = { ...made, open: false, next: `R${turn}` };
      before[`R${turn}`] = current;
      add(`R${turn}`, { after: current }, new Map());
    } else {
      runs[current] = { ...made, open: false };
      const all = Object.keys(runs);
      const of = all[Math.floor(random() * all.length)] ?? 'A';
      const cut = 2 + Math.floor(random() * lengthOf(of));
      before[`R${turn}`] = before[of];
      add(`R${turn}`, { reset: { of, cut } }, new Map([...(histories[of] ?? [])].filter(([event]) => event < cut)));
    }
  }
  const lineage = new Set<string>();
  for (let at: string | undefined = current; at !== undefined; at = before[at]) {
    for (const type of histories[at]?.values() ?? []) lineage.add(type);
  }
  const expected = Array.from({ length: types }, (_, at) => `t${at}`).filter((type) => !lineage.has(type));
  return { runs, current, expected: expected.sort() };
}

describe('activities that a run does not know', () => {
  it.each<[string, Readonly<Record<string, Made>>, readonly string[]]>([
    ['nothing, in a first run', { A: { begins: ['pay'] }, R: { after: 'A', open: true } }, []],
    [
      'those that its base started after the cut',
      { A: { begins: ['look', 'pay'] }, R: { reset: { of: 'A', cut: 3 }, open: true } },
      ['pay'],
    ],
    [
      'not those that its base started before the cut',
      { A: { begins: ['pay', 'look'] }, R: { reset: { of: 'A', cut: 3 }, open: true } },
      ['look'],
    ],
    [
      'those of the runs that its base continued in',
      {
        A: { next: 'B' },
        B: { after: 'A', next: 'C' },
        C: { after: 'B', begins: ['pay'] },
        R: { reset: { of: 'A', cut: 2 }, open: true },
      },
      ['pay'],
    ],
    [
      'those discarded before it continued as new',
      { A: { begins: ['pay'] }, S: { reset: { of: 'A', cut: 2 }, next: 'R' }, R: { after: 'S', open: true } },
      ['pay'],
    ],
    [
      'those of another reset of its base',
      { A: {}, S: { reset: { of: 'A', cut: 2 }, begins: ['pay'] }, R: { reset: { of: 'A', cut: 2 }, open: true } },
      ['pay'],
    ],
    [
      'those of a reset of an earlier run, for a reset of a later one',
      {
        A: { next: 'B' },
        B: { after: 'A', begins: ['look'] },
        S: { reset: { of: 'A', cut: 2 }, next: 'T' },
        T: { after: 'S', begins: ['pay'] },
        R: { reset: { of: 'B', cut: 3 }, open: true },
      },
      ['pay'],
    ],
    [
      'those discarded by two resets in a row, unless shared',
      {
        A: { begins: ['look', 'pay', 'mail'] },
        S: { reset: { of: 'A', cut: 4 }, begins: ['send'] },
        R: { reset: { of: 'S', cut: 3 }, open: true },
      },
      ['mail', 'pay', 'send'],
    ],
    [
      'not a call that went back to the task queue because its worker lacked the tool: a person has nothing to decide',
      { A: { begins: ['back1:pay', 'look'] }, R: { reset: { of: 'A', cut: 2 }, open: true } },
      ['look'],
    ],
    [
      'a call that a worker ran before another one lacked the tool',
      { A: { begins: ['back2:pay'] }, R: { reset: { of: 'A', cut: 2 }, open: true } },
      ['pay'],
    ],
    [
      'not those of another chain of the same id',
      { Z: { first: 'Z', begins: ['pay'] }, A: { begins: ['look'] }, R: { reset: { of: 'A', cut: 2 }, open: true } },
      ['look'],
    ],
  ])('are %s', async (_, runs, expected) => {
    const { history } = createServer(runs);
    const found = await new RunTree(null).readWorkInOtherRuns(history, run('R'));
    expect(found.kind === 'known' && [...found.activities].sort()).toEqual(expected);
  });

  it('are exactly those outside its lineage, over random trees of resets and continuations', async () => {
    for (let seed = 1; seed <= trees; seed++) {
      const { runs, current, expected } = randomTree(randomFrom(seed));
      const { history } = createServer(runs);
      const found = await new RunTree(null).readWorkInOtherRuns(history, run(current));
      expect([seed, found.kind === 'known' && [...found.activities].sort()]).toEqual([seed, expected]);
    }
  }, 600_000);

  it('are unknown once the server has deleted a run of a lineage with a reset, archived or not', async () => {
    const runs = {
      A: { next: 'B' },
      B: { after: 'A', begins: ['pay'] },
      R: { reset: { of: 'B', cut: 2 }, open: true },
    };
    for (const runId of ['A', 'B']) {
      const { history, gone } = createServer(runs);
      gone.add(runId);
      const tree = new RunTree(archiveOf({ [runId]: { turns: [] } }));
      expect(await tree.readWorkInOtherRuns(history, run('R'))).toEqual({ kind: 'unknown' });
    }
  });

  it('are an empty set where the archive knows that a deleted run was not made by a reset, and unknown otherwise', async () => {
    const runs = { A: { next: 'R' }, R: { after: 'A', open: true } };
    const { history, gone } = createServer(runs);
    gone.add('A');
    const find = async (archived: ArchivedRuns | null) =>
      (await new RunTree(archived).readWorkInOtherRuns(history, run('R'))).kind;
    expect(await find(archiveOf({ A: { turns: [] } }))).toBe('known');
    expect(await find(archiveOf({ A: { turns: [], reset: { runId: 'Z', cut: 4 } } }))).toBe('unknown');
    expect(await find(archiveOf({}))).toBe('unknown');
    expect(await find(null)).toBe('unknown');
  });

  it('are read once the list has the run itself, which began after other resets', async () => {
    const runs = {
      A: {},
      S: { reset: { of: 'A', cut: 2 }, begins: ['pay'] },
      R: { reset: { of: 'A', cut: 2 }, open: true },
    };
    const { history, late, reads } = createServer(runs);
    late.push('R', 'S');
    const found = await new RunTree(null).readWorkInOtherRuns(history, run('R'));
    expect(found.kind === 'known' && [...found.activities]).toEqual(['pay']);
    expect(reads.lists).toBe(3);
  });

  it('cost a chain without resets one event for each of its runs, once, and no list', async () => {
    const last = 50;
    const runs = Object.fromEntries(
      Array.from({ length: last + 1 }, (_, at): [string, Made] => [
        at === 0 ? 'A' : `${at}`,
        { ...(at === 0 ? {} : { after: at === 1 ? 'A' : `${at - 1}` }), next: `${at + 1}`, begins: ['pay'] },
      ]),
    );
    const { history, reads } = createServer(runs);
    const tree = new RunTree(null);
    await tree.readWorkInOtherRuns(history, run(`${last - 1}`));
    expect(reads).toEqual({ histories: last, lists: 0 });
    await tree.readWorkInOtherRuns(history, run(`${last - 1}`));
    expect(reads.histories).toBe(last);
    await tree.readWorkInOtherRuns(history, run(`${last}`));
    expect(reads).toEqual({ histories: last + 1, lists: 0 });
  });

  it('are read only once for a run of a chain that was reset', async () => {
    const { history, reads } = createServer({ A: { begins: ['pay'] }, R: { reset: { of: 'A', cut: 2 }, open: true } });
    const tree = new RunTree(null);
    await tree.readWorkInOtherRuns(history, run('R'));
    const before = { ...reads };
    await tree.readWorkInOtherRuns(history, run('R'));
    expect(reads).toEqual(before);
  });
});

describe('a sub-chain that was started elsewhere', () => {
  const below = (worker: Made): Readonly<Record<string, Made>> => ({
    A: { begins: ['chain:lead'] },
    R: { reset: { of: 'A', cut: 2 }, open: true },
    L: { chainId: 'lead', first: 'L', begins: ['chain:worker'] },
    W: { chainId: 'worker', first: 'W', ...worker },
  });

  it.each<[string, Made, boolean]>([
    ['has begun a call that it, or a chain below it, made', { begins: ['pay'] }, true],
    ['has not started a call that none of them made', { begins: ['look'] }, false],
    ['may still begin one while a chain below it runs', { begins: ['look'], open: true }, true],
  ])('%s', async (_, worker, expected) => {
    const { history } = createServer(below(worker));
    const tree = new RunTree(null);
    const found = await tree.readWorkInOtherRuns(history, run('R'));
    expect(found.kind === 'known' && [...found.chains]).toEqual(['lead']);
    expect(await tree.canHaveStarted(history, 'lead', 'pay')).toBe(expected);
  });

  it('has begun a call that its reset discarded, also while the server does not list its runs yet', async () => {
    const lead = { chainId: 'lead', first: 'L' };
    const { history, late, reads } = createServer({
      L: { ...lead, begins: ['pay'] },
      M: { ...lead, reset: { of: 'L', cut: 2 }, begins: ['look'] },
    });
    late.push('M', 'L');
    expect(await new RunTree(null).canHaveStarted(history, 'lead', 'pay')).toBe(true);
    expect(reads.lists).toBe(3);
  });

  it('may have started any activity once the server has deleted it', async () => {
    const { history, gone } = createServer(below({ begins: ['look'] }));
    gone.add('W');
    expect(await new RunTree(null).canHaveStarted(history, 'lead', 'pay')).toBe(true);
  });
});

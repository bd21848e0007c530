/** A view of the newest steps, read from the start of a later run, is the end of the view of the whole chain (L8). */

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isContinuation, readPast, toContinuation } from '../../../src/core/engine/continue-as-new.js';
import { type FoldedTurn, foldRecordedTurns } from '../../../src/core/engine/fold-turns.js';
import { toCloseResult } from '../../../src/core/engine/result.js';
import { emptyRecord, recordEntries } from '../../../src/core/engine/state/entry.js';
import { emptyPast, type Past } from '../../../src/core/model/past.js';
import { emptyState } from '../../../src/core/model/state.js';
import { noUsage } from '../../../src/core/model/usage.js';
import { toolsDefaults } from '../../../src/core/strategies/strategy.js';
import { buildReasoning, emptyReasoningContext } from '../../../src/core/view/build-reasoning.js';
import { PastCollector } from '../../../src/core/view/past-collector.js';
import { restorePast } from '../../../src/core/view/restore-past.js';
import { selectSteps } from '../../../src/core/view/step-range.js';
import { view } from '../../../src/core/view/view.js';
import { computeViewReach, type RestoredChain, type ViewReach } from '../../../src/core/view/view-reach.js';
import { createViewer } from '../../../src/core/view/visibility.js';
import type { ChainEntry } from '../../../src/entries/client.js';
import type { Chain, ChainState, Viewer, VisibilityConfig } from '../../../src/entries/view.js';
import type { Json, Step } from '../../../src/index.js';
import { budget } from '../../support/budget.js';
import { agentOf, someTools, tool } from '../../support/core-builders.js';
import { runWorld } from '../../support/core-environment.js';
import { someConfig, someViewer } from '../../support/some-viewer.js';

const tools = [...someTools, tool('wait', { waits: true })];
const agent = agentOf({
  ...{ strategy: toolsDefaults, tools, limits: { steps: 12, waitMs: 3_600_000 } },
  continueAfter: { steps: 2 },
});
const script = fc.array(fc.integer({ min: 0, max: 9_999 }), { maxLength: 600, size: 'max' });

interface Seam {
  readonly past: Past;
  readonly state: ChainState;
  readonly later: readonly ChainEntry[];
}

/** Returns each start of a later run as its history has it, with all entries from there. */
function listSeams(turns: readonly FoldedTurn[]): readonly Seam[] {
  let collector = new PastCollector(emptyPast);
  return turns.flatMap((turn, at) => {
    const before = turns[at - 1];
    const isStart = before !== undefined && turn.facts.some(({ type }) => type === 'continued');
    const past = isStart ? carry(before.state, collector.past) : null;
    if (isStart) collector = new PastCollector(past);
    collector.add(turn.state, turn.entries);
    if (!isStart || past === null) return [];
    return [{ past, state: before.state, later: turns.slice(at).flatMap(({ entries }) => entries) }];
  });
}

function carry(state: ChainState, past: Past | null): Past | null {
  const shown = { paragraphs: [], hidden: [] };
  const carried = JSON.parse(JSON.stringify(toContinuation(state, 'before', shown, past))) as unknown;
  return isContinuation(carried) ? readPast(carried) : null;
}

/** Writes addresses into some thoughts and results: which are masked, and with which number, depends on the viewer. */
function addAddresses(turns: readonly FoldedTurn[], numbers: readonly number[]): readonly FoldedTurn[] {
  let at = 0;
  const next = () => numbers[at++ % Math.max(1, numbers.length)] ?? 0;
  const add = <T extends Json>(text: T): T | string =>
    next() % 4 === 0 ? `${text} Ask user-${next() % 3}@example.com, or 10.0.0.${next() % 3}.` : text;
  const change = (entry: ChainEntry): ChainEntry => {
    if (entry.type === 'step-added') return { ...entry, step: { ...entry.step, thought: add(entry.step.thought) } };
    if (entry.type !== 'call-completed') return entry;
    return { ...entry, result: { ...entry.result, observation: add(entry.result.observation) } };
  };
  return turns.map((turn) => ({ ...turn, entries: turn.entries.map(change) }));
}

const toReasoning = (chain: Chain) =>
  buildReasoning(chain, { ...emptyReasoningContext, result: chain.state.stop && toCloseResult(chain.state) });

/** Compares, where the part is sufficient. */
function compareEnd(
  { past, state, later }: Seam,
  whole: Chain,
  { viewer, config, last }: { viewer: Viewer; config: VisibilityConfig; last: number },
): ViewReach {
  const kept = new Set(past.steps.map(({ number }) => number));
  const restored: RestoredChain = {
    chain: recordEntries(restorePast(past, state), whole.state, later),
    before: state.steps,
    isCounted: (step) => step <= state.steps && !kept.has(step),
  };
  const reasoning = toReasoning(restored.chain);
  const reach = computeViewReach(restored, reasoning, { viewer, config, first: whole.state.steps - last + 1 });
  if (reach !== 'enough') return reach;
  const [part, all] = [reasoning, toReasoning(whole)].map((each) => {
    const seen = view(each, viewer, config);
    return { ...seen, steps: selectSteps(seen.steps, { last }) };
  });
  expect(part).toEqual(all);
  return reach;
}

const someReader = fc.record({
  viewer: fc.oneof(
    someViewer,
    fc.constantFrom('developer', 'auditor', 'end_user').map((role) => createViewer(role)),
  ),
  config: fc.oneof(someConfig, fc.constantFrom<VisibilityConfig>({}, { redact: { optionalKinds: ['ip-address'] } })),
  last: fc.integer({ min: 1, max: 3 }),
});

describe('the newest steps, read from the start of a run', () => {
  it('are the end of the view of the whole chain, for every viewer', () => {
    const reached: Record<ViewReach, number> = { enough: 0, runBefore: 0, wholeChain: 0 };
    fc.assert(
      fc.property(script, fc.array(someReader, { minLength: 5, maxLength: 5 }), (numbers, readers) => {
        const world = runWorld(agent, numbers, { people: true });
        const folded = foldRecordedTurns(world.turns.map((turn) => ({ eventId: 0, ...turn })));
        const turns = addAddresses(folded.turns, numbers);
        const entries = turns.flatMap((turn) => turn.entries);
        const chain = recordEntries(emptyRecord, folded.chain.state, entries);
        for (const seam of listSeams(turns))
          for (const reader of readers) reached[compareEnd(seam, chain, reader)] += 1;
      }),
      { numRuns: budget(60, 400) },
    );
    for (const count of Object.values(reached)) expect(count).toBeGreaterThan(0);
  });

  it('need a bounded past, whose steps without masked texts are only counted', () => {
    const collect = (thought: (number: number) => string) => {
      const collector = new PastCollector(emptyPast);
      for (let number = 1; number <= 2_000; number++) {
        const step = { ...bareStep, number, thought: thought(number) };
        collector.add({ ...emptyState, steps: number }, [{ type: 'step-added', at: number, step }]);
      }
      return collector.past;
    };
    const counted = collect((number) => `I look up part ${number}.`);
    expect(counted?.steps.map(({ number }) => number)).toEqual([2_000]);
    expect(counted?.counts).toEqual([{ tool: 'look_up', status: 'ok', calls: 1_999, records: 3_998, first: 1 }]);
    const kept = collect((number) => (number % 500 === 0 ? 'I ask ada@example.com.' : 'I look.'));
    expect(kept?.steps.map(({ number }) => number)).toEqual([500, 1_000, 1_500, 2_000]);
    expect(collect((number) => `I ask user-${number}@example.com.`)).toBeNull();
  });

  it('need a step that shows the result of a kept one', () => {
    const collector = new PastCollector(emptyPast);
    const add = (number: number, thought: string, reusedFrom: string | null) => {
      const calls = bareStep.calls.map((call) => ({ ...call, reusedFrom }));
      const step = { ...bareStep, number, thought, calls };
      collector.add({ ...emptyState, steps: number }, [{ type: 'step-added', at: number, step }]);
    };
    add(1, 'I ask ada@example.com.', null);
    add(2, 'I look.', null);
    add(3, 'I ask as before.', '1.1');
    add(4, 'I look as before.', '2.1');
    add(5, 'I am done.', null);
    expect(collector.past?.steps.map(({ number }) => number)).toEqual([1, 3, 5]);
  });
});

const bareStep: Step = {
  ...{ number: 1, thought: null, answer: null, problem: null, content: [], pausedContent: [] },
  ...{ provider: 'anthropic', model: 'claude', modelCall: 1, costUsd: null, startedAt: 0, endedAt: 0, usage: noUsage },
  calls: [
    {
      ...{ id: '1.1', useId: null, tool: 'look_up', input: {}, status: 'ok', observation: { rows: [1, 2] } },
      ...{ clippedFrom: null, reusedFrom: null, startedAt: 0, endedAt: 0 },
    },
  ],
};

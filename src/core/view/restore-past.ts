/** Restores the chain at the start of a run from its past (past-collector.ts). */

import {
  type Call,
  type CallCount,
  type CallStatus,
  type Chain,
  type ChainState,
  noUsage,
  type Past,
  type Step,
} from '../model/index.js';

/**
 * Returns the chain at the end of the runs before, with empty steps for the counted ones: they have the tools and statuses of
 * the counted calls, in the order in which each of these came first. Most numbers have no step, however long the chain is.
 */
export function restorePast({ counts, steps, notices, messages, pausedContent }: Past, state: ChainState): Chain {
  const last = findLastCounted(steps, state.steps);
  const counted = new Map<number, Call[]>(last === 0 ? [] : [[last, []]]);
  const add = (number: number, { tool, status }: CallCount, records: number) => {
    const calls = counted.get(number) ?? [];
    calls.push(createCountedCall(`${number}.${calls.length + 1}`, tool, status, records));
    counted.set(number, calls);
  };
  for (const count of counts) add(count.first, count, count.records);
  for (const count of counts) for (let nth = 1; nth < count.calls; nth++) add(last, count, 0);
  const emptySteps = [...counted].map(([number, calls]) => createCountedStep(number, calls));
  const restored = [...emptySteps, ...steps].sort((a, b) => a.number - b.number);
  return { state, steps: restored, notices, messages, pausedContent, guidance: [] };
}

/** Returns the last step that was only counted; 0 if all were kept. */
function findLastCounted(kept: readonly Step[], steps: number): number {
  const numbers = new Set(kept.map(({ number }) => number));
  for (let number = steps; number > 0; number--) if (!numbers.has(number)) return number;
  return 0;
}

function createCountedStep(number: number, calls: readonly Call[]): Step {
  return {
    ...{ number, calls, thought: null, answer: null, problem: null, content: [], pausedContent: [] },
    ...{ provider: null, model: '', modelCall: number, costUsd: null, startedAt: 0, endedAt: 0 },
    usage: noUsage,
  };
}

function createCountedCall(id: string, tool: string, status: CallStatus, records: number): Call {
  const observation = records === 0 ? null : { rowCount: records };
  return {
    ...{ id, tool, status, observation, useId: null, input: {}, clippedFrom: null, reusedFrom: null },
    ...{ startedAt: 0, endedAt: 0 },
  };
}

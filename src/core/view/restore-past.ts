/** Restores the chain at the start of a run from its past (past-collector.ts). */

import type { Call, CallStatus, Chain, Step } from '../model/chain.js';
import type { CallCount, Past } from '../model/past.js';
import type { ChainState } from '../model/state.js';
import { noUsage } from '../model/usage.js';

/**
 * Returns the chain at the end of the runs before, with empty steps for those that were only counted: they have the tools
 * and statuses of the counted calls, and the order in which each of these came first.
 */
export function restorePast({ counts, steps, notices, messages, pausedContent }: Past, state: ChainState): Chain {
  const kept = new Map(steps.map((step) => [step.number, step]));
  const counted = new Map<number, Call[]>();
  let last = 0;
  for (let number = 1; number <= state.steps; number++) if (!kept.has(number)) last = number;
  const add = (number: number, { tool, status }: CallCount, records: number) => {
    const calls = counted.get(number) ?? [];
    calls.push(createCountedCall(`${number}.${calls.length + 1}`, tool, status, records));
    counted.set(number, calls);
  };
  for (const count of counts) add(count.first, count, count.records);
  for (const count of counts) for (let nth = 1; nth < count.calls; nth++) add(last, count, 0);
  const restored: Step[] = [];
  for (let number = 1; number <= state.steps; number++)
    restored.push(kept.get(number) ?? createCountedStep(number, counted.get(number) ?? []));
  return { state, steps: restored, notices, messages, pausedContent, guidance: [] };
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

/** Counts the calls of a run by tool, for reports over many chains. */

import { findOwn } from '../lib/index.js';
import { addUsd, type Call, type CallStatus, computeWaitingMs, type Step } from '../model/index.js';
import type { ChainRun } from './chain-file.js';

/** The calls of a tool that ran. A call that was reused, denied, rejected or answered by a person did not run. */
export interface ToolUse {
  readonly tool: string;
  readonly calls: number;
  /** Calls that ended with an error, or whose outcome is unknown. */
  readonly failures: number;
  /** From the requests to the results, without the time spent waiting for people. */
  readonly durationMs: number;
  /** US dollars of the models that its calls asked; null where none has a price, as for a tool that asks none. */
  readonly costUsd: number | null;
}

/** @param steps those of the run alone: a fork's first steps are another chain's */
export function countToolUse(steps: readonly Step[], { attempts }: Pick<ChainRun, 'attempts'>): readonly ToolUse[] {
  const tools = new Map<string, ToolUse>();
  for (const call of steps.flatMap(({ calls }) => calls)) {
    const { tool, status } = call;
    if (!hasRun(call, attempts)) continue;
    const before = tools.get(tool) ?? { calls: 0, failures: 0, durationMs: 0, costUsd: null };
    tools.set(tool, {
      tool,
      calls: before.calls + 1,
      failures: before.failures + (failedStatuses.has(status) ? 1 : 0),
      durationMs: before.durationMs + computeRunMs(call),
      costUsd: (call.charges ?? []).reduce((sum, { costUsd }) => addUsd(sum, costUsd), before.costUsd),
    });
  }
  return [...tools.values()];
}

const failedStatuses: ReadonlySet<CallStatus> = new Set(['error', 'unknown']);

/** Whether an attempt at its activity or a sub-chain of the call was started. */
function hasRun({ id, chains = [] }: Call, attempts: ChainRun['attempts']): boolean {
  return chains.length > 0 || (findOwn(attempts, id)?.made ?? 0) > 0;
}

function computeRunMs(call: Call): number {
  return call.endedAt === null ? 0 : Math.max(0, call.endedAt - call.startedAt - computeWaitingMs(call));
}

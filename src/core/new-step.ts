/** A step and its calls as they stand when the reply is read, before anything is run. */

import type { AgentSnapshot } from './agent.js';
import type { Call, Step } from './chain.js';
import type { Reply } from './model.js';
import type { Reading, RequestedCall } from './reading.js';
import { costOf } from './usage.js';

/** A step has its number from 1; its calls have ids from it, `3.1` for the first of step 3. */
export function newCall(step: number, index: number, requested: RequestedCall, at: number): Call {
  return {
    id: `${step}.${index + 1}`,
    useId: requested.useId,
    tool: requested.tool,
    input: requested.input,
    status: 'pending',
    observation: null,
    clippedFrom: null,
    reusedFrom: null,
    startedAt: at,
    endedAt: null,
  };
}

export function newStep(
  number: number,
  agent: AgentSnapshot,
  { reading, model, usage }: Pick<Reply, 'model' | 'usage'> & { readonly reading: Reading },
  calls: readonly Call[],
  times: Pick<Step, 'modelCall' | 'startedAt' | 'endedAt'>,
): Step {
  const { thought, answer, problem, content } = reading;
  const { price } = agent.model;
  const costUsd = price === null ? null : costOf(usage, price);
  return { number, thought, calls, answer, problem, content, pausedContent: [], model, usage, costUsd, ...times };
}

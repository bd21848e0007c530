/** A step and its calls as they stand when the reply is read, before anything is run. */

import type { AgentSnapshot } from '../model/agent.js';
import type { Call, Step } from '../model/chain.js';
import type { Usage } from '../model/model.js';
import type { Reading, RequestedCall } from '../model/reading.js';
import { costOf, type Reservation } from '../model/usage.js';

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

/** A reply that was read and settled; `charged` is its whole reservation where it reported no plausible usage. */
export interface StepReply {
  readonly reading: Reading;
  readonly model: string;
  readonly usage: Usage;
  readonly charged: Reservation | null;
}

export function newStep(
  number: number,
  agent: AgentSnapshot,
  { reading, model, usage, charged }: StepReply,
  calls: readonly Call[],
  times: Pick<Step, 'modelCall' | 'startedAt' | 'endedAt'>,
): Step {
  const { thought, answer, problem, content } = reading;
  const { price } = agent.model;
  const said = { number, thought, calls, answer, problem, content, pausedContent: [], model, usage, ...times };
  if (charged !== null) return { ...said, costUsd: charged.usd, charged };
  return { ...said, costUsd: price === null ? null : costOf(usage, price) };
}

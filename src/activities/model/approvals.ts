/**
 * Asks policies which calls of a reply a person has to approve. What they say goes into the fact, and is asked again only
 * where a person changes the arguments.
 *
 * Calls that are not run anyway are not asked about.
 */

import type { ToolSnapshot } from '../../core/model/agent.js';
import type { AskRules } from '../../core/model/ask.js';
import { defaults } from '../../core/model/defaults.js';
import type { Reply } from '../../core/model/model.js';
import type { Reading, RequestedCall } from '../../core/model/reading.js';
import type { State } from '../../core/model/state.js';
import { settleUnderWay } from '../../core/state/budget.js';
import type { SaidOfCall } from '../../tools/approval/said-of-call.js';
import { type Askers, denialOf, saidOfCall } from '../context/approval-layers.js';

export interface Approved {
  /** With what was denied as calls that are not run. */
  readonly reading: Reading;
  /** In the order of the reading's calls; null where none needs a person. */
  readonly approvals: readonly (AskRules | null)[] | null;
}

export async function approvalsOf(
  askers: Askers,
  state: State,
  reply: Pick<Reply, 'usage'>,
  reading: Reading,
): Promise<Approved> {
  if (reading.problem !== null || reading.answer !== null) return { reading, approvals: null };
  const { spent } = settleUnderWay(state, reply, reading.content).state;
  const said = await Promise.all(
    reading.calls.map(async (call, index): Promise<SaidOfCall> => {
      const tool = toRun(state, call, index);
      if (tool === null) return { kind: 'nothing' };
      return saidOfCall(askers, state, { tool, input: call.input, step: state.steps + 1, spent });
    }),
  );
  const rules = said.map((each) => (each.kind === 'ask' ? each.rules : null));
  return {
    reading: { ...reading, calls: reading.calls.map((call, index) => withDenial(call, said[index])) },
    approvals: rules.some((each) => each !== null) ? rules : null,
  };
}

/** Null for a call that is not run anyway: refused, unknown, one too many, or a question. */
function toRun({ agent }: State, { tool: name, rejected }: RequestedCall, index: number): ToolSnapshot | null {
  const tool = agent?.tools.find((each) => each.name === name);
  if (tool === undefined || rejected !== null || index >= defaults.callsPerStep) return null;
  return tool.question === null ? tool : null;
}

function withDenial(call: RequestedCall, said: SaidOfCall | undefined): RequestedCall {
  if (said?.kind !== 'deny') return call;
  return { ...call, rejected: denialOf(call.tool, said.reason) };
}

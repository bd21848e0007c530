/** Asks the agent's own check about a reply. User code runs here, in the worker, and never in the workflow. */

import { log } from '@temporalio/activity';
import type { Agent } from '../../agents/define-agent.js';
import type { AgentSnapshot } from '../../core/model/agent.js';
import type { Chain, Step } from '../../core/model/chain.js';
import { defaults } from '../../core/model/defaults.js';
import type { CheckVerdict } from '../../core/model/fact.js';
import type { Reply } from '../../core/model/model.js';
import type { Reading } from '../../core/model/reading.js';
import { takePlan } from '../../core/plan/take-plan.js';
import { settleUnderWay } from '../../core/state/budget.js';
import { newCall, newStep } from '../../core/state/step.js';
import { messageOf } from '../context/failures.js';
import { inTime } from '../context/in-time.js';

/** A check that throws has not said that the chain should end. */
export async function checkReply(
  agent: Agent,
  chain: Chain,
  reply: Reply,
  reading: Reading,
): Promise<CheckVerdict | null> {
  const snapshot = chain.state.agent;
  if (agent.check === null || snapshot === null) return null;
  try {
    const checking = agent.check([...chain.steps, stepOf(snapshot, chain, reply, reading)]);
    const checked = await inTime(checking, defaults.checkMs);
    if (checked !== null) return checked.value;
    // It has not said so either; the reply is paid for and must not wait for it.
    log.warn(`The check of agent ${agent.name} took longer than ${defaults.checkMs} ms; the chain goes on without it.`);
    return null;
  } catch (error) {
    log.warn(`The check of agent ${agent.name} threw: ${messageOf(error)}`);
    return null;
  }
}

/** The step as it stands before its calls are made. */
function stepOf(snapshot: AgentSnapshot, { state, steps }: Chain, reply: Reply, said: Reading): Step {
  const number = state.steps + 1;
  // What words alone are, and whether the chain may finish, its plan says.
  const { reading } = takePlan(state, snapshot, { reading: said });
  const calls = reading.calls.map((call, index) => newCall(number, index, call, state.now));
  const times = {
    modelCall: state.modelCalls,
    startedAt: steps.at(-1)?.endedAt ?? state.startedAt,
    endedAt: state.now,
  };
  const { usage, charged } = settleUnderWay(state, reply, reading.content);
  return newStep(number, snapshot, { model: reply.model, usage, charged, reading }, calls, times);
}

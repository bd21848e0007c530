/** Asks the agent's own check about a reply. User code runs here, in the worker, and never in the workflow. */

import { log } from '@temporalio/activity';
import type { Agent } from '../agents/define-agent.js';
import type { Chain, Step } from '../core/chain.js';
import type { CheckVerdict } from '../core/fact.js';
import type { Reply } from '../core/model.js';
import type { Reading } from '../core/strategies/strategy.js';
import { messageOf } from './failures.js';

/** A check that throws has not said that the chain should end. */
export async function checkReply(
  agent: Agent,
  chain: Chain,
  reply: Reply,
  reading: Reading,
): Promise<CheckVerdict | null> {
  if (agent.check === null) return null;
  try {
    return await agent.check([...chain.steps, stepOf(chain, reply, reading)]);
  } catch (error) {
    log.warn(`The check of agent ${agent.name} threw: ${messageOf(error)}`);
    return null;
  }
}

/** The step as it stands before its calls are made. */
function stepOf({ state, steps }: Chain, reply: Reply, reading: Reading): Step {
  const number = state.steps + 1;
  return {
    number,
    thought: reading.thought,
    calls: reading.calls.map((call, index) => ({
      id: `${number}.${index + 1}`,
      useId: call.useId,
      tool: call.tool,
      input: call.input,
      status: 'pending',
      observation: null,
      clippedFrom: null,
      reusedFrom: null,
      startedAt: state.now,
      endedAt: null,
    })),
    answer: reading.answer,
    problem: reading.problem,
    content: reading.content,
    pausedContent: [],
    model: reply.model,
    usage: reply.usage,
    costUsd: null,
    startedAt: steps.at(-1)?.endedAt ?? state.now,
    endedAt: state.now,
  };
}

/** Takes the snapshot of an agent's definition that a chain will run by. */

import { Context } from '@temporalio/activity';
import type { Agent } from '../../agents/define-agent.js';
import { snapshotOf } from '../../agents/snapshot.js';
import type { PrepareAgentInput, PrepareAgentResult } from '../../contract/activities.js';
import { failureTypes } from '../../contract/names.js';
import type { AgentSnapshot } from '../../core/model/agent.js';
import { defaults } from '../../core/model/defaults.js';
import type { SomeLimits } from '../../core/model/limits.js';
import type { Dependencies } from '../context/dependencies.js';
import { failure, messageOf } from '../context/failures.js';
import { branchOrigin } from './branch-origin.js';

export function prepareAgent(dependencies: Dependencies) {
  const { agents } = dependencies;
  return async (input: PrepareAgentInput): Promise<PrepareAgentResult> => {
    const agent = agents.get(input.agent);
    if (agent === undefined) throw unknownAgent(input.agent, [...agents.keys()]);
    if (input.branchOf === undefined) return snapshotFor(agent, input, dependencies);
    const { agent: taken, origin } = await branchOrigin(Context.current(), dependencies, input.branchOf);
    const snapshot = withLimits(taken, input.limits);
    return fitting(agent.name, origin === null ? snapshot : { agent: snapshot, origin });
  };
}

/** What a branch may use at most, where the call that began it says so; all else is as its parent has it. */
function withLimits(agent: AgentSnapshot, asked: SomeLimits): AgentSnapshot {
  const given = Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined));
  return { ...agent, limits: { ...agent.limits, ...given } };
}

/** @throws a failure of a type that says that nothing was called */
export function snapshotFor(
  agent: Agent,
  input: Omit<PrepareAgentInput, 'branchOf'>,
  { catalogue, continueAfter }: Pick<Dependencies, 'catalogue' | 'continueAfter'>,
): AgentSnapshot {
  return fitting(
    agent.name,
    take(() => ({ ...snapshotOf(agent, input, catalogue), ...(continueAfter === null ? {} : { continueAfter }) })),
  );
}

function fitting<T extends PrepareAgentResult>(name: string, prepared: T): T {
  const bytes = Buffer.byteLength(JSON.stringify(prepared));
  if (bytes <= defaults.payloadBytes) return prepared;
  throw failure(
    failureTypes.badDefinition,
    `The definition of agent ${name}, with the steps that it begins with, has ${bytes} bytes; Temporal stores ${defaults.payloadBytes} at most. Shorten its instructions or its tools' descriptions, or branch earlier.`,
  );
}

function take(make: () => AgentSnapshot): AgentSnapshot {
  try {
    return make();
  } catch (error) {
    throw failure(failureTypes.badDefinition, messageOf(error));
  }
}

export function unknownAgent(name: string, known: readonly string[]): Error {
  const has = known.length === 0 ? 'It has none.' : `It has: ${known.join(', ')}.`;
  const message = `This worker has no agent named ${name}. ${has} All workers of a task queue need the same agents: give it that one too.`;
  // Another worker of the queue may have it.
  return failure(failureTypes.unknownAgent, message, { retryable: true });
}

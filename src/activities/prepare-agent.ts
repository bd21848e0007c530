/** Takes the snapshot of an agent's definition that a chain will run by. */

import { snapshotOf } from '../agents/snapshot.js';
import type { PrepareAgentInput } from '../contract/activities.js';
import { failureTypes } from '../contract/names.js';
import type { AgentSnapshot } from '../core/agent.js';
import { defaults } from '../core/defaults.js';
import type { Dependencies } from './dependencies.js';
import { failure, messageOf } from './failures.js';

export function prepareAgent({ agents, catalogue }: Dependencies) {
  return async (input: PrepareAgentInput): Promise<AgentSnapshot> => {
    const agent = agents.get(input.agent);
    if (agent === undefined) throw unknownAgent(input.agent, [...agents.keys()]);
    const snapshot = take(() => snapshotOf(agent, input, catalogue));
    const bytes = Buffer.byteLength(JSON.stringify(snapshot));
    if (bytes <= defaults.payloadBytes) return snapshot;
    throw failure(
      failureTypes.badDefinition,
      `The definition of agent ${agent.name} has ${bytes} bytes; Temporal stores ${defaults.payloadBytes} at most. Shorten its instructions or its tools' descriptions.`,
    );
  };
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
  const message = `This worker has no agent named ${name}. ${has} Start a worker with it on this task queue.`;
  // Another worker of the queue may have it.
  return failure(failureTypes.unknownAgent, message, { retryable: true });
}

/** A tree of 1 + 3 + 9 agents whose worker may be killed: the nine write marks, as in killable-agent.ts. */

import { type Agent, defineAgent } from '../../src/index.js';
import { callAgent, createActor, delegateOnce, type Role } from './delegating.js';
import { createKillableAgent, type KillableOptions } from './killable-agent.js';

export function createKillableTree(options: KillableOptions): Agent {
  const { definition } = createKillableAgent(options);
  const modelHeartbeatTimeout = definition.modelHeartbeatTimeout ?? 0;
  const leaf = defineAgent({ ...definition, name: 'leaf', instructions: 'You are leaf.' });
  const middle = createActor('middle', { tools: [leaf], modelHeartbeatTimeout });
  return createActor('top', { tools: [middle], modelHeartbeatTimeout });
}

/** Each agent delegates to three; the lowest ones call `book`. */
export const treeRoles: Readonly<Record<string, Role>> = {
  top: (turn) => delegateToThree('middle', turn),
  middle: (turn) => delegateToThree('leaf', turn),
  leaf: ({ step, task: asked }) =>
    step === 1
      ? { text: 'I book.', calls: [{ name: 'book', input: { thing: asked.slice(0, 80), ms: 100 } }] }
      : { text: 'Booked.' },
};

/** The task is passed on, so that each chain names its tree. */
function delegateToThree(name: string, turn: Parameters<Role>[0]): ReturnType<Role> {
  return delegateOnce(...[1, 2, 3].map((n) => callAgent(name, `${turn.task} ${n}`)))(turn);
}

/** The agents that a worker needs for those that it is given: whoever delegates, delegates to somebody who is there. */

import type { Agent } from './agent-definition.js';

/** All of them and those that they delegate to, each once, however deep. */
export function withColleagues(given: readonly Agent[]): readonly Agent[] {
  const all = new Set<Agent>();
  const add = (agent: Agent) => {
    if (all.has(agent)) return;
    all.add(agent);
    for (const colleague of agent.colleagues) add(colleague);
  };
  for (const agent of given) add(agent);
  return [...all];
}
